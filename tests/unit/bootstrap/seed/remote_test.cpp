#include "bootstrap/seed/remote.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::bootstrap {
namespace {

TEST(Remote, runsByOpensshWithoutQuestionsAndWithWordsThatStayWords) {
  fakes::ScriptedRunner runner;
  runner.on("ssh", 0, "out");
  const Remote remote("root", {"IdentityFile=key"}, runner);
  EXPECT_EQ(remote.run("192.0.2.11", {"hearth", "a b"}), "out");
  EXPECT_EQ(
      join(runner.ran.at(0).argv, "|"),
      "ssh|-o|BatchMode=yes|-o|ConnectTimeout=30|-o|ServerAliveInterval=15|-o|IdentityFile=key|root@192.0.2.11|--|"
      "hearth 'a b'");
}

TEST(Remote, copiesFilesToAFolder) {
  fakes::ScriptedRunner runner;
  runner.on("scp", 0);
  const Remote remote("root", {}, runner);
  remote.copy("2001:db8::1", {"a", "b"}, "/x");
  const std::vector<std::string>& argv = runner.ran.at(0).argv;
  EXPECT_EQ(join(std::vector<std::string>(argv.end() - 4, argv.end()), "|"), "-q|a|b|root@[2001:db8::1]:/x/");
}

TEST(Remote, tellsAMachineThatCannotBeReachedFromACommandThatFailed) {
  fakes::ScriptedRunner runner;
  const Remote remote("root", {}, runner);
  const auto story = [&](int code, const std::string& said) -> std::string {
    runner.on("ssh", [=](const Command&) { return CommandResult{Exited{code}, "", said}; });
    try {
      return remote.run("192.0.2.11", {"true"});
    } catch (const Error& error) {
      return error.story();
    }
  };
  const std::string unreachable = story(255, "Permission denied (publickey).\n");
  EXPECT_NE(unreachable.find("ssh to root@192.0.2.11: Permission denied (publickey)."), std::string::npos);
  EXPECT_NE(unreachable.find("with a key"), std::string::npos);
  EXPECT_NE(story(1, "hearth: no").find("on 192.0.2.11: hearth: no"), std::string::npos);
  EXPECT_NE(story(3, "").find("exit code 3"), std::string::npos);
}

}  // namespace
}  // namespace hearth::bootstrap
