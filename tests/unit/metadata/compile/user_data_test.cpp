#include "metadata/compile/user_data.hpp"

#include <gtest/gtest.h>

#include "metadata/model/value_text.hpp"
#include "metadata/resources/config_text.hpp"
#include "tests/unit/metadata/case_file.hpp"
#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

std::string data_of(const std::string& properties, const std::string& more = "") {
  const auto built = build({{"top.yaml",
                             "heat_template_version: 2018-08-31\nresources:\n  s: {type: OS::Nova::Server, properties: "
                             "{flavor: f, image: i, " +
                                 properties + "}}\n" + more}});
  const Value made = server_user_data(*built->root().find("s"), map_of({{"deployments", Value::list({})}}), {});
  return made.is_string() ? made.text() : made.is_waiting() ? "waits for " + made.events()[0].text() : "none";
}

std::size_t at(const std::string& text, const std::string& part) { return text.find(part); }

TEST(UserData, is_as_it_is_when_it_is_raw) {
  EXPECT_EQ(data_of("user_data_format: RAW, user_data: \"#!/bin/sh\\nexit\\n\""), "#!/bin/sh\nexit\n");
}

TEST(UserData, of_a_software_config_server_ends_with_its_metadata) {
  const std::string text = data_of("user_data_format: SOFTWARE_CONFIG, user_data: \"#!/bin/sh\\nexit 3\\n\"");
  const std::vector<std::string> parts = mime_parts(text);
  ASSERT_EQ(parts.size(), 5U);
  EXPECT_NE(at(parts[0], "Content-Type: text/cloud-config"), std::string::npos);
  EXPECT_NE(at(parts[1], "Content-Type: text/cloud-boothook"), std::string::npos);
  EXPECT_NE(at(parts[2], "Content-Type: text/part-handler"), std::string::npos);
  EXPECT_NE(at(parts[3], "#!/bin/sh\nexit 3\n"), std::string::npos);
  EXPECT_NE(at(parts[4], "Content-Type: text/x-cfninitdata"), std::string::npos);
  EXPECT_NE(at(parts[4], "filename=\"cfn-init-data\""), std::string::npos);
  EXPECT_NE(at(parts[4], R"({"deployments": []})"), std::string::npos);
}

TEST(UserData, of_the_default_format_is_run_by_a_part_of_its_own) {
  const std::string text = data_of("user_data: \"#!/bin/sh\\nexit 3\\n\"");
  for (const char* name : {"cfn-userdata", "run-user-data.sh", "cfn-metadata-server", "cfn-init-data"})
    EXPECT_NE(at(text, std::string("filename=\"") + name + "\""), std::string::npos) << name;
  EXPECT_NE(at(text, "http://127.0.0.1:8000/v1/"), std::string::npos);
}

TEST(UserData, that_is_multipart_gives_its_parts) {
  const std::string text =
      data_of("user_data_format: SOFTWARE_CONFIG, user_data: {get_resource: all}",
              "  all: {type: OS::Heat::MultipartMime, properties: {parts: [{config: {get_resource: one}}, {config: "
              "{get_resource: two}, filename: two.sh}]}}\n"
              "  one: {type: OS::Heat::CloudConfig, properties: {cloud_config: {hostname: node}}}\n"
              "  two: {type: OS::Heat::SoftwareConfig, properties: {config: \"#!/bin/sh\\n\"}}\n");
  const std::vector<std::string> parts = mime_parts(text);
  ASSERT_EQ(parts.size(), 6U);
  EXPECT_NE(at(parts[3], "#cloud-config\nhostname: node\n"), std::string::npos);
  EXPECT_NE(at(parts[4], "filename=\"two.sh\""), std::string::npos);
}

TEST(UserData, of_ignition_gets_files_in_its_storage) {
  const Value made = parse_json_value(data_of("user_data_format: SOFTWARE_CONFIG, user_data: "
                                              "'{\"ignition\": {\"version\": \"3.0.0\"}, \"passwd\": {}}'"),
                                      "made")
                         .value_or_throw();
  const std::vector<Value> files = of(of(made, "storage"), "files").items();
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(of(files[0], "path").text(), "/var/lib/heat-cfntools/cfn-init-data");
  EXPECT_EQ(of(of(files[0], "contents"), "source").text(), "data:,%7B%22deployments%22%3A%20%5B%5D%7D");
  EXPECT_NE(made.find("passwd"), nullptr);
}

TEST(UserData, waits_for_what_it_is_made_of_and_is_for_machines_only) {
  EXPECT_EQ(data_of("user_data_format: RAW, user_data: {get_attr: [w, data]}",
                    "  h: {type: OS::Heat::WaitConditionHandle}\n"
                    "  w: {type: OS::Heat::WaitCondition, properties: {handle: {get_resource: h}, timeout: 9}}\n"),
            "waits for w.data");
  const auto built = build({{"top.yaml",
                             "heat_template_version: 2018-08-31\nresources:\n  s: {type: "
                             "OS::Heat::DeployedServer}\n"}});
  EXPECT_TRUE(server_user_data(*built->root().find("s"), Value::map({}), {}).is_null());
}

}  // namespace
}  // namespace hearth::metadata
