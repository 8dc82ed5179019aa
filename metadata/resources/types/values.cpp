// What is only a text: given, drawn, or a key.
#include "metadata/resources/types/descriptions.hpp"

namespace hearth::metadata::types {

FamilyDescription values() {
  return {
      .family = Family::value,
      .reference = ReferenceKind::name,
      .attributes = Attributes::value,
      .role = live::Role::plain,
      .known_by_name = true,
      .types = {{.name = "OS::Heat::Value", .schema = R"~({"properties": {"value": {"t": "any", "r": true, "u": true},
"type": {"t": "string", "u": true, "c": [{"allowed_values": ["string", "number", "comma_delimited_list",
"json", "boolean"]}]}}, "attributes": ["value", "show"]})~"}}};
}

FamilyDescription random_strings() {
  return {.family = Family::random_string,
          .reference = ReferenceKind::text,
          .attributes = Attributes::random_text,
          .role = live::Role::fixed,
          .known_by_name = true,
          .types = {{.name = "OS::Heat::RandomString", .schema = R"~({"properties": {"length": {"t": "integer", "d": 32,
"c": [{"range": {"min": 1, "max": 512}}]}, "sequence": {"t": "string",
"c": [{"allowed_values": ["lettersdigits", "letters", "lowercase", "uppercase", "digits", "hexdigits",
"octdigits"]}]}, "character_classes": {"t": "list", "d": [{"class": "lettersdigits", "min": 1}],
"s": {"*": {"t": "map", "s": {"class": {"t": "string", "d": "lettersdigits",
"c": [{"allowed_values": ["lettersdigits", "letters", "lowercase", "uppercase", "digits", "hexdigits",
"octdigits"]}]}, "min": {"t": "integer", "d": 1, "c": [{"range": {"min": 1, "max": 512}}]}}}}},
"character_sequences": {"t": "list", "s": {"*": {"t": "map", "s": {"sequence": {"t": "string", "r": true},
"min": {"t": "integer", "d": 1, "c": [{"range": {"min": 1, "max": 512}}]}}}}}, "salt": {"t": "string"}},
"attributes": ["value", "show"]})~"}}};
}

FamilyDescription key_pairs() {
  return {.family = Family::key_pair,
          .reference = ReferenceKind::own_name,
          .attributes = Attributes::key_pair,
          .role = live::Role::plain,
          .types = {{.name = "OS::Nova::KeyPair",
                     .schema = R"~({"properties": {"name": {"t": "string", "r": true, "c": [{"length": {"min": 1,
"max": 255}}]}, "save_private_key": {"t": "boolean", "d": false}, "public_key": {"t": "string"},
"type": {"t": "string", "c": [{"allowed_values": ["ssh", "x509"]}]}, "user": {"t": "string",
"c": [{"custom_constraint": "keystone.user"}]}}, "attributes": ["public_key", "private_key", "show"]})~"}}};
}

}  // namespace hearth::metadata::types
