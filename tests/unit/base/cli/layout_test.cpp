#include "base/cli/layout.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/ioctl.h>

#include <cstdlib>

#include "base/sys/fd.hpp"

namespace hearth::cli {
namespace {

using testing::ElementsAre;

TEST(Wrapped, FillsLinesUpToTheWidth) {
  EXPECT_EQ(wrapped("one two three four", 9), "one two\nthree\nfour");
  EXPECT_EQ(wrapped("one two", 7), "one two");
  EXPECT_EQ(wrapped("", 7), "");
}

TEST(Wrapped, IndentsFurtherLinesAndKnowsWhereTheFirstBegins) {
  EXPECT_EQ(wrapped("one two three", 12, 4, 8), "one\n    two\n    three");
}

TEST(Wrapped, CountsCharactersNotBytes) { EXPECT_EQ(wrapped("a… b… c…", 8), "a… b… c…"); }

TEST(Wrapped, ALongWordStaysWhole) { EXPECT_EQ(wrapped("a verylongword b", 5), "a\nverylongword\nb"); }

TEST(Paragraphs, EndAtEmptyLinesAndJoinOthers) {
  EXPECT_THAT(paragraphs("one\ntwo\n\nthree"), ElementsAre(Paragraph{"", "one two"}, Paragraph{"", "three"}));
}

TEST(Paragraphs, LinesThatStartWithASpaceStayAsTheyAre) {
  EXPECT_THAT(paragraphs("Files:\n  a   b\n  c"),
              ElementsAre(Paragraph{"", "Files:"}, Paragraph{"", "  a   b\n  c", true}));
}

TEST(Paragraphs, ExamplesAndExitCodesBeginOne) {
  EXPECT_THAT(paragraphs("Text.\nExit codes: 0 ok\nExample: demo x"),
              ElementsAre(Paragraph{"", "Text."}, Paragraph{"Exit codes", "0 ok"}, Paragraph{"Example", "demo x"}));
}

TEST(LaidOut, WrapsTextAndKeepsVerbatimLines) {
  EXPECT_EQ(laid_out(paragraphs("one two three\n\n  as   it is\n\nExample: demo x"), 10),
            "one two\nthree\n\n  as   it is\n\nExample:\ndemo x");
}

TEST(TerminalWidth, IsWhatTheVariableSays) {
  EXPECT_EQ(terminal_width(-1, "132"), 132U);
  EXPECT_EQ(terminal_width(-1, "3"), 40U) << "narrower than any option";
  EXPECT_EQ(terminal_width(-1, "30", 20), 30U);
}

TEST(TerminalWidth, Is80OffATerminal) {
  EXPECT_EQ(terminal_width(-1, nullptr), 80U);
  EXPECT_EQ(terminal_width(-1, "wide"), 80U);
}

TEST(TerminalWidth, IsTheTerminals) {
  const Fd terminal(::posix_openpt(O_RDWR | O_NOCTTY));
  if (!terminal) GTEST_SKIP() << "no pseudo-terminals here";
  winsize size{};
  size.ws_col = 101;
  ASSERT_EQ(::ioctl(terminal.get(), TIOCSWINSZ, &size), 0);
  EXPECT_EQ(terminal_width(terminal.get(), nullptr), 101U);
}

TEST(Layout, WhatIsFittedBreaksWordsThatAreWiderThanALine) {
  EXPECT_EQ(fitted("ab cdefghij", 4), "ab\ncdef\nghij");
  EXPECT_EQ(fitted("ab cde", 6), "ab cde");
  EXPECT_EQ(fitted("äöüß", 2), "äö\nüß") << "between characters";
  EXPECT_EQ(fitted("", 4), "");
}

}  // namespace
}  // namespace hearth::cli
