#include "bootstrap/program/reference_pages.hpp"

#include <gmock/gmock.h>

#include "base/cli/help.hpp"
#include "base/cli/layout.hpp"
#include "base/text.hpp"
#include "bootstrap/program/program.hpp"

namespace hearth::bootstrap::program {
namespace {

using testing::HasSubstr;

std::string help_on(const std::string& name) { return cli::topic_help(make_program("/usr/bin/hearth"), name, 80); }

TEST(ReferencePages, KeysOfASchemaHaveTheirPathsOnceEach) {
  const Json schema = Json::parse(R"({"definitions": {"machine": {"properties": {"name": {"type": "string"}}}},
    "properties": {
      "machines": {"type": "array", "description": "what there is", "items": {"$ref": "#/definitions/machine"}},
      "seeds": {"items": {"$ref": "#/definitions/machine"}},
      "kind": {"enum": ["a", "b"]},
      "size": {"anyOf": [{"type": "integer"}, {"type": ["string", "null"]}]},
      "by": {"type": "object", "additionalProperties": {"properties": {"at": {"type": "string"}}}}}})");
  const std::vector<SchemaKey> expected = {{"by", "object", ""},
                                           {"by.NAME.at", "string", ""},
                                           {"kind", "a, b", ""},
                                           {"machines", "array", "what there is"},
                                           {"machines[].name", "string", ""},
                                           {"seeds", "", ""},
                                           {"size", "integer or null or string", ""}};
  EXPECT_THAT(keys_of_schema(schema), testing::UnorderedElementsAreArray(expected));
}

TEST(ReferencePages, HelpPrintsThemAsTheTerminalHasRoom) {
  EXPECT_THAT(help_on("drivers"), HasSubstr("## redfish"));
  EXPECT_THAT(help_on("drivers"), HasSubstr("redfish_address"));
  EXPECT_THAT(help_on("keys"), HasSubstr("machines[].name"));
  for (const char* name : {"drivers", "keys"}) {
    for (const std::string& line : split_lines(help_on(name))) EXPECT_LE(cli::columns(line), 80U) << line;
  }
}

}  // namespace
}  // namespace hearth::bootstrap::program
