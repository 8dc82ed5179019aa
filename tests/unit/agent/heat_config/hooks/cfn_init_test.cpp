#include "tests/unit/agent/heat_config/hooks/hook_fixture.hpp"

namespace hearth::agent {
namespace {

TEST_F(HookTest, TheConfigIsCfnInitsMetadata) {
  runner_.on("cfn-init", 0, "out");
  EXPECT_EQ(run("cfn-init", R"({"config": {"config": {"x": 1}}})"),
            R"({"deploy_stdout": "out", "deploy_stderr": "", "deploy_status_code": 0})");
  EXPECT_EQ(data("/var/cache/heat-cfntools/last_metadata"), R"({"AWS::CloudFormation::Init": {"config": {"x": 1}}})");
  EXPECT_EQ(mode("/var/cache/heat-cfntools/last_metadata"), 0700U);
  EXPECT_EQ(command(0), "cfn-init");
}

TEST_F(HookTest, ATextIsReadAsJson) {
  runner_.on("cfn-init", 0);
  env_["HEAT_CFN_INIT_LAST_METADATA_DIR"] = "/d";
  (void)run("cfn-init", R"({"config": "{\"a\": 1}"})");
  EXPECT_EQ(data("/d/last_metadata"), R"({"AWS::CloudFormation::Init": {"a": 1}})");
}

}  // namespace
}  // namespace hearth::agent
