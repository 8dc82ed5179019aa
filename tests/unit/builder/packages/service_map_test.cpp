#include "builder/packages/service_map.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string table(std::string_view text) { return service_table(parse_service_map(text, "svc-map").value_or_throw()); }

TEST(ServiceMap, BecomesATable) {
  EXPECT_EQ(table("nova-api:\n  default: openstack-nova-api\n  debian: nova-api\nplain: {}\n"),
            "nova-api\tdefault\topenstack-nova-api\nnova-api\tdebian\tnova-api\nplain\t\t\n");
  EXPECT_EQ(table(""), "");
}

TEST(ServiceMap, WrongFilesAreRefusedWithPlaceAndAllowedKeys) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"- ssh\n", "svc-map:1:1: a svc-map must map services to their names"},
      {"ssh: sshd\n", "svc-map:1:6: service 'ssh' must be a mapping; allowed are default, a family"},
      {"ssh:\n  debian: [a]\n", "svc-map:2:3: service 'ssh' has a wrong entry; allowed are default"},
      {"ssh:\n  debian:\n", "svc-map:2:3: service 'ssh' has a wrong entry"},
      {"ssh: {a\n", "svc-map:"},
      {"ssh\n  default: sshd\n", "svc-map:1:4: a colon is missing behind 'ssh'"},
      {"ssh: sshd\nweb: apache2\n", "svc-map:2:6: service 'web' must be a mapping"},
  };
  for (const auto& [text, expected] : cases) {
    const auto result = parse_service_map(text, "svc-map");
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_THAT(result.error().text(), HasSubstr(expected)) << text;
  }
}

struct ServiceMapsTest : testing::Test {
  fakes::MemoryFileSystem files;
  ElementTree tree{files};
  ServiceMapsTest() { tree.add("os", "", "operating-system").add("a").add("b"); }
};

TEST_F(ServiceMapsTest, AllElementsMapsAreOneTable) {
  tree.file("a", "svc-map", "one: {default: x}\n").file("b", "svc-map", "two: {default: y}\n");
  EXPECT_EQ(service_table(load_service_maps(files, tree.close({"a", "b", "os"}))),
            "one\tdefault\tx\ntwo\tdefault\ty\n");
}

TEST_F(ServiceMapsTest, OneServiceInTwoMapsIsRefusedWithBothFiles) {
  tree.file("a", "svc-map", "one: {default: x}\n").file("b", "svc-map", "\none: {default: x}\n");
  EXPECT_THAT(story_of([&] {
                return load_service_maps(files, tree.close({"a", "b", "os"}));
              }),
              AllOf(HasSubstr("/elements/b/svc-map:2:"), HasSubstr("one already found in services list"),
                    HasSubstr("/elements/a/svc-map")));
}

TEST(ServiceMap, TheSchemaHasSystemsForEachService) {
  const Json schema = Json::parse(service_map_schema());
  EXPECT_TRUE(schema.at("additionalProperties").at("properties").contains("default"));
}

}  // namespace
}  // namespace hearth::builder
