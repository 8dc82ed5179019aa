#include "tests/unit/agent/heat_config/hooks/hook_fixture.hpp"

namespace hearth::agent {
namespace {

TEST_F(HookTest, OsApplyConfigRunsWithoutArguments) {
  runner_.on("os-apply-config", 1, "out");
  EXPECT_EQ(run("apply-config", "{}"), R"({"deploy_stdout": "out", "deploy_stderr": "", "deploy_status_code": 1})");
  EXPECT_EQ(command(0), "os-apply-config");
}

}  // namespace
}  // namespace hearth::agent
