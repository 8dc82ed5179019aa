// Resources that are stacks: of members, and nested templates.
#include "metadata/resources/types/descriptions.hpp"

namespace hearth::metadata::types {

FamilyDescription groups() {
  return {.family = Family::group,
          .reference = ReferenceKind::id,
          .attributes = Attributes::members,
          .role = live::Role::nested,
          .types = {{.name = "OS::Heat::ResourceGroup",
                     .update_policy = UpdatePolicy::group,
                     .schema = R"~({"properties": {"count": {"t": "integer", "d": 1, "u": true,
"c": [{"range": {"min": 0}}]}, "index_var": {"t": "string", "d": "%index%", "c": [{"length": {"min": 3}}]},
"resource_def": {"t": "map", "r": true, "u": true, "s": {"type": {"t": "string", "r": true},
"properties": {"t": "map"}, "metadata": {"t": "map"}}}, "removal_policies": {"t": "list", "d": [], "u": true,
"s": {"*": {"t": "map", "s": {"resource_list": {"t": "list", "d": []}}}}},
"removal_policies_mode": {"t": "string", "d": "append", "u": true, "c": [{"allowed_values": ["append",
"update"]}]}}, "attributes": ["refs", "refs_map", "attributes", "removed_rsrc_list", "show"]})~"}}};
}

FamilyDescription chains() {
  return {.family = Family::chain,
          .reference = ReferenceKind::id,
          .attributes = Attributes::members,
          .role = live::Role::nested,
          .types = {{.name = "OS::Heat::ResourceChain",
                     .schema = R"~({"properties": {"resources": {"t": "list", "r": true, "u": true},
"concurrent": {"t": "boolean", "d": false}, "resource_properties": {"t": "map"}}, "attributes": ["refs",
"attributes", "show"]})~"}}};
}

/// Templates, whose files are their types.
FamilyDescription nested_templates() {
  return {.family = Family::nested,
          .reference = ReferenceKind::stack,
          .attributes = Attributes::outputs,
          .role = live::Role::nested,
          .types = {}};
}

}  // namespace hearth::metadata::types
