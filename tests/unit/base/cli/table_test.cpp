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

TEST(Table, GivesTheTerminalNoOrders) {
  EXPECT_EQ(table({"a"}, {{"\x1b[2J\x07"}}),
            "+-------------+\n| a           |\n+-------------+\n| \\x1b[2J\\x07 |\n+-------------+\n");
  EXPECT_EQ(table({"a"}, {{"x\xe2\x80\xae"}}), "+---------+\n| a       |\n+---------+\n| x\\u202e |\n+---------+\n");
}

}  // namespace
}  // namespace hearth::cli
