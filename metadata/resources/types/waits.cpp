// What waits for signals.
#include "metadata/resources/types/descriptions.hpp"

namespace hearth::metadata::types {

FamilyDescription wait_handles() {
  return {.family = Family::wait_handle,
          .reference = ReferenceKind::url,
          .attributes = Attributes::learned,
          .role = live::Role::wait_handle,
          .types = {{.name = "OS::Heat::WaitConditionHandle",
                     .reference = ReferenceKind::id,
                     .schema = R"~({"properties": {"signal_transport": {"t": "string",
"d": "TOKEN_SIGNAL", "c": [{"allowed_values": ["CFN_SIGNAL", "TEMP_URL_SIGNAL", "HEAT_SIGNAL", "NO_SIGNAL",
"ZAQAR_SIGNAL", "TOKEN_SIGNAL"]}]}}, "attributes": ["token", "endpoint", "curl_cli", "signal", "show"]})~"},
                    {.name = "AWS::CloudFormation::WaitConditionHandle",
                     .schema = R"~({"properties": {}, "attributes": ["show"]})~"},
                    {.name = "OS::Heat::SwiftSignalHandle",
                     .schema = R"~({"properties": {}, "attributes": ["token", "endpoint", "curl_cli",
"show"]})~"},
                    {.name = "OS::Heat::UpdateWaitConditionHandle",
                     .schema = R"~({"properties": {}, "attributes": ["show"]})~"}}};
}

FamilyDescription wait_conditions() {
  return {
      .family = Family::wait_condition,
      .reference = ReferenceKind::id,
      .attributes = Attributes::learned,
      .role = live::Role::wait_condition,
      .types = {{.name = "OS::Heat::WaitCondition", .schema = R"~({"properties": {"handle": {"t": "string", "r": true},
"timeout": {"t": "number", "r": true, "c": [{"range": {"min": 1, "max": 43200}}]}, "count": {"t": "integer",
"d": 1, "u": true, "c": [{"range": {"min": 1}}]}}, "attributes": ["data", "show"]})~"},
                {.name = "AWS::CloudFormation::WaitCondition",
                 .schema = R"~({"properties": {"Handle": {"t": "string", "r": true},
"Timeout": {"t": "integer", "r": true, "c": [{"range": {"min": 1, "max": 43200}}]}, "Count": {"t": "integer",
"d": 1, "u": true, "c": [{"range": {"min": 1}}]}}, "attributes": ["Data", "show"]})~"},
                {.name = "OS::Heat::SwiftSignal", .schema = R"~({"properties": {"handle": {"t": "string", "r": true},
"timeout": {"t": "number", "r": true, "c": [{"range": {"min": 1, "max": 43200}}]}, "count": {"t": "integer",
"d": 1, "c": [{"range": {"min": 1, "max": 1000}}]}}, "attributes": ["data", "show"]})~"}}};
}

}  // namespace hearth::metadata::types
