#include "metadata/live/upload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "metadata/live/heat_blueprint.hpp"

namespace hearth::metadata::live {
namespace {

class UploadTest : public testing::Test {
 protected:
  UploadTest() {
    write("top.yaml",
          "heat_template_version: 2018-08-31\nparameters: {n: {type: number, default: 1}}\nresources:\n"
          "  g: {type: OS::Heat::ResourceGroup, properties: {count: {get_param: n}, resource_def: {type: My::Node}}}\n"
          "  direct: {type: sub/node.yaml}\n"
          "  members: {type: OS::Heat::ResourceGroup, properties: {count: 1, resource_def: {type: sub/node.yaml}}}\n");
    write("sub/node.yaml",
          "heat_template_version: 2018-08-31\nresources:\n"
          "  c: {type: OS::Heat::SoftwareConfig, properties: {group: script, config: {get_file: run.sh}}}\n");
    write("sub/run.sh", "echo hi\n");
    write("env.yaml", "resource_registry: {My::Node: sub/node.yaml}\n");
  }
  void write(const std::string& name, const std::string& text) {
    const fs::path path = directory_.path() / name;
    fs::create_directories(path.parent_path());
    files_.write(path, text, {});
  }
  [[nodiscard]] UploadRequest request() const {
    return {"s", directory_.path() / "top.yaml", {directory_.path() / "env.yaml"}, {"n=2"}};
  }
  TempDir directory_ = TempDir::create("/tmp", "upload-");
  RealFileSystem files_;
};

TEST_F(UploadTest, HasAllFilesThatTheTemplateReachesAndIsTakenByTheServer) {
  const Json body = make_upload(request(), files_);
  EXPECT_EQ(body["files"].size(), 3U) << body["files"].dump(1);
  EXPECT_EQ(body["parameters"]["n"], "2");
  StackDefinition definition{"s", "11111111-2222-4333-8444-555555555555", "admin", body};
  const auto blueprint = HeatBlueprintMaker("secret").make(definition);
  EXPECT_EQ(blueprint->stack("g").resources.size(), 2U);
  EXPECT_EQ(blueprint->stack("direct").resources.size(), 1U);
  EXPECT_EQ(blueprint->properties("g.1.c")["config"], "echo hi\n");
}

TEST_F(UploadTest, WhatATemplateNamesThatIsDataComesAlong) {
  write("data.yaml",
        "heat_template_version: 2018-08-31\nresources:\n"
        "  v: {type: OS::Heat::Value, properties: {value: {get_file: sub/inner.yaml}}}\n");
  write("sub/inner.yaml",
        "heat_template_version: 2018-08-31\nresources:\n"
        "  c: {type: OS::Heat::SoftwareConfig, properties: {config: {get_file: run.sh}}}\n  n: {type: other.yaml}\n");
  write("sub/other.yaml", "heat_template_version: 2018-08-31\n");
  const Json body = make_upload({"s", directory_.path() / "data.yaml", {}, {}}, files_);
  for (const char* name : {"sub/inner.yaml", "sub/run.sh", "sub/other.yaml"})
    EXPECT_TRUE(body["files"].contains((directory_.path() / name).string())) << name << body["files"].dump(1);
}

TEST_F(UploadTest, WithRolesTheTreeInJinjaIsRenderedAsItIsRead) {
  write("tree/network_data.yaml", "[]\n");
  write("tree/top.j2.yaml",
        "heat_template_version: 2018-08-31\nresources:\n{% for role in roles %}  {{role.name}}: {type: "
        "{{role.name.lower()}}-node.yaml}\n{% endfor %}");
  write("tree/node.role.j2.yaml",
        "heat_template_version: 2018-08-31\nresources:\n  s: {type: OS::Heat::DeployedServer}\n");
  write("roles.yaml", "[{name: Web}, {name: Data}]\n");
  UploadRequest request{"s", directory_.path() / "tree/top.j2.yaml", {}, {}};
  request.roles = directory_.path() / "roles.yaml";
  const Json body = make_upload(request, files_);
  EXPECT_EQ(body["template"]["resources"].size(), 2U) << body.dump(1);
  EXPECT_TRUE(body["files"].contains((directory_.path() / "tree/web-node.yaml").string())) << body.dump(1);
  StackDefinition definition{"s", "11111111-2222-4333-8444-555555555555", "admin", body};
  EXPECT_EQ(HeatBlueprintMaker("secret").make(definition)->stack("Data").resources.size(), 1U);
}

TEST_F(UploadTest, AMissingFileOrABadParameterIsToldBeforeAnythingIsSent) {
  UploadRequest bad = request();
  bad.parameters = {"n"};
  EXPECT_THROW((void)make_upload(bad, files_), Error);
  files_.remove(directory_.path() / "sub/run.sh");
  EXPECT_THROW((void)make_upload(request(), files_), Error);
}

TEST_F(UploadTest, AllMistakesOfItsTemplatesAreToldAtOnce) {
  write("sub/node.yaml",
        "heat_template_version: 2018-08-31\nresources:\n"
        "  c: {type: OS::Heat::SoftwareConfig, properties: {grup: script}}\n"
        "  d: {type: OS::Heat::SoftwareConfg}\n");
  try {
    (void)make_upload(request(), files_);
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.story(), testing::StartsWith("2 mistakes:\n"));
    EXPECT_THAT(error.story(), testing::HasSubstr("sub/node.yaml:3:52: "));
    EXPECT_THAT(error.story(), testing::HasSubstr("sub/node.yaml:4:13: "));
    EXPECT_THAT(error.story(), testing::HasSubstr("Did you mean OS::Heat::SoftwareConfig?"));
  }
}

TEST(Changes, AreParametersOnly) {
  UploadRequest request;
  request.name = "web";
  request.parameters = {"listen=9090"};
  EXPECT_EQ(make_changes(request), Json::parse(R"({"stack_name": "web", "parameters": {"listen": "9090"}})"));
}

}  // namespace
}  // namespace hearth::metadata::live
