#include "builder/vm/console_watch.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder::vm {
namespace {

using testing::HasSubstr;
constexpr std::chrono::seconds k_second(1);

TEST(ConsoleWatchTest, ExpectationsComeTrueInOrderEachBehindTheOneBefore) {
  ConsoleWatch watch({"Linux version [0-9]", "login: $"});
  watch.feed("old login: \nLinux version 6.1\n", k_second);
  EXPECT_FALSE(watch.all_seen());
  EXPECT_EQ(watch.waiting_for(), "login: $");
  watch.feed("debian login: ", 2 * k_second);
  ASSERT_TRUE(watch.all_seen());
  EXPECT_EQ(watch.seen()[1], (Seen{"login: $", "debian login: ", 2 * k_second}));
}

TEST(ConsoleWatchTest, OneLineMayHoldSeveralExpectations) {
  ConsoleWatch watch({"a", "a", "b"});
  watch.feed("a b", k_second);
  EXPECT_EQ(watch.seen().size(), 1U);
  watch.feed(" a b", k_second);
  EXPECT_TRUE(watch.all_seen());
}

TEST(ConsoleWatchTest, TextMayArriveInPieces) {
  ConsoleWatch watch(
      {"log"
       "in: "});
  for (const char c : std::string("debian login: ")) watch.feed(std::string(1, c), k_second);
  EXPECT_TRUE(watch.all_seen());
}

TEST(ConsoleWatchTest, ControlSequencesAreDropped) {
  ConsoleWatch watch({"^\\[  OK  \\] Started"});
  watch.feed("\x1b[2J\x1b]0;title\a[\x1b[0;32m  OK  \x1b[0m] Started\r\n", k_second);
  EXPECT_TRUE(watch.all_seen());
}

TEST(ConsoleWatchTest, AMenuThatIsDrawnIsToldLineByLineWithoutItsFrame) {
  ConsoleWatch watch({"Advanced"});
  const std::string bar = "\u2502";
  watch.feed(cat("\x1b[2;1HGNU GRUB  version 2.06\x1b[4;1H\u250c\u2500\u2500\u2510\x1b[5;1H", bar, "*Debian",
                 std::string(60, ' '), bar, "\x1b[6;1H", bar, " Advanced\x1b[6;12H options", std::string(60, ' '), bar,
                 "\x1b[7;1H", bar, std::string(78, ' '), bar, "\x1b[20;1H   Booting in 5 s\x1b[20;1H\n"),
             k_second);
  EXPECT_THAT(watch.last_lines(),
              testing::ElementsAre("GNU GRUB  version 2.06", "*Debian", " Advanced options", "   Booting in 5 s"));
  EXPECT_TRUE(watch.all_seen());
}

TEST(ConsoleWatchTest, SignsOfFailureAreToldAtOnce) {
  for (const char* sign : {"[ 1.0] Kernel panic - not syncing: VFS", "grub rescue> ", "No bootable device.",
                           "BdsDxe: No bootable option or device was found.", "You are in emergency mode. After",
                           "(initramfs) ", "  Failed to boot both default and fallback entries."}) {
    ConsoleWatch watch({"login: "});
    watch.feed(cat("something\n", sign), k_second);
    ASSERT_TRUE(watch.failure()) << sign;
    EXPECT_THAT(*watch.failure(), HasSubstr(std::string(trim(sign))));
  }
}

TEST(ConsoleWatchTest, AFailureSignBehindTheLastExpectationIsNone) {
  ConsoleWatch watch({"ready"});
  watch.feed("ready\nKernel panic\n", k_second);
  EXPECT_TRUE(watch.all_seen());
}

TEST(ConsoleWatchTest, EndlessLinesAndManyLinesAreCut) {
  ConsoleWatch watch({"never"});
  watch.feed(std::string(100000, 'x'), k_second);
  for (int i = 0; i < 100; ++i) watch.feed(cat("line ", i, "\n"), k_second);
  EXPECT_EQ(watch.last_lines().size(), 40U);
  EXPECT_EQ(watch.last_lines().back(), "line 99");
}

TEST(ConsoleWatchTest, ABadExpressionIsAUsageError) { EXPECT_THROW(ConsoleWatch({"("}), Error); }

TEST(ConsoleWatch, APromptToLogInIsNoticedThoughNobodyExpectedIt) {
  ConsoleWatch watch({});
  watch.feed("Linux\n", std::chrono::seconds(1));
  EXPECT_FALSE(watch.came_up());
  watch.feed("vm log", std::chrono::seconds(2));
  watch.feed("in: ", std::chrono::seconds(3));
  watch.feed("x\nvm login: ", std::chrono::seconds(9));
  EXPECT_EQ(watch.came_up(), std::optional<Duration>(std::chrono::seconds(3)));
}

}  // namespace
}  // namespace hearth::builder::vm
