#include "builder/vm/image_boot.hpp"

#include <gmock/gmock.h>

#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tests/fakes/scripted_runner.hpp"
#include "tests/unit/builder/vm/fake_qemu.hpp"

namespace hearth::builder::vm {
namespace {

using testing::HasSubstr;

/// Passes at its third look, or says at the first that it never will.
class ThirdTime final : public GuestCheck {
 public:
  explicit ThirdTime(bool hopeless = false, std::uint16_t port = 80) : hopeless_(hopeless), guest_(port) {}
  [[nodiscard]] std::string text() const override { return "third time"; }
  [[nodiscard]] std::uint16_t guest_port() const override { return guest_; }
  [[nodiscard]] Outcome look(const Deadline&) override {
    if (hopeless_) return {true, {{text(), Verdict::Outcome::failed, "exit code 3: it is broken"}}};
    if (++looks_ < 3) return {false, {{text(), Verdict::Outcome::failed, "not yet"}}};
    return {true, {{text(), Verdict::Outcome::passed, cat("port is there: ", port_ != 0)}}};
  }

 private:
  bool hopeless_;
  std::uint16_t guest_;
  int looks_ = 0;
};

class ImageBootTest : public FakeQemu {
 protected:
  GuestChecks checks_;
  BootReport boot(const std::string& script, const std::vector<std::string>& expectations,
                  Duration limit = std::chrono::seconds(20)) {
    return test_image({.program = program(script), .image = "image"}, expectations, checks_,
                      Deadline::after(limit, clock_), work_.path(), clock_, patience_,
                      [this](const std::string& line) { told_.push_back(line); });
  }
  SshPatience patience_;
  std::vector<std::string> told_;
};

TEST_F(ImageBootTest, AMachineThatSaysWhatIsExpectedPassesAndIsKilled) {
  const BootReport report = boot("echo Linux version 6; printf 'vm login: '; sleep 60", {"Linux", "login: $"});
  EXPECT_TRUE(report.passed) << report.text();
  EXPECT_EQ(report.seen.size(), 2U);
  EXPECT_THAT(report.text(), HasSubstr("s  Linux version 6\n"));
  EXPECT_FALSE(still_runs());
}

TEST_F(ImageBootTest, WhatIsWaitedForIsTold) {
  checks_.push_back(std::make_unique<ThirdTime>());
  EXPECT_TRUE(boot("echo Linux; sleep 0.2; echo up; sleep 60", {"Linux", "up"}).passed);
  ASSERT_EQ(told_.size(), 3U);
  EXPECT_THAT(told_[0], HasSubstr(" s: waiting for 'Linux' on the console"));
  EXPECT_THAT(told_[1], HasSubstr(" s: waiting for 'up' on the console; console: Linux"));
  EXPECT_THAT(told_[2], HasSubstr(" s: waiting for third time; console: up"));
}

TEST_F(ImageBootTest, APanicEndsTheWaitAtOnce) {
  const BootReport report = boot("echo Kernel panic - not syncing; sleep 60", {"login: $"});
  EXPECT_FALSE(report.passed);
  EXPECT_THAT(report.reason, HasSubstr("the kernel panicked"));
  EXPECT_LT(report.took, std::chrono::seconds(10));
  EXPECT_FALSE(still_runs());
}

TEST_F(ImageBootTest, TheDeadlineTellsWhatWasNotSeenAndTheLastLines) {
  const BootReport report = boot("echo one; echo two; sleep 60", {"one", "three"}, std::chrono::milliseconds(700));
  EXPECT_EQ(report.reason, "the deadline passed");
  EXPECT_EQ(report.missing, "three");
  EXPECT_THAT(report.last_lines, testing::ElementsAre("one", "two"));
  EXPECT_THAT(report.text(), HasSubstr("not seen: three"));
  EXPECT_FALSE(still_runs());
}

TEST_F(ImageBootTest, AMachineThatEndsEarlyIsToldFromADeadline) {
  EXPECT_EQ(boot("echo bye", {"login"}).reason, "the machine ended");
}

TEST_F(ImageBootTest, ChecksAreMadeWhenAllWasSeenUntilTheyPass) {
  checks_.push_back(std::make_unique<ThirdTime>());
  const BootReport report = boot("echo up; echo \"$@\" > " + (work_.path() / "argv").string() + "; sleep 60", {"up"});
  EXPECT_TRUE(report.passed) << report.text();
  EXPECT_THAT(report.text(), HasSubstr("s  third time: port is there: 1\n"));
  EXPECT_THAT(read_file(work_.path() / "argv"), testing::ContainsRegex("restrict=on,hostfwd=tcp:127.0.0.1:[0-9]+-:80"));
  EXPECT_FALSE(still_runs());
}

/// Finds nobody at the guest's port 22, ever.
class NoWayIn final : public GuestCheck {
 public:
  [[nodiscard]] std::string text() const override { return "run true"; }
  [[nodiscard]] std::uint16_t guest_port() const override { return 22; }
  [[nodiscard]] Outcome look(const Deadline&) override {
    return {false, {{text(), Verdict::Outcome::unanswered, "nothing answers"}}, true};
  }
};

TEST_F(ImageBootTest, WhereNobodyGetsInItIsToldSoonAndNotWaitedForForEver) {
  patience_ = {std::chrono::milliseconds(100), std::chrono::milliseconds(900)};
  checks_.push_back(std::make_unique<NoWayIn>());
  testing::internal::CaptureStderr();
  const BootReport report = boot("printf 'vm login: '; sleep 60", {});
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("the system asks for a log-in, and nothing answers; waiting"));
  EXPECT_EQ(report.reason, "nothing answers");
  EXPECT_EQ(report.exit_code(), 3) << "it came up, and lets nobody in";
  EXPECT_THAT(report.junit("x"), HasSubstr("failures=\"1\" errors=\"0\""));
  EXPECT_LT(report.took, std::chrono::seconds(10));
  EXPECT_FALSE(still_runs());
}

TEST_F(ImageBootTest, ASystemThatHasNotComeUpYetIsWaitedFor) {
  patience_ = {std::chrono::milliseconds(10), std::chrono::milliseconds(20)};
  checks_.push_back(std::make_unique<NoWayIn>());
  const BootReport report = boot("echo booting; sleep 60", {}, std::chrono::seconds(2));
  EXPECT_EQ(report.reason, "the deadline passed");
  EXPECT_EQ(report.exit_code(), 4);
  EXPECT_THAT(report.junit("x"), HasSubstr("failures=\"0\" errors=\"1\""));
}

TEST_F(ImageBootTest, ChecksOfOnePortShareOneWayThere) {
  for (int i = 0; i < 300; ++i) checks_.push_back(std::make_unique<ThirdTime>(true));
  boot("echo \"$@\" > " + (work_.path() / "argv").string() + "; echo up; sleep 60", {"up"}, std::chrono::seconds(1));
  const std::string argv = read_file(work_.path() / "argv");
  EXPECT_EQ(argv.find("hostfwd="), argv.rfind("hostfwd="));
  for (std::uint16_t port = 1000; port < 1300; ++port) checks_.push_back(std::make_unique<ThirdTime>(true, port));
  EXPECT_THROW(boot("echo up", {"up"}), Error);
}

TEST_F(ImageBootTest, ACheckThatNeverPassesIsToldWithWhatCame) {
  checks_.push_back(std::make_unique<ThirdTime>(true));
  const BootReport hopeless = boot("echo up; sleep 60", {"up"});
  EXPECT_EQ(hopeless.reason, "exit code 3: it is broken");
  EXPECT_EQ(hopeless.missing, "third time");
  checks_[0] = std::make_unique<ThirdTime>();
  EXPECT_EQ(boot("echo up; sleep 60", {"up"}, std::chrono::milliseconds(300)).reason, "the deadline passed; not yet");
  checks_[0] = std::make_unique<ThirdTime>();
  EXPECT_EQ(boot("echo Kernel panic - not syncing; sleep 60", {}).missing, "third time");
}

/// Answers once, then no more.
class FallsSilent final : public GuestCheck {
 public:
  explicit FallsSilent(bool answers) : answers_(answers) {}
  [[nodiscard]] std::string text() const override { return "2 checks inside"; }
  [[nodiscard]] std::uint16_t guest_port() const override { return 22; }
  [[nodiscard]] std::vector<Verdict> unanswered(const std::string& why) const override {
    return {{"service nginx", Verdict::Outcome::unanswered, why}, {"file /a", Verdict::Outcome::unanswered, why}};
  }
  [[nodiscard]] Outcome look(const Deadline&) override {
    if (!std::exchange(answers_, false))
      return {false, {{"log in by ssh", Verdict::Outcome::unanswered, "nothing answers: add an element"}}, true, true};
    return {false,
            {{"service nginx", Verdict::Outcome::failed, "is failed"}, {"file /a", Verdict::Outcome::passed, "there"}}};
  }

