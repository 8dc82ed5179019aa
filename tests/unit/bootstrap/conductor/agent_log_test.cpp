#include "bootstrap/conductor/agent_log.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::bootstrap {
namespace {

/// As tar makes it of these files, in this order.
std::string packed(const std::vector<std::pair<std::string, std::string>>& files) {
  const TempDir work = TempDir::create("/tmp", "agent-log.");
  Command tar{.argv = {"tar", "-C", work.path().string(), "-czf", "-"}};
  for (const auto& [name, text] : files) {
    RealFileSystem().write(work.path() / name, text, {});
    tar.argv.push_back(name);
  }
  const SystemClock clock;
  RealRunner runner(clock);
  return run_checked(runner, tar);
}

TEST(AgentLog, itsFilesStandOneAfterTheOtherEachUnderItsName) {
  EXPECT_EQ(agent_log_text(packed({{"hearth-agent.log", "one\ntwo\n"}, {"dmesg", "no end"}})),
            "==> hearth-agent.log <==\none\ntwo\n==> dmesg <==\nno end\n");
  EXPECT_EQ(agent_log_text(packed({{"a", "red \x1b[31m\ttab\n"}})), "==> a <==\nred  [31m\ttab\n") << "no escapes";
}

TEST(AgentLog, ofALongFileTheEndIsKept) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string kept = agent_log_text(packed({{"journal", text}}));
  EXPECT_LT(kept.size(), 300U << 10U);
  EXPECT_EQ(kept.substr(0, 25).find("==> journal <==\nline "), 0U);
  EXPECT_NE(kept.find("line 99999\n"), std::string::npos);
}

TEST(AgentLog, whatIsNoArchiveIsToldAndABombDoesNotGoOff) {
  EXPECT_NE(agent_log_text("nonsense").find("can't be read"), std::string::npos);
  EXPECT_NE(agent_log_text("").find("==>"), 1U);
  const std::string whole = packed({{"a", std::string(200000, 'x')}, {"b", "y"}});
  EXPECT_NE(agent_log_text(std::string_view(whole).substr(0, whole.size() / 2)).find("can't be read"),
            std::string::npos);
  const std::string bomb = packed({{"zeros", std::string(20U << 20U, 0)}});
  EXPECT_LT(agent_log_text(bomb).size(), 1U << 20U);
}

}  // namespace
}  // namespace hearth::bootstrap
