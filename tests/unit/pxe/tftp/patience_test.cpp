#include "pxe/tftp/patience.hpp"

#include <gtest/gtest.h>

namespace hearth::pxe::tftp {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(TftpPatience, WaitsASecondUntilItKnowsBetterAndLongerEachTime) {
  Patience patience(std::nullopt);
  EXPECT_EQ(patience.wait(), seconds(1));
  EXPECT_TRUE(patience.waited_in_vain());
  EXPECT_EQ(patience.wait(), seconds(2));
}

TEST(TftpPatience, WaitsLongerAtFirstWhereItIsToldTo) {
  Patience patience(std::nullopt, seconds(5));
  EXPECT_EQ(patience.wait(), seconds(5));
  patience.answered(milliseconds(60));
  EXPECT_EQ(patience.wait(), milliseconds(240));
}

TEST(TftpPatience, LearnsFromRoundTripsButStaysAboveATenthOfASecond) {
  Patience patience(std::nullopt);
  patience.answered(milliseconds(60));
  EXPECT_EQ(patience.wait(), milliseconds(240));
  for (int i = 0; i < 60; ++i) patience.answered(milliseconds(1));
  EXPECT_EQ(patience.wait(), milliseconds(100));
  for (int i = 0; i < 60; ++i) patience.answered(seconds(3));
  EXPECT_EQ(patience.wait(), seconds(1));
}

TEST(TftpPatience, KeepsToTheTimeoutThatTheClientAskedFor) {
  Patience patience(3);
  patience.answered(milliseconds(1));
  EXPECT_EQ(patience.wait(), seconds(3));
  EXPECT_TRUE(patience.waited_in_vain());
  EXPECT_EQ(patience.wait(), milliseconds(4500)) << "then the client's own repetition has its turn";
  patience.answered(std::nullopt);
  EXPECT_EQ(patience.wait(), seconds(3));
}

TEST(TftpPatience, GivesUpSoonOnWhoHasNeverAnswered) {
  Patience patience(std::nullopt);
  int sends = 1;
  while (patience.waited_in_vain()) ++sends;
  EXPECT_EQ(sends, 4);
}

TEST(TftpPatience, AnAnswerRestoresItInFull) {
  Patience patience(std::nullopt);
  patience.answered(milliseconds(200));
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(patience.waited_in_vain());
  EXPECT_EQ(patience.wait(), seconds(8));
  EXPECT_TRUE(patience.is_repeating());
  patience.answered(std::nullopt);
  EXPECT_FALSE(patience.is_repeating());
  EXPECT_EQ(patience.wait(), milliseconds(800));
}

}  // namespace
}  // namespace hearth::pxe::tftp
