#include "base/progress.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/recording_progress.hpp"

namespace hearth {
namespace {

using namespace std::chrono_literals;

/// A pseudo-terminal that tells what was written to it; its line discipline passes bytes through unchanged.
class Terminal {
 public:
  explicit Terminal(unsigned short columns) {
    int keyboard = -1;
    int screen = -1;
    winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    termios raw{};
    ::cfmakeraw(&raw);
    if (::openpty(&keyboard, &screen, nullptr, &raw, &size) != 0) throw Error::from_errno("opening", "a pty");
    keyboard_ = Fd(keyboard);
    screen_ = Fd(screen);
    ::fcntl(keyboard, F_SETFL, O_NONBLOCK);
  }
  [[nodiscard]] int fd() const { return screen_.get(); }
  void resize(unsigned short columns) {
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ::ioctl(screen_.get(), TIOCSWINSZ, &size);
  }
  /// What was written since the last call.
  [[nodiscard]] std::string written() {
    std::string text;
    char byte = 0;
    while (::read(keyboard_.get(), &byte, 1) == 1) text += byte;
    return text;
  }

 private:
  Fd keyboard_;
  Fd screen_;
};

class PlainProgressTest : public testing::Test {
 protected:
  fakes::ManualClock clock_;
  Pipe pipe_ = Pipe::create();
  std::string written() {
    pipe_.write = Fd();
    return read_all(pipe_.read, "the pipe");
  }
};

TEST_F(PlainProgressTest, PrintsOneLineForAFinishedStep) {
  PlainProgress progress(pipe_.write.get(), clock_);
  progress.step_begin("install.d/20-foo", 1, 2);
  progress.line("chatter");
  progress.step_end(StepOutcome::done, 1200ms);
  progress.note("a note");
  progress.finish("all\nwell");
  EXPECT_EQ(written(), "ok install.d/20-foo  1.2s\na note\nall\nwell\n");
}

TEST_F(PlainProgressTest, WhatAFailedStepPrintedIsLeftToItsError) {
  PlainProgress progress(pipe_.write.get(), clock_);
  progress.step_begin("second", 2, 2);
  progress.line("line");
  progress.step_end(StepOutcome::failed, 1s);
  EXPECT_EQ(written(), "FAILED second  1.0s\n");
}

TEST_F(PlainProgressTest, AStepOfMinutesIsHeardOfOnceAMinute) {
  PlainProgress progress(pipe_.write.get(), clock_);
  progress.step_begin("root.d/08-debootstrap", 1, 2);
  clock_.advance(59s);
  progress.line("Retrieving dash");
  progress.fetched(3'000'000);
  clock_.advance(1s);
  progress.tick();
  progress.tick();
  progress.line("Unpacking dash");
  clock_.advance(60s);
  progress.expect(30s);
  progress.line(" ");
  progress.step_end(StepOutcome::done, 120s);
  clock_.advance(1h);
  progress.tick();  // nothing runs
  progress.step_begin("next", 2, 2);
  progress.tick();
  EXPECT_EQ(written(),
            ".. root.d/08-debootstrap  1m00s so far, 2.9 MiB fetched: Retrieving dash\n"
            ".. root.d/08-debootstrap  2m00s so far, about 30s left, 2.9 MiB fetched: Unpacking dash\n"
            "ok root.d/08-debootstrap  2m00s\n");
}

TEST_F(PlainProgressTest, AReaderThatHasGoneDoesNotEndTheWork) {
  ::signal(SIGPIPE, SIG_IGN);
  pipe_.read = Fd();
  PlainProgress progress(pipe_.write.get(), clock_);
  progress.step_begin("a", 1, 1);
  EXPECT_NO_THROW(progress.step_end(StepOutcome::done, 1s));
}

class TerminalProgressTest : public testing::Test {
 protected:
  Terminal terminal_{60};
  fakes::ManualClock clock_;
};

TEST_F(TerminalProgressTest, TheLiveLineIsReplacedByTheFinishedOne) {
  TerminalProgress progress(terminal_.fd(), clock_, {});
  progress.step_begin("a", 1, 2);
  EXPECT_EQ(terminal_.written(), "\r\x1b[K| 1/2 [          ] a  0.0s");
  progress.step_end(StepOutcome::done, 2s);
  EXPECT_EQ(terminal_.written(), "\r\x1b[Kok a  2.0s\n");
}

TEST_F(TerminalProgressTest, TheLastOutputLineAndTheTimeAreOnTheLiveLine) {
  TerminalProgress progress(terminal_.fd(), clock_, {});
  progress.step_begin("a", 1, 0);
  (void)terminal_.written();
  clock_.advance(3s);
  progress.line("\x1b[31mUnpacking\x1b[0m");
  EXPECT_EQ(terminal_.written(), "\r\x1b[K/ a  3.0s  Unpacking");
  progress.line("");  // an empty line tells nothing: the last telling one stays
  clock_.advance(1s);
  progress.tick();
  EXPECT_EQ(terminal_.written(), "\r\x1b[K- a  4.0s  Unpacking");
}

TEST_F(TerminalProgressTest, AnEstimateCountsDownUntilItIsWrong) {
  TerminalProgress progress(terminal_.fd(), clock_, {});
  progress.step_begin("a", 1, 0);
  progress.step_end(StepOutcome::cached, {});
  progress.step_begin("b", 2, 0);
  progress.expect(10s);
  progress.fetched(1024);
  (void)terminal_.written();
  clock_.advance(4s);
  progress.tick();
  EXPECT_EQ(terminal_.written(), "\r\x1b[K\\ b  4.0s, about 6s left, 1.0 KiB fetched, 1 cached");
  clock_.advance(7s);
  progress.tick();
  EXPECT_EQ(terminal_.written(), "\r\x1b[K| b  11.0s, 1.0 KiB fetched, 1 cached");
}

TEST_F(TerminalProgressTest, AFloodOfLinesIsNotAFloodOfDrawings) {
  TerminalProgress progress(terminal_.fd(), clock_, {});
  progress.step_begin("a", 1, 1);
  (void)terminal_.written();
  for (int i = 0; i < 1000; ++i) progress.line("x");
  EXPECT_EQ(terminal_.written(), "");
}

TEST_F(TerminalProgressTest, TheLineFollowsTheWidthOfTheTerminal) {
  TerminalProgress progress(terminal_.fd(), clock_, {});
  terminal_.resize(12);
  progress.step_begin("a-rather-long-name", 1, 0);
  const std::string text = terminal_.written();
  EXPECT_EQ(text, "\r\x1b[K| a-rath...");
}

TEST_F(TerminalProgressTest, ANoteGoesAboveTheLiveLine) {
  TerminalProgress progress(terminal_.fd(), clock_, {});
  progress.step_begin("a", 1, 0);
  (void)terminal_.written();
  progress.note("look");
  EXPECT_EQ(terminal_.written(), "\r\x1b[Klook\n\r\x1b[K/ a  0.0s");
}

TEST_F(TerminalProgressTest, TheDestructorWipesALiveLineAndOnlyThat) {
  { TerminalProgress progress(terminal_.fd(), clock_, {}); }
  EXPECT_EQ(terminal_.written(), "");
  {
    TerminalProgress progress(terminal_.fd(), clock_, {});
    progress.step_begin("a", 1, 1);
    (void)terminal_.written();
  }
  EXPECT_EQ(terminal_.written(), "\r\x1b[K");
}

TEST_F(TerminalProgressTest, FinishLeavesNothingLive) {
  TerminalProgress progress(terminal_.fd(), clock_, {});
  progress.step_begin("a", 1, 1);
  (void)terminal_.written();
  progress.finish("done");
  clock_.advance(1s);
  progress.tick();
  progress.line("late");
  EXPECT_EQ(terminal_.written(), "\r\x1b[Kdone\n");
}

TEST(ProgressStyleOf, NoColorAndTheLocaleDecide) {
  EXPECT_TRUE(progress_style({}, true).color);
  EXPECT_FALSE(progress_style({}, false).color);
  EXPECT_FALSE(progress_style({{"NO_COLOR", "1"}}, true).color);
  EXPECT_TRUE(progress_style({{"NO_COLOR", ""}}, true).color);
  EXPECT_FALSE(progress_style({}, true).unicode);
  EXPECT_TRUE(progress_style({{"LANG", "de_DE.UTF-8"}}, true).unicode);
  EXPECT_TRUE(progress_style({{"LC_ALL", ""}, {"LC_CTYPE", "C.utf8"}}, true).unicode);
  EXPECT_FALSE(progress_style({{"LC_ALL", "C"}, {"LANG", "de_DE.UTF-8"}}, true).unicode);
}

TEST(MakeProgress, IsLiveOnATerminalThatCanDoIt) {
  Terminal terminal(40);
  const fakes::ManualClock clock;
  const auto kind = [&](int fd, const Environment& env) {
    return dynamic_cast<TerminalProgress*>(make_progress(fd, clock, env).get()) != nullptr;
  };
  EXPECT_TRUE(kind(terminal.fd(), {{"TERM", "xterm"}}));
  EXPECT_FALSE(kind(terminal.fd(), {{"TERM", "dumb"}}));
  EXPECT_FALSE(kind(terminal.fd(), {}));
  EXPECT_FALSE(kind(Pipe::create().write.get(), {{"TERM", "xterm"}}));
}

TEST(RecordingProgress, KeepsWhatItWasTold) {
  fakes::RecordingProgress progress;
  progress.step_begin("a", 1, 2);
  progress.line("x");
  progress.tick();
  progress.step_end(StepOutcome::cached, 2s);
  progress.note("n");
  progress.finish("f");
  EXPECT_EQ(progress.events, (std::vector<std::string>{"begin 1/2 a", "line x", "end cached", "note n", "finish f"}));
  EXPECT_EQ(progress.ticks, 1);
  ASSERT_EQ(progress.rows.size(), 1U);
  EXPECT_EQ(progress.rows[0].duration, 2s);
}

TEST(LiveLinesTest, StandBelowWhatIsPrintedAndReplaceThemselves) {
  Terminal terminal(60);
  LiveLines lines(terminal.fd());
  EXPECT_EQ(lines.room().columns, 59U);
  EXPECT_EQ(lines.room().rows, 23U);
  lines.show({"one", "two"});
  EXPECT_EQ(terminal.written(), "one\ntwo");
  lines.print_above("news\n");
  EXPECT_EQ(terminal.written(), "\x1b[1A\r\x1b[Jnews\none\ntwo");
  lines.show({"only"});
  EXPECT_EQ(terminal.written(), "\x1b[1A\r\x1b[Jonly");
  lines.show({});
  EXPECT_EQ(terminal.written(), "\r\x1b[J");
}

TEST(LiveLinesTest, ATerminalThatBecameNarrowerHasWrappedThem) {
  Terminal terminal(60);
  LiveLines lines(terminal.fd());
  lines.show({std::string(50, 'x'), "\x1b[2mtwo\x1b[0m"});
  (void)terminal.written();
  terminal.resize(20);
  lines.show({"one"});
  EXPECT_EQ(terminal.written(), "\x1b[3A\r\x1b[Jone");
}

TEST(LiveLinesTest, GoWithTheirOwner) {
  Terminal terminal(60);
  { LiveLines(terminal.fd()).show({"one"}); }
  EXPECT_EQ(terminal.written(), "one\r\x1b[J");
}

}  // namespace
}  // namespace hearth
