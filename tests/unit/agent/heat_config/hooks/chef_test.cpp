#include "tests/unit/agent/heat_config/hooks/hook_fixture.hpp"

namespace hearth::agent {
namespace {

constexpr const char* k_chef_working = "/var/lib/heat-config/heat-config-chef";

class ChefHookTest : public HookTest {
 protected:
  ChefHookTest() {
    runner_.on("hostname", 0, "a.example\n");
    runner_.on("chef-client", 0, "done");
    runner_.on("git", 0);
    runner_.on("rm", 0);
  }
};

TEST_F(ChefHookTest, NodeAndClientConfigurationAreWrittenAndChefClientRuns) {
  EXPECT_EQ(run("chef", R"({"id": "i", "config": "[\"recipe[x]\"]", "options": null, "outputs": null, "inputs": [
      {"name": "deploy_action", "value": "CREATE"}, {"name": "environment", "value": "prod"}, {"name": "a", "value": {"b": 1}}]})"),
            R"({"deploy_stdout": "done", "deploy_stderr": "", "deploy_status_code": 0})");
  EXPECT_EQ(command(1),
            cat("chef-client -z --config ", k_chef_working, "/client.rb -j ", k_chef_working, "/node/a.example.json"));
  EXPECT_EQ(runner_.ran.at(1).env->at("heat_outputs_path"), "/var/run/heat-config/heat-config-chef/i");
  EXPECT_EQ(data(cat(k_chef_working, "/node/a.example.json")),
            "{\n    \"a\": {\n        \"b\": 1\n    },\n    \"run_list\": [\n        \"recipe[x]\"\n    ]\n}");
  EXPECT_EQ(
      data(cat(k_chef_working, "/client.rb")),
      cat("log_level :debug\nlog_location STDOUT\nlocal_mode true\nchef_zero.enabled true\ncookbook_path '",
          k_chef_working, "/kitchen/cookbooks'\nrole_path '", k_chef_working, "/kitchen/roles'\nenvironment_path '",
          k_chef_working, "/kitchen/environments'\nenvironment 'prod'\nnode_path '", k_chef_working, "/node'"));
  EXPECT_EQ(mode(cat(k_chef_working, "/client.rb")), 0600U);
}

TEST_F(ChefHookTest, AKitchenIsClonedAndOnUpdatesAnew) {
  (void)run("chef",
            R"({"id": "i", "config": "[]", "options": {"kitchen": "https://example.test/k", "kitchen_path": "/k"},
                        "inputs": [{"name": "deploy_action", "value": "UPDATE"}]})");
  EXPECT_EQ(command(0), "rm -rf --one-file-system -- /k");
  EXPECT_EQ(command(1), "git clone https://example.test/k /k");
}

TEST_F(ChefHookTest, AFailedCloneIsTheAnswer) {
  runner_.on("git", 128);
  EXPECT_EQ(run("chef", R"({"id": "i", "config": "[]", "options": {"kitchen": "x"}})"),
            R"({"deploy_stdout": "", "deploy_stderr": "", "deploy_status_code": 128})");
  EXPECT_EQ(runner_.ran.size(), 1U);
}

}  // namespace
}  // namespace hearth::agent
