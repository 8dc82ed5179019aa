#include "agent/heat_config/hooks/docker_config.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/python_json.hpp"

namespace hearth::agent {
namespace {

std::string config_of(const std::string& deployment) {
  return python_json(container_config(parse_python_json(deployment, "test").value_or_throw()));
}

TEST(DockerConfigTest, AnObjectAndYamlTextMeanTheSame) {
  EXPECT_EQ(config_of(R"({"config": {"a": {"image": "i"}}})"), R"({"a": {"image": "i"}})");
  EXPECT_EQ(config_of(R"({"config": "a:\n  image: i\n  detach: no\n"})"), R"({"a": {"image": "i", "detach": false}})");
}

TEST(DockerConfigTest, NothingIsNothingAndOtherFormsAreErrors) {
  EXPECT_EQ(config_of(R"({})"), "null");
  EXPECT_EQ(config_of(R"({"config": ""})"), "null");
  EXPECT_EQ(config_of(R"({"config": {}})"), "null");
  EXPECT_THROW((void)config_of(R"({"config": "- a\n"})"), Error);
  EXPECT_THROW((void)config_of(R"({"config": "a: ["})"), Error);
}

}  // namespace
}  // namespace hearth::agent
