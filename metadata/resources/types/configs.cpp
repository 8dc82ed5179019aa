// What agents run: scripts and structured texts, alone and put together.
#include "metadata/resources/types/descriptions.hpp"

namespace hearth::metadata::types {

FamilyDescription configs() {
  return {.family = Family::config,
          .reference = ReferenceKind::id,
          .attributes = Attributes::config,
          .role = live::Role::fixed,
          .types = {
              {.name = "OS::Heat::SoftwareConfig",
               .schema = R"~({"properties": {"group": {"t": "string", "d": "Heat::Ungrouped"},
"config": {"t": "string"}, "options": {"t": "map"}, "inputs": {"t": "list", "s": {"*": {"t": "map",
"s": {"name": {"t": "string", "r": true}, "description": {"t": "string"}, "type": {"t": "string",
"d": "String", "c": [{"allowed_values": ["String", "Number", "CommaDelimitedList", "Json", "Boolean"]}]},
"default": {"t": "any"}, "replace_on_change": {"t": "boolean", "d": false}}}}}, "outputs": {"t": "list",
"s": {"*": {"t": "map", "s": {"name": {"t": "string", "r": true}, "description": {"t": "string"},
"type": {"t": "string", "d": "String", "c": [{"allowed_values": ["String", "Number", "CommaDelimitedList",
"Json", "Boolean"]}]}, "error_output": {"t": "boolean", "d": false}}}}}}, "attributes": ["config", "show"]})~"},
              {.name = "OS::Heat::StructuredConfig",
               .schema = R"~({"properties": {"group": {"t": "string", "d": "Heat::Ungrouped"},
"options": {"t": "map"}, "inputs": {"t": "list", "s": {"*": {"t": "map", "s": {"name": {"t": "string",
"r": true}, "description": {"t": "string"}, "type": {"t": "string", "d": "String",
"c": [{"allowed_values": ["String", "Number", "CommaDelimitedList", "Json", "Boolean"]}]},
"default": {"t": "any"}, "replace_on_change": {"t": "boolean", "d": false}}}}}, "outputs": {"t": "list",
"s": {"*": {"t": "map", "s": {"name": {"t": "string", "r": true}, "description": {"t": "string"},
"type": {"t": "string", "d": "String", "c": [{"allowed_values": ["String", "Number", "CommaDelimitedList",
"Json", "Boolean"]}]}, "error_output": {"t": "boolean", "d": false}}}}}, "config": {"t": "map"}},
"attributes": ["config", "show"]})~"},
              {.name = "OS::Heat::SoftwareComponent", .schema = R"~({"properties": {"configs": {"t": "list", "r": true,
"c": [{"length": {"min": 1}}], "s": {"*": {"t": "map", "s": {"actions": {"t": "list", "d": ["CREATE",
"UPDATE"], "c": [{"length": {"min": 1}}], "s": {"*": {"t": "string"}}}, "config": {"t": "string"},
"tool": {"t": "string", "r": true}}}}}, "inputs": {"t": "list", "s": {"*": {"t": "map",
"s": {"name": {"t": "string", "r": true}, "description": {"t": "string"}, "type": {"t": "string",
"d": "String", "c": [{"allowed_values": ["String", "Number", "CommaDelimitedList", "Json", "Boolean"]}]},
"default": {"t": "any"}, "replace_on_change": {"t": "boolean", "d": false}}}}}, "outputs": {"t": "list",
"s": {"*": {"t": "map", "s": {"name": {"t": "string", "r": true}, "description": {"t": "string"},
"type": {"t": "string", "d": "String", "c": [{"allowed_values": ["String", "Number", "CommaDelimitedList",
"Json", "Boolean"]}]}, "error_output": {"t": "boolean", "d": false}}}}}, "options": {"t": "map"}},
"attributes": ["config", "show"]})~"},
              {.name = "OS::Heat::CloudConfig",
               .schema = R"~({"properties": {"cloud_config": {"t": "map"}}, "attributes": ["config",
"show"]})~"},
              {.name = "OS::Heat::MultipartMime",
               .schema = R"~({"properties": {"group": {"t": "string", "d": "Heat::Ungrouped"},
"parts": {"t": "list", "d": [], "s": {"*": {"t": "map", "s": {"config": {"t": "string", "r": true},
"filename": {"t": "string"}, "type": {"t": "string", "d": "text", "c": [{"allowed_values": ["text",
"multipart"]}]}, "subtype": {"t": "string"}}}}}}, "attributes": ["config", "show"]})~"}}};
}

}  // namespace hearth::metadata::types
