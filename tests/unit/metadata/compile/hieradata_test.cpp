#include "metadata/compile/hieradata.hpp"

#include <gtest/gtest.h>

#include <map>

#include "metadata/model/fault.hpp"
#include "metadata/model/json_reader.hpp"

namespace hearth::metadata {
namespace {

std::map<std::string, std::string> files(const std::string& document) {
  std::map<std::string, std::string> all;
  for (const auto& [name, text] : hiera_files(parse_json_value(document, "document").value_or_throw()))
    all[name] = text;
  return all;
}

TEST(Hieradata, has_the_data_files_of_the_hook_and_their_order) {
  const auto all = files(R"({"deployments": [
    {"name": "A", "group": "hiera", "config": {"hierarchy": ["role", "all"], "datafiles": {"role": {"a::b": [1]}}}},
    {"name": "B", "group": "script", "config": "echo"}]})");
  EXPECT_EQ(all.size(), 2U);
  EXPECT_EQ(all.at("hieradata/role.json"), "{\n  \"a::b\": [\n    1\n  ]\n}\n");
  EXPECT_NE(all.at("hiera.yaml").find(":hierarchy:\n  - \"role\"\n  - \"all\"\n"), std::string::npos);
}

TEST(Hieradata, has_raw_and_mapped_data_of_os_apply_config) {
  const auto all = files(R"({"deployments": [{"name": "A", "group": "os-apply-config", "config": {"hiera": {
    "hierarchy": ["common"], "datafiles": {"common": {"raw_data": "x: 1", "mapped_data": {"k::l": {"m": "n"}}}}}}}]})");
  EXPECT_EQ(all.at("hieradata/common.yaml"), "x: 1\n\"k::l\": {\"m\": \"n\"}\n");
}

TEST(Hieradata, is_one_file_where_a_map_has_no_data_files) {
  const auto all = files(R"({"deployments": [
    {"name": "HieraDeployment", "group": "hiera", "config": {"hieradata": {"a": 1}}}]})");
  EXPECT_EQ(all.at("hieradata/HieraDeployment.json"), "{\n  \"a\": 1\n}\n");
  EXPECT_NE(all.at("hiera.yaml").find("  - \"HieraDeployment\"\n"), std::string::npos);
}

TEST(Hieradata, is_nothing_without_such_deployments_and_stays_in_its_directory) {
  EXPECT_TRUE(files(R"({"deployments": [{"name": "B", "group": "script", "config": "echo"}]})").empty());
  for (const char* name : {"../../x", "/x", "a//b", ""}) {
    EXPECT_THROW(files(std::string(R"({"deployments": [{"name": "A", "group": "hiera", "config": {"datafiles": {")") +
                       name + R"(": {}}}}]})"),
                 Fault)
        << name;
  }
}

}  // namespace
}  // namespace hearth::metadata
