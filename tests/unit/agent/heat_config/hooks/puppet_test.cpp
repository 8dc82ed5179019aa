#include "tests/unit/agent/heat_config/hooks/hook_fixture.hpp"

namespace hearth::agent {
namespace {

class PuppetHookTest : public HookTest {
 protected:
  PuppetHookTest() { runner_.on("hostname", 0, "a.example\n"); }
};

TEST_F(PuppetHookTest, InputsAreFactsAndTheManifestIsApplied) {
  runner_.on("puppet", 2, "changed\n");
  EXPECT_EQ(run("puppet", R"({"id": "i", "name": "n", "config": "notify{x:}", "creation_time": "2026-01-02T03:04:05",
                              "inputs": [{"name": "a", "value": 5}, {"name": "b"}], "options": null})"),
            R"({"deploy_stdout": "changed\n", "deploy_stderr": "", "deploy_status_code": 0})");
  EXPECT_EQ(command(1),
            "puppet apply --color false --detailed-exitcodes --logdest console "
            "/var/lib/heat-config/heat-config-puppet/i.pp");
  const Environment& env = *runner_.ran.at(1).env;
  EXPECT_EQ(env.at("FACTER_fqdn"), "a.example");
  EXPECT_EQ(env.at("FACTER_a"), "5");
  EXPECT_EQ(env.at("FACTER_b"), "");
  EXPECT_EQ(env.at("FACTER_heat_outputs_path"), "/var/run/heat-config/heat-config-puppet/i");
  EXPECT_EQ(mode("/var/lib/heat-config/heat-config-puppet/i.pp"), 0700U);
  EXPECT_EQ(data("/var/run/heat-config/deployed/2026-01-02-03-04-05-i-stdout.log"), "changed\n");
}

TEST_F(PuppetHookTest, WithHieraTheInputsAreADataFileAndFactsMayBeOff) {
  runner_.on("puppet", 0);
  (void)run("puppet", R"({"id": "i", "name": "n", "config": "", "inputs": [{"name": "a", "value": {"k": 1}}],
    "options": {"enable_hiera": true, "enable_facter": false, "modulepath": "/m", "tags": "t", "enable_debug": true,
    "enable_verbose": true}})");
  EXPECT_EQ(data("/etc/puppet/hieradata/heat_config_n.json"), R"({"a": {"k": 1}})");
  EXPECT_EQ(mode("/etc/puppet/hieradata/heat_config_n.json"), 0600U);
  const Environment& env = *runner_.ran.at(1).env;
  EXPECT_EQ(env.at("FACTER_deploy_config_name"), "n");
  EXPECT_EQ(env.count("FACTER_a"), 0U);
  EXPECT_NE(command(1).find("--modulepath /m --tags t --debug --logdest /var/log/puppet/heat-debug.log --verbose "
                            "--logdest /var/log/puppet/heat-verbose.log /var"),
            std::string::npos);
}

TEST_F(PuppetHookTest, FailureAndAbsenceOfPuppetAreFailures) {
  runner_.on("puppet", 4);
  EXPECT_NE(run("puppet", R"({"id": "i"})").find("\"deploy_status_code\": 4"), std::string::npos);
  env_["HEAT_PUPPET_CMD"] = "no-puppet";
  const std::string answer = run("puppet", R"({"id": "i"})");
  EXPECT_NE(answer.find("no-puppet is not installed on this machine"), std::string::npos);
  EXPECT_NE(answer.find("\"deploy_status_code\": 127"), std::string::npos);
}

}  // namespace
}  // namespace hearth::agent
