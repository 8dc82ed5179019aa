#include "agent/heat_config/hooks/hooks.hpp"

#include <algorithm>

#include "base/sys/heat_hooks.hpp"
#include "tests/unit/agent/heat_config/hooks/hook_fixture.hpp"

namespace hearth::agent {
namespace {

TEST_F(HookTest, SaltAndKubeletFailAndSayWhatToDoInstead) {
  for (const char* name : {"salt", "kubelet"}) {
    const std::string answer = run(name, R"({"id": "i", "config": "x"})");
    EXPECT_NE(answer.find("not supported"), std::string::npos) << answer;
    EXPECT_NE(answer.find("\"deploy_status_code\": 1"), std::string::npos) << answer;
  }
}

TEST_F(HookTest, WhatOthersTakeForTheAgentsHooksAreThoseThatDoSomething) {
  for (const Hook& hook : hooks()) {
    const std::vector<std::string>& told = agents_hooks();
    const bool is_told = std::find(told.begin(), told.end(), hook.name) != told.end();
    EXPECT_EQ(is_told, hook.name != std::string("salt") && hook.name != std::string("kubelet")) << hook.name;
  }
  for (const std::string& name : agents_hooks()) EXPECT_NE(find_hook(name), nullptr) << name;
}

TEST_F(HookTest, EveryHookIsFoundByItsName) {
  for (const Hook& hook : hooks()) EXPECT_EQ(find_hook(hook.name), &hook);
  EXPECT_EQ(find_hook("other"), nullptr);
}

}  // namespace
}  // namespace hearth::agent
