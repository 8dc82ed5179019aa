#include "tests/unit/agent/heat_config/hooks/hook_fixture.hpp"

namespace hearth::agent {
namespace {

constexpr const char* k_working = "/var/lib/heat-config/heat-config-ansible";

TEST_F(HookTest, ThePlaybookRunsOnThisMachineWithTheInputsAsVariables) {
  runner_.on("ansible-playbook", 0, "ok");
  files_.put("/var/run/heat-config/heat-config-ansible/i.res", "value");
  EXPECT_EQ(run("ansible", R"({"id": "i", "config": "- hosts: all", "options": null, "outputs": [{"name": "res"}],
                               "inputs": [{"name": "a", "value": [1]}, {"name": "b"}]})"),
            R"({"res": "value", "deploy_stdout": "ok", "deploy_stderr": "", "deploy_status_code": 0})");
  EXPECT_EQ(command(0), cat("ansible-playbook -i localhost, ", k_working, "/i_playbook.yaml --extra-vars @", k_working,
                            "/i_variables.json"));
  EXPECT_EQ(data(cat(k_working, "/i_variables.json")),
            R"({"heat_config_id": "i", "a": [1], "b": "", )"
            R"("heat_outputs_path": "/var/run/heat-config/heat-config-ansible/i"})");
  EXPECT_EQ(mode(cat(k_working, "/i_playbook.yaml")), 0600U);
}

TEST_F(HookTest, AnsibleOptionsReachTheCommandLine) {
  runner_.on("ansible-playbook", 0);
  (void)run("ansible", R"({"id": "i", "config": "x", "options": {"tags": "t", "skip_tags": "s", "modulepath": "/m",
                           "inventory": "inv", "callback_plugins": "/cb"}})");
  EXPECT_NE(command(0).find(cat("-i ", k_working, "/inv --module-path /m --skip-tags s --tags t ", k_working)),
            std::string::npos);
  EXPECT_EQ(runner_.ran.at(0).env->at("ANSIBLE_CALLBACK_PLUGINS"), "/cb");
}

TEST_F(HookTest, AnEmptyPlaybookIsDoneAtOnceAndAMissingAnsibleIsAFailure) {
  EXPECT_EQ(run("ansible", R"({"id": "i", "config": ""})"),
            R"({"deploy_stdout": "", "deploy_stderr": "", "deploy_status_code": 0})");
  EXPECT_NE(run("ansible", R"({"id": "i", "config": "x"})").find("ansible-playbook is not installed"),
            std::string::npos);
}

}  // namespace
}  // namespace hearth::agent
