#include "agent/net/config_file.hpp"

#include <gtest/gtest.h>

#include "tests/unit/agent/net/network_fixture.hpp"

namespace hearth::agent::net {
namespace {

TEST(NetConfigFile, IsYamlOrJson) {
  const char* json = "{\n\t\"network_config\": [{\"type\": \"interface\", \"name\": \"em1\"}]}";
  const char* yaml = "network_config:\n- {type: interface, name: em1}\n";
  EXPECT_EQ(*parse_config(json, "c"), *parse_config(yaml, "c"));
}

TEST(NetConfigFile, ScalarsAreYaml11) {
  const Json document = *parse_config("a: yes\nb: 0x10\nc: 010\n", "c");
  EXPECT_EQ(document.dump(), R"({"a":true,"b":16,"c":8})");
}

TEST(NetConfigFile, BadTextIsReportedWithItsPlace) {
  const Result<Json> result = parse_config("network_config:\n- {type: [\n", "net.yaml");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().source, "net.yaml");
  EXPECT_GT(result.error().at.line, 0);
}

TEST(NetConfigFile, SectionsAreListsOrAbsent) {
  EXPECT_TRUE(section_of(*parse_config("", "c"), "network_config", "c").empty());
  EXPECT_TRUE(section_of(*parse_config("a: 1", "c"), "network_config", "c").empty());
  EXPECT_EQ(refusal([] { (void)section_of(*parse_config("network_config: 1", "c"), "network_config", "c"); }),
            "c: network_config is not a list");
  EXPECT_NE(refusal([] { (void)section_of(*parse_config("[1]", "c"), "network_config", "c"); }), "(no error)");
}

}  // namespace
}  // namespace hearth::agent::net
