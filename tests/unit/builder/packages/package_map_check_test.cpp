#include "builder/packages/package_map_check.hpp"

#include <gmock/gmock.h>

#include "tests/unit/builder/element_tree.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;

std::string wrong(std::string_view text) { return check_package_map(text, "pkg-map").text(); }

TEST(PackageMapCheck, KnowsTheFourSections) {
  EXPECT_EQ(wrong(R"({"default": {"a": "b"}, "family": {"debian": {"a": ""}}, "distro": {"plan9": {}},
                      "release": {"debian": {"bookworm": {"a": "c d"}}}})"),
            "");
  EXPECT_EQ(wrong("{\n\t\"default\":\t{\"a\": \"b\"}\n}"), "");
}

TEST(PackageMapCheck, SaysWhatIsWrongWhereAndWhatIsAllowed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{\n \"defualt\": {}}", "pkg-map:2:2: unknown key 'defualt', did you mean default?; allowed are default"},
      {"{\n \"default\": {},\n \"families\": {}}",
       "pkg-map:3:2: unknown key 'families'; allowed are default, family, distro, release"},
      {"[]", "pkg-map:1:1: a pkg-map must be a JSON object"},
      {"{\"default\": {\"a\":\n [\"b\"]}}", "pkg-map:2:2: default.a must be a text"},
      {"{\"family\": {\"debian\": \"x\"}}", "pkg-map:1:23: family.debian must be an object"},
      {"{\"release\": {\"debian\": {\"12\": \"x\"}}}", "release.debian.12 must be an object"},
      {"{\"default\": {\"a\": \"b\",}}", "pkg-map:1:22: a comma too much: nothing follows it before '}'"},
  };
  for (const auto& [text, expected] : cases) EXPECT_THAT(wrong(text), HasSubstr(expected)) << text;
}

TEST(PackageMapCheck, AllThatIsWrongIsToldAtOnce) {
  EXPECT_EQ(wrong("{\"defualt\": {},\n \"default\": {\"a\": [], \"b\": {}},\n \"distro\": {\"debian\": 1}}"),
            "pkg-map:1:2: unknown key 'defualt', did you mean default?; allowed are default, family, distro, release\n"
            "pkg-map:2:19: default.a must be a text: names of packages, separated by blanks\n"
            "pkg-map:2:28: default.b must be a text: names of packages, separated by blanks\n"
            "pkg-map:3:23: distro.debian must be an object");
}

TEST(PackageMapCheck, AllElementsMapsAreCheckedButPrograms) {
  fakes::MemoryFileSystem files;
  ElementTree tree(files);
  tree.add("os", "", "operating-system").add("old").add("a");
  tree.file("old", "pkg-map", "#!/bin/sh\n", 0755);
  EXPECT_EQ(story_of([&] { return tree.plan({"old", "os"}); }), "");
  tree.file("a", "pkg-map", "{").file("a", "svc-map", "x: y\n").file("os", "package-installs.yaml", "p: {fase: x}\n");
  tree.file("os", "pkg-map", "[]");
  EXPECT_THAT(story_of([&] {
                return tree.plan({"a", "os"});
              }),
              testing::AllOf(HasSubstr("/elements/a/pkg-map:1:"), HasSubstr("/elements/os/pkg-map:1:"),
                             HasSubstr("/elements/a/svc-map:1:"), HasSubstr("/elements/os/package-installs.yaml:1:")))
      << "all elements' faults at once";
}

TEST(PackageMapCheck, TheSchemaHasTheSectionsThatTheReaderHas) {
  const Json schema = Json::parse(package_map_schema());
  EXPECT_EQ(schema.at("properties").size(), 4U);
  EXPECT_EQ(schema.at("additionalProperties"), false);
  EXPECT_TRUE(schema.at("properties").at("family").at("properties").contains("redhat"));
}

}  // namespace
}  // namespace hearth::builder
