#include "base/cli/table.hpp"

#include <gtest/gtest.h>

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

TEST(Table, GivesTheTerminalNoOrders) {
  EXPECT_EQ(table({"a"}, {{"\x1b[2J\x07"}}),
            "+-------------+\n| a           |\n+-------------+\n| \\x1b[2J\\x07 |\n+-------------+\n");
  EXPECT_EQ(table({"a"}, {{"x\xe2\x80\xae"}}), "+---------+\n| a       |\n+---------+\n| x\\u202e |\n+---------+\n");
}

}  // namespace
}  // namespace hearth::cli
