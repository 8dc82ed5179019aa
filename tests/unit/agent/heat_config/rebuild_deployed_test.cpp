#include "agent/heat_config/rebuild_deployed.hpp"

#include "base/error.hpp"
#include "tests/unit/agent/heat_config/hooks/hook_fixture.hpp"

namespace hearth::agent {
namespace {

TEST_F(HookTest, KnownDeploymentsCountAsRun) {
  env_["HEAT_CONFIG_DEPLOYED"] = "/d";
  files_.put("/d/ran.json", "{}");
  runner_.on(
      "os-apply-config", 0,
      R"([{"id": "ran", "group": "script"}, {"id": "new", "group": "script"}, {"id": "x", "group": "os-apply-config"},
                 {"id": "y", "group": "Heat::Ungrouped"}, {"id": "../z", "group": "script"}, 3])"
      "\n");
  EXPECT_EQ(rebuild_deployed({files_, runner_, log_, env_}), 0);
  EXPECT_EQ(files_.list("/d"), (std::vector<std::string>{"new.json", "ran.json"}));
  EXPECT_EQ(data("/d/ran.json"), "{}");
}

TEST_F(HookTest, WithoutMetadataNothingIsMarked) {
  env_["HEAT_CONFIG_DEPLOYED"] = "/d";
  EXPECT_THROW((void)rebuild_deployed({files_, runner_, log_, env_}), Error);
  runner_.on("os-apply-config", 0, "{}");
  EXPECT_THROW((void)rebuild_deployed({files_, runner_, log_, env_}), Error);
}

}  // namespace
}  // namespace hearth::agent
