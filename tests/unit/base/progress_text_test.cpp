#include "base/progress_text.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth {
namespace {

using namespace std::chrono_literals;

constexpr ProgressStyle k_ascii{};
constexpr ProgressStyle k_unicode{.unicode = true};

TEST(ElapsedText, ChoosesTheUnitByTheLength) {
  EXPECT_EQ(elapsed_text(0s), "0.0s");
  EXPECT_EQ(elapsed_text(1234ms), "1.2s");
  EXPECT_EQ(elapsed_text(59960ms), "1m00s");
  EXPECT_EQ(elapsed_text(65s), "1m05s");
  EXPECT_EQ(elapsed_text(2h + 3min + 59s), "2h03m");
}

TEST(ElapsedText, NeverShowsTimeRunningBackwards) { EXPECT_EQ(elapsed_text(-5s), "0.0s"); }

TEST(CleanLine, DropsColoursTitlesAndControls) {
  EXPECT_EQ(clean_line("\x1b[1;31mred\x1b[0m\a"), "red");
  EXPECT_EQ(clean_line("\x1b]0;title\atext\x1b]8;;link\x1b\\more"), "textmore");
  EXPECT_EQ(clean_line("cut off\x1b[12"), "cut off");
  EXPECT_EQ(clean_line("\x1b"), "");
}

TEST(CleanLine, KeepsWhatACarriageReturnLeavesVisible) {
  EXPECT_EQ(clean_line("10%\r20%\r30%"), "30%");
  EXPECT_EQ(clean_line("windows line\r"), "windows line");
}

TEST(CleanLine, TurnsTabsIntoBlanksAndBadBytesIntoQuestionMarks) {
  EXPECT_EQ(clean_line("a\tb"), "a b");
  EXPECT_EQ(clean_line("caf\xe9"), "caf?");
  EXPECT_EQ(clean_line("\xc0\xaf"), "??");            // overlong "/"
  EXPECT_EQ(clean_line("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(clean_line("\xf4\x90\x80\x80"), "????");  // beyond U+10FFFF
  EXPECT_EQ(clean_line("\xe2\x9c"), "??");            // cut short
}

TEST(CleanLine, LeavesGoodTextAlone) { EXPECT_EQ(clean_line("naïve ✓ 漢字"), "naïve ✓ 漢字"); }

TEST(CleanLine, DropsC1ControlsWrittenAsUtf8) {
  EXPECT_EQ(clean_line("a\xc2\x9b"
                       "31mb"),
            "a31mb");
}

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("✓é"), 2U);
  EXPECT_EQ(display_width("漢字"), 4U);
  EXPECT_EQ(display_width("e\xcc\x81"), 1U);
}

TEST(CutToWidth, KeepsShortTextAndMarksACut) {
  EXPECT_EQ(cut_to_width("short", 5, k_unicode), "short");
  EXPECT_EQ(cut_to_width("longer", 5, k_unicode), "long…");
  EXPECT_EQ(cut_to_width("longer", 5, k_ascii), "lo...");
}

TEST(CutToWidth, NeverExceedsTheWidthHoweverSmall) {
  for (std::size_t columns = 0; columns < 12; ++columns) {
    EXPECT_LE(display_width(cut_to_width("漢字漢字漢字", columns, k_unicode)), columns) << columns;
    EXPECT_LE(display_width(cut_to_width("abcdefghijklmnop", columns, k_ascii)), columns) << columns;
  }
}

TEST(BarText, FillsByTheShareAndStaysInItsWidth) {
  EXPECT_EQ(bar_text(0.5, 4, k_ascii), "##  ");
  EXPECT_EQ(bar_text(0.5, 4, k_unicode), "██  ");
  EXPECT_EQ(bar_text(0.125, 1, k_unicode), "▏");
  EXPECT_EQ(bar_text(7, 3, k_ascii), "###");
  EXPECT_EQ(bar_text(-1, 3, k_unicode), "   ");
}

TEST(FinishedLine, TellsNameAndTime) {
  EXPECT_EQ(finished_line("install.d/20-foo", StepOutcome::done, 1234ms, k_unicode), "✓ install.d/20-foo  1.2s");
  EXPECT_EQ(finished_line("install.d/20-foo", StepOutcome::failed, 2s, k_ascii), "FAILED install.d/20-foo  2.0s");
}

TEST(FinishedLine, TellsWhyAStepTookNoTime) {
  EXPECT_EQ(finished_line("a", StepOutcome::skipped, 2s, k_ascii), "- a  skipped");
  EXPECT_EQ(finished_line("a", StepOutcome::cached, 2s, k_ascii), "= a  cached");
}

TEST(FinishedLine, ColoursOnlyTheMark) {
  EXPECT_EQ(finished_line("a", StepOutcome::done, 1s, {.color = true}), "\x1b[32mok\x1b[0m a  1.0s");
}

TEST(LiveLine, ShowsCounterBarNameTimeAndOutput) {
  const RunningStep step{.name = "install.d/20-foo", .index = 6, .total = 10, .elapsed = 3s, .last_line = "Unpacking"};
  EXPECT_EQ(live_line(step, 0, 80, k_ascii), "| 6/10 [#####     ] install.d/20-foo  3.0s  Unpacking");
}

TEST(LiveLine, ShowsWhatIsLeftWhatWasFetchedAndWhatWasSaved) {
  const RunningStep step{.name = "a", .elapsed = 3s, .left = 41'600ms, .fetched = 3U << 20U, .cached = 12};
  EXPECT_EQ(live_line(step, 0, 80, k_ascii), "| a  3.0s, about 42s left, 3.0 MiB fetched, 12 cached");
}

TEST(RoughText, CountsWholeSecondsAndNeverNone) {
  EXPECT_EQ(rough_text(0ms), "1s");
  EXPECT_EQ(rough_text(59'400ms), "59s");
  EXPECT_EQ(rough_text(185'300ms), "3m05s");
}

TEST(LiveLine, WithoutATotalHasNeitherCounterNorBar) {
  EXPECT_EQ(live_line({.name = "fetch", .index = 1}, 1, 80, k_ascii), "/ fetch  0.0s");
}

TEST(LiveLine, StaysWithinTheTerminalAtEveryWidth) {
  const RunningStep step{
      .name = "名前/20-step", .index = 1, .total = 2, .last_line = "\x1b[31mvery\tlong 漢字 output\r"};
  for (std::size_t columns = 0; columns < 90; ++columns) {
    EXPECT_LE(display_width(live_line(step, columns, columns, k_unicode)), columns) << columns;
  }
}

TEST(LiveLine, ANameWithAnEscapeSequenceCannotReachTheTerminal) {
  EXPECT_EQ(live_line({.name = "a\x1b[2Jb"}, 0, 80, k_ascii), "| ab  0.0s");
}

TEST(TimingTable, AlignsRowsAndEndsWithTheTotal) {
  EXPECT_EQ(timing_table({{"root.d/10-debian", 15s}, {"image", 5s}}),
            "root.d/10-debian     15.0 s   75.0 %  ##################\n"
            "image                 5.0 s   25.0 %  ######\n"
            "total                20.0 s  100.0 %\n");
}

TEST(TimingTable, SortsByPhaseAndKeepsTheOrderWithinOne) {
  const std::string text = timing_table({{"c", 1s, 2}, {"a", 1s, 1}, {"d", 1s, 2}, {"b", 1s, 1}});
  std::string names;
  for (const char c : text) {
    if (c >= 'a' && c <= 'd') names += c;
  }
  EXPECT_EQ(names.substr(0, 4), "abcd") << text;
}

TEST(TimingTable, CutsAnEndlessNameAndCountsWideCharacters) {
  const std::string text = timing_table({{std::string(500, 'x'), 1s}, {"漢字", 1s}}, k_unicode);
  EXPECT_NE(text.find("x…  "), std::string::npos) << text;
  const std::vector<std::string> lines = split_lines(text);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(display_width(lines[0]), display_width(lines[1])) << text;
}

TEST(TimingTable, OfManyQuickStepsOneRowTells) {
  std::vector<TimingRow> rows = {{"image", 60s, 9}, {"a", 100ms, 1}, {"slow", 39s, 2}, {"b", 200ms, 3}, {"c", 0s, 3}};
  EXPECT_EQ(timing_table(rows_that_matter(rows)),
            "slow                39.0 s   39.3 %  #########\n"
            "image               60.0 s   60.4 %  ###############\n"
            "3 quicker steps      0.3 s    0.3 %\n"
            "total               99.3 s  100.0 %\n");
  rows.pop_back();
  EXPECT_EQ(rows_that_matter(rows).size(), rows.size()) << "two are told by their names";
  EXPECT_EQ(timing_table(rows_that_matter({})), "");
}

TEST(TimingTable, OfNothingIsNothing) {
  EXPECT_EQ(timing_table({}), "");
  EXPECT_EQ(timing_table({{"a", 0s}}), "a          0.0 s    0.0 %\ntotal      0.0 s    0.0 %\n");
}

}  // namespace
}  // namespace hearth
