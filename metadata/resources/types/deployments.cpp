// Configs on servers, one and many.
#include "metadata/resources/types/descriptions.hpp"

namespace hearth::metadata::types {

FamilyDescription deployments() {
  return {
      .family = Family::deployment,
      .reference = ReferenceKind::id,
      .attributes = Attributes::deployment,
      .role = live::Role::deployment,
      .types = {
          {.name = "OS::Heat::SoftwareDeployment", .schema = R"~({"properties": {"config": {"t": "string", "u": true},
"server": {"t": "string", "r": true}, "input_values": {"t": "map", "u": true}, "actions": {"t": "list",
"d": ["CREATE", "UPDATE"], "u": true, "c": [{"allowed_values": ["CREATE", "UPDATE", "DELETE", "SUSPEND",
"RESUME"]}]}, "name": {"t": "string", "u": true}, "signal_transport": {"t": "string", "d": "CFN_SIGNAL",
"c": [{"allowed_values": ["CFN_SIGNAL", "TEMP_URL_SIGNAL", "HEAT_SIGNAL", "NO_SIGNAL", "ZAQAR_SIGNAL"]}]}},
"attributes": ["deploy_stdout", "deploy_stderr", "deploy_status_code", "show"]})~"},
          {.name = "OS::Heat::StructuredDeployment", .schema = R"~({"properties": {"config": {"t": "string", "u": true},
"server": {"t": "string", "r": true}, "input_values": {"t": "map", "u": true}, "actions": {"t": "list",
"d": ["CREATE", "UPDATE"], "u": true, "c": [{"allowed_values": ["CREATE", "UPDATE", "DELETE", "SUSPEND",
"RESUME"]}]}, "signal_transport": {"t": "string", "d": "CFN_SIGNAL", "c": [{"allowed_values": ["CFN_SIGNAL",
"TEMP_URL_SIGNAL", "HEAT_SIGNAL", "NO_SIGNAL", "ZAQAR_SIGNAL"]}]}, "name": {"t": "string", "u": true},
"input_key": {"t": "string", "d": "get_input"}, "input_values_validate": {"t": "string", "d": "LAX",
"c": [{"allowed_values": ["LAX", "STRICT"]}]}}, "attributes": ["deploy_stdout", "deploy_stderr",
"deploy_status_code", "show"]})~"}}};
}

FamilyDescription deployment_groups() {
  return {.family = Family::deployment_group,
          .reference = ReferenceKind::id,
          .attributes = Attributes::members,
          .role = live::Role::nested,
          .types = {{.name = "OS::Heat::SoftwareDeploymentGroup",
                     .update_policy = UpdatePolicy::deployments,
                     .schema = R"~({"properties": {"servers": {"t": "map", "r": true, "u": true},
"config": {"t": "string", "u": true}, "input_values": {"t": "map", "u": true}, "actions": {"t": "list",
"d": ["CREATE", "UPDATE"], "u": true, "c": [{"allowed_values": ["CREATE", "UPDATE", "DELETE", "SUSPEND",
"RESUME"]}]}, "name": {"t": "string", "u": true}, "signal_transport": {"t": "string", "d": "CFN_SIGNAL",
"c": [{"allowed_values": ["CFN_SIGNAL", "TEMP_URL_SIGNAL", "HEAT_SIGNAL", "NO_SIGNAL", "ZAQAR_SIGNAL"]}]}},
"attributes": ["deploy_stdouts", "deploy_stderrs", "deploy_status_codes", "show"]})~"},
                    {.name = "OS::Heat::StructuredDeploymentGroup",
                     .update_policy = UpdatePolicy::deployments,
                     .schema = R"~({"properties": {"servers": {"t": "map", "r": true, "u": true},
"config": {"t": "string", "u": true}, "input_values": {"t": "map", "u": true}, "actions": {"t": "list",
"d": ["CREATE", "UPDATE"], "u": true, "c": [{"allowed_values": ["CREATE", "UPDATE", "DELETE", "SUSPEND",
"RESUME"]}]}, "signal_transport": {"t": "string", "d": "CFN_SIGNAL", "c": [{"allowed_values": ["CFN_SIGNAL",
"TEMP_URL_SIGNAL", "HEAT_SIGNAL", "NO_SIGNAL", "ZAQAR_SIGNAL"]}]}, "name": {"t": "string", "u": true},
"input_key": {"t": "string", "d": "get_input"}, "input_values_validate": {"t": "string", "d": "LAX",
"c": [{"allowed_values": ["LAX", "STRICT"]}]}}, "attributes": ["deploy_stdouts", "deploy_stderrs",
"deploy_status_codes", "show"]})~"},
                    {.name = "OS::Heat::SoftwareDeployments",
                     .update_policy = UpdatePolicy::deployments,
                     .schema_of = "OS::Heat::SoftwareDeploymentGroup"},
                    {.name = "OS::Heat::StructuredDeployments",
                     .update_policy = UpdatePolicy::deployments,
                     .schema_of = "OS::Heat::StructuredDeploymentGroup"}}};
}

}  // namespace hearth::metadata::types
