#include "agent/collect/round.hpp"

#include <gmock/gmock.h>

#include <csignal>

#include "tests/unit/agent/collect/source_fixture.hpp"

namespace hearth::agent {
namespace {

using testing::Contains;
using testing::ElementsAre;

class RoundTest : public SourceFixture {
 protected:
  std::vector<Collected> all(const std::vector<std::string>& names, const std::string& config) {
    const Settings settings(parse_ini(config, "test").value_or_throw(), {}, {});
    return collect_all(names, {settings, files_, runner_, http_, clock_, log_, once_, tokens_, messages_, 0});
  }
  StoredRound store(const std::vector<Collected>& found) { return store_round(found, cache_, "/b", log_); }
  Cache cache_{"/c", files_, log_};
};

TEST_F(RoundTest, SourcesComeInTheOrderAskedForAndMissingOnesAreTold) {
  files_.put("/l/x", "1");
  files_.put("/h", R"({"k": 1})");
  const std::string config = "[local]\npath=/l\n[heat_local]\npath=/h\n";
  const std::vector<Collected> found = all({"local", "heat_local", "request", "cfn"}, config);
  EXPECT_THAT(found, ElementsAre(Collected{"x", 1}, Collected{"heat_local", {{"k", 1}}}));
  EXPECT_THAT(log_.lines, Contains("WARNING Source [request] Unavailable."));
  EXPECT_THAT(log_.lines, Contains("DEBUG Source [cfn] Not configured."));
  (void)all({"request"}, "");
  EXPECT_EQ(log_.lines.back(), "DEBUG Source [request] Unavailable.");
}

TEST_F(RoundTest, TheReportIsOneObjectAndTheLaterOfTwoNamesWins) {
  EXPECT_EQ(report({{"a", 1}, {"b", Json::array()}, {"a", 2}}), "{\n \"a\": 2,\n \"b\": []\n}\n");
  EXPECT_EQ(report({}), "{}\n");
}

TEST_F(RoundTest, ChangesWriteTheListAndTheBackup) {
  const StoredRound round = store({{"a", 1}, {"b", 2}});
  EXPECT_THAT(round.paths, ElementsAre("/c/a.json", "/c/b.json"));
  EXPECT_THAT(round.changed, ElementsAre("a", "b"));
  EXPECT_TRUE(files_.read("/c/os_config_files.json"));
  EXPECT_EQ(files_.read("/b/a.json"), "1");
}

TEST_F(RoundTest, AnUnsafeNameIsRefusedAndTheRestGoesOn) {
  const StoredRound round = store({{"../../etc/x", 1}, {"a", 1}});
  EXPECT_THAT(round.paths, ElementsAre("/c/a.json"));
  EXPECT_EQ(files_.files.count("/etc/x.json"), 0U);
  EXPECT_THAT(log_.lines, Contains(testing::StartsWith("ERROR Refusing to store '../../etc/x'")));
}

TEST_F(RoundTest, ASuccessfulCommandCommits) {
  runner_.on("sh", 0);
  EXPECT_EQ(apply_round("make it so", store({{"a", 1}}), cache_, runner_, log_), 0);
  EXPECT_THAT(runner_.ran.at(0).argv, ElementsAre("/bin/sh", "-c", "make it so"));
  EXPECT_EQ(runner_.ran.at(0).env->at("OS_CONFIG_FILES"), "/c/a.json");
  EXPECT_TRUE(store({{"a", 1}}).changed.empty());
  EXPECT_THAT(log_.lines, Contains("INFO Executing make it so with OS_CONFIG_FILES=/c/a.json"));
}

TEST_F(RoundTest, AFailedCommandCommitsNothing) {
  runner_.on("sh", 3);
  EXPECT_EQ(apply_round("x", store({{"a", 1}}), cache_, runner_, log_), 3);
  EXPECT_THAT(store({{"a", 1}}).changed, ElementsAre("a"));
  EXPECT_THAT(log_.lines,
              Contains("ERROR Command failed, will not cache new data. Command 'x' returned non-zero exit status 3."));
}

TEST_F(RoundTest, AKilledOrUnstartableCommandIsAFailure) {
  runner_.on("sh", [](const Command&) { return CommandResult{Signaled{SIGKILL}, "", ""}; });
  EXPECT_EQ(apply_round("x", {}, cache_, runner_, log_), 137);
  EXPECT_THAT(log_.lines, Contains(testing::HasSubstr("died with <Signals.SIGKILL: 9>.")));
  fakes::ScriptedRunner none;
  EXPECT_EQ(apply_round("x", {}, cache_, none, log_), 127);
}

}  // namespace
}  // namespace hearth::agent
