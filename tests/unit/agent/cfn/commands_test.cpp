#include "agent/cfn/init.hpp"
#include "base/error.hpp"
#include "tests/unit/agent/cfn/cfn_fixture.hpp"

namespace hearth::agent {
namespace {

class CfnCommandsTest : public CfnTest {
 protected:
  CfnCommandsTest() {
    runner_.on("sh", [](const Command& command) {
      return CommandResult{Exited{command.argv.back() == "false" ? 1 : 0}, "", ""};
    });
    runner_.on("program", 0);
  }
};

TEST_F(CfnCommandsTest, TheyRunByNameThroughTheShellOrDirectly) {
  files_.make_directories("/root/d", 0755);
  apply_commands(
      json(R"({"b": {"command": ["program", "a b", 3]}, "a": {"command": "echo $X", "cwd": "~/d", "env": {"X": 1}}})"),
      world());
  EXPECT_EQ(commands(), (Words{"/bin/sh -c echo $X", "program a b 3"}));
  EXPECT_EQ(runner_.ran[0].cwd.string(), "/root/d");
  EXPECT_EQ(runner_.ran[0].env, (Environment{{"X", "1"}}));
  EXPECT_EQ(runner_.ran[1].env, env_);
}

TEST_F(CfnCommandsTest, ATestOrAMissingDirectorySkipsACommand) {
  apply_commands(json(R"({"a": {"command": "x", "test": "false"}, "b": {"command": "y", "cwd": "/none"}, "c": {},
                          "d": {"command": "z", "test": "true"}})"),
                 world());
  EXPECT_EQ(commands(), (Words{"/bin/sh -c false", "/bin/sh -c true", "/bin/sh -c z"}));
  EXPECT_TRUE(log_.holds("c has failed. 'command' property missing"));
}

TEST_F(CfnCommandsTest, AFailureEndsTheRunUnlessItIsIgnored) {
  apply_commands(json(R"({"a": {"command": "false", "ignoreErrors": "true"}, "b": {"command": "x"}})"), world());
  EXPECT_EQ(runner_.ran.size(), 2U);
  EXPECT_THROW(apply_commands(json(R"({"a": {"command": "false"}, "b": {"command": "x"}})"), world()), Error);
  EXPECT_EQ(runner_.ran.size(), 3U);
  EXPECT_THROW(apply_commands(json(R"({"a": {"command": ["no-such-program"]}})"), world()), Error);
}

}  // namespace
}  // namespace hearth::agent
