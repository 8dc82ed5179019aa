// What does nothing, or what others have made.
#include "metadata/resources/types/descriptions.hpp"

namespace hearth::metadata::types {

FamilyDescription nothings() {
  return {
      .family = Family::none,
      .reference = ReferenceKind::id,
      .attributes = Attributes::none,
      .role = live::Role::plain,
      .types = {{.name = "OS::Heat::None", .schema = R"~({"properties": {}, "attributes": ["show"]})~"},
                {.name = "OS::Heat::TestResource",
                 .schema = R"~({"properties": {"constraint_prop_secs": {"t": "number", "d": 0, "u": true,
"c": [{"custom_constraint": "test_constr"}]}, "attr_wait_secs": {"t": "number", "d": 0, "u": true},
"value": {"t": "string", "d": "test_string", "u": true}, "update_replace_value": {"t": "string"},
"fail": {"t": "boolean", "d": false, "u": true}, "update_replace": {"t": "boolean", "d": false, "u": true},
"wait_secs": {"t": "number", "d": 0, "u": true}, "action_wait_secs": {"t": "map", "u": true,
"s": {"create": {"t": "number", "u": true}, "update": {"t": "number", "u": true}, "delete": {"t": "number",
"u": true}}}, "client_name": {"t": "string", "d": "", "u": true}, "entity_name": {"t": "string", "d": "",
"u": true}}, "attributes": ["output", "show"]})~"},
                {.name = "OS::Heat::Delay", .schema = R"~({"properties": {"min_wait": {"t": "number", "d": 0, "u": true,
"c": [{"range": {"min": 0}}]}, "max_jitter": {"t": "number", "d": 0, "u": true,
"c": [{"range": {"min": 0}}]}, "jitter_multiplier": {"t": "number", "d": 1.0, "u": true,
"c": [{"range": {"min": 0}}]}, "actions": {"t": "list", "d": ["CREATE"], "u": true,
"c": [{"allowed_values": ["CREATE", "DELETE", "SUSPEND", "RESUME"]}]}}, "attributes": ["show"]})~"}}};
}

/// Of any type: a resource with an external_id.
FamilyDescription external_resources() {
  return {.family = Family::external,
          .reference = ReferenceKind::external_id,
          .attributes = Attributes::learned,
          .role = live::Role::plain,
          .types = {}};
}

}  // namespace hearth::metadata::types
