#include "base/cli/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/cli/layout.hpp"
#include "base/text.hpp"

namespace hearth::cli {
namespace {

TEST(Table, HasBordersAndKnowsWideCharacters) {
  EXPECT_EQ(table({"a", "b"}, {{"1", "äö"}}), "+---+----+\n| a | b  |\n+---+----+\n| 1 | äö |\n+---+----+\n");
  EXPECT_EQ(table({"a"}, {}), "+---+\n| a |\n+---+\n");
}

TEST(Table, HasCellsOfSeveralLines) {
  EXPECT_EQ(table({"a", "b"}, {{"1\n22", "x"}}),
            "+----+---+\n| a  | b |\n+----+---+\n| 1  | x |\n| 22 |   |\n+----+---+\n");
}

TEST(Table, FitsARoomByWrappingBetweenWords) {
  EXPECT_EQ(table({"ID", "Reason"}, {{"0123456789", "no answer at all"}}, 24),
            "+------------+--------+\n| ID         | Reason |\n+------------+--------+\n"
            "| 0123456789 | no     |\n|            | answer |\n|            | at all |\n+------------+--------+\n");
  // Words stay whole, so that they can be taken from the screen; where they need more room than there is, they have it.
  EXPECT_EQ(table({"ID"}, {{"0123456789"}}, 8),
            "+------------+\n| ID         |\n+------------+\n| 0123456789 |\n+------------+\n");
  EXPECT_EQ(table({"a", "b"}, {{"1 2", "3"}}, 80), table({"a", "b"}, {{"1 2", "3"}}));
}

TEST(Table, FillsTheLinesOfACellThatGaveWayMoreThanOnce) {
  const std::string text = "one two three four five six seven eight nine ten eleven twelve";
  EXPECT_EQ(table({"k", "what"}, {{"a", text}}, 27),
            "+---+--------------------+\n"
            "| k | what               |\n"
            "+---+--------------------+\n"
            "| a | one two three four |\n"
            "|   | five six seven     |\n"
            "|   | eight nine ten     |\n"
            "|   | eleven twelve      |\n"
            "+---+--------------------+\n");
}

TEST(Table, BreaksWordsWhereItMay) {
  const std::string word(60, 'x');
  const auto widest = [](const std::string& text) {
    std::size_t most = 0;
    for (const std::string& line : split_lines(text)) most = std::max(most, columns(line));
    return most;
  };
  EXPECT_GT(widest(table({"a", "b"}, {{word, word}}, 40)), 120U) << "names stay whole";
  const std::string text = table({"a", "b"}, {{word, word}, {"in words", "too"}}, 40, LongWords::broken);
  EXPECT_EQ(widest(text), 40U) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), 'x'), 120);
  EXPECT_LE(widest(table({"a", "b", "c", "d"}, {{word, word, word, word}}, 1, LongWords::broken)), 17U) << "it ends";
}

TEST(Table, GivesTheTerminalNoOrders) {
  EXPECT_EQ(table({"a"}, {{"\x1b[2J\x07"}}),
            "+-------------+\n| a           |\n+-------------+\n| \\x1b[2J\\x07 |\n+-------------+\n");
  EXPECT_EQ(table({"a"}, {{"x\xe2\x80\xae"}}), "+---------+\n| a       |\n+---------+\n| x\\u202e |\n+---------+\n");
}

}  // namespace
}  // namespace hearth::cli