 private:
  bool answers_;
};

TEST_F(ImageBootTest, OneAnswerIsASignOfLifeAndWhatNobodyCameToAskIsNotKnown) {
  checks_.push_back(std::make_unique<ThirdTime>(true));
  checks_.push_back(std::make_unique<NoWayIn>());
  const BootReport report = boot("sleep 60", {}, std::chrono::seconds(2));
  EXPECT_EQ(report.exit_code(), 3) << report.text();
  EXPECT_THAT(report.text(), HasSubstr("FAILED  run true: nothing answers"));
  checks_.clear();
  checks_.push_back(std::make_unique<ThirdTime>(true));
  checks_.push_back(std::make_unique<FallsSilent>(false));
  EXPECT_THAT(boot("sleep 60", {}, std::chrono::seconds(2)).junit("x"), HasSubstr("failures=\"2\" errors=\"2\""));
}

TEST_F(ImageBootTest, WhatWasAnsweredBeforeTheDeadlineIsToldAndWhatWasNotByName) {
  const auto told = [](const BootReport& report) {
    std::vector<std::string> lines;
    for (const Checked& each : report.checked) lines.push_back(cat(each.verdict.name, ": ", each.verdict.told));
    return lines;
  };
  checks_.push_back(std::make_unique<FallsSilent>(true));
  checks_.push_back(std::make_unique<FallsSilent>(true));
  const BootReport answered = boot("echo up; sleep 60", {"up"}, std::chrono::milliseconds(1500));
  EXPECT_THAT(told(answered), testing::ElementsAre("service nginx: is failed", "file /a: there",
                                                   "service nginx: not asked: the deadline passed",
                                                   "file /a: not asked: the deadline passed"));
  EXPECT_THAT(answered.text(), HasSubstr("\n  --timeout SECONDS gives it longer\n"));
  checks_.clear();
  checks_.push_back(std::make_unique<FallsSilent>(false));
  EXPECT_THAT(told(boot("echo up; sleep 60", {"up"}, std::chrono::milliseconds(1500))),
              testing::ElementsAre("log in by ssh: nothing answers: add an element", "service nginx: not answered",
                                   "file /a: not answered"));
  const BootReport ended = boot("echo bye", {"login"});
  EXPECT_THAT(ended.text(), testing::Not(HasSubstr("--timeout")));
}

TEST_F(ImageBootTest, AMissingQemuIsAnError) {
  EXPECT_THROW((void)test_image({.program = "/nowhere"}, {"x"}, checks_, Deadline::never(), work_.path(), clock_),
               Error);
}

TEST_F(ImageBootTest, ARealBiosWithAnEmptyDiskFailsLongBeforeTheDeadline) {
  if (!find_program("qemu-system-x86_64", current_environment())) GTEST_SKIP() << "qemu is not installed";
  RealFileSystem().write(work_.path() / "empty", std::string(1 << 20, '\0'), {});
  checks_.push_back(http_check({80, "/", "hello", {}, {}}, clock_));
  for (const std::vector<std::string>& expected : {std::vector<std::string>{"login: $"}, {}}) {
    const BootReport report = test_image({.image = work_.path() / "empty", .image_format = "raw"}, expected, checks_,
                                         Deadline::after(std::chrono::seconds(100), clock_), work_.path(), clock_);
    EXPECT_THAT(report.reason, HasSubstr("the firmware found nothing to boot")) << report.text();
    EXPECT_EQ(report.exit_code(), 4) << report.text();
    EXPECT_THAT(report.junit("empty"), HasSubstr("failures=\"0\"")) << report.text();
  }
}

TEST_F(ImageBootTest, AtTheTerminalQemuGetsTheKeyboardAndMayReboot) {
  fakes::ScriptedRunner runner;
  runner.on("qemu", 3);
  EXPECT_EQ(boot_image({.program = "qemu", .image = "image"}, work_.path(), runner), 3);
  ASSERT_EQ(runner.ran.size(), 1U);
  EXPECT_TRUE(runner.ran[0].inherit_input);
  EXPECT_THAT(runner.ran[0].argv, testing::Contains("mon:stdio"));
  EXPECT_THAT(runner.ran[0].argv, testing::Not(testing::Contains("-no-reboot")));
}

TEST_F(ImageBootTest, UefiVariablesAreAPrivateCopyThatGoesAway) {
  RealFileSystem files;
  files.write(work_.path() / "VARS", "variables", {});
  fakes::ScriptedRunner runner;
  std::string copy;
  runner.on("qemu", [&](const Command& command) {
    for (const std::string& word : command.argv) {
      if (word.starts_with("if=pflash,unit=1")) copy = word.substr(word.find("file=") + 5);
    }
    EXPECT_EQ(read_file(copy), "variables");
    return CommandResult{Exited{0}, "", ""};
  });
  const QemuMachine machine{.program = "qemu", .firmware = FirmwareKind::uefi, .ovmf = {"CODE", work_.path() / "VARS"}};
  EXPECT_EQ(boot_image(machine, work_.path(), runner), 0);
  EXPECT_NE(copy, (work_.path() / "VARS").string());
  EXPECT_FALSE(fs::exists(copy));
}

}  // namespace
}  // namespace hearth::builder::vm
