#include "builder/fetch/step_board.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/fakes/recording_progress.hpp"
#include "tests/unit/base/in_child.hpp"

namespace hearth::builder::fetch {
namespace {

TEST(StepBoard, ShowsToOneProcessWhatAnotherDoes) {
  StepBoard board;
  EXPECT_EQ(board.shown(), "");
  EXPECT_EQ(in_child([&] {
              announce_steps(std::make_unique<fakes::RecordingProgress>(), board)->step_begin("root.d/10-x", 1, 2);
              board.keep_settings("A=b\n");
              return 0;
            }),
            0);
  EXPECT_EQ(board.shown(), "root.d/10-x");
  EXPECT_EQ(board.settings(), "A=b\n");
}

TEST(StepBoard, TheLogOfFetchesCrossesProcessesAndSaysWhenItOverflowed) {
  StepBoard board;
  board.log_fetch("fetch GET http://a.example/ 1");
  EXPECT_EQ(in_child([&] {
              board.log_fetch("fetch GET http://b.example/ 2");
              return 0;
            }),
            0);
  const std::string all = "fetch GET http://a.example/ 1\nfetch GET http://b.example/ 2\n";
  EXPECT_EQ(board.fetch_log(0), all);
  EXPECT_EQ(board.fetch_log(30), all.substr(30));
  EXPECT_EQ(board.fetch_log(all.size()), "");
  const std::string line(1U << 20U, 'x');
  for (int i = 0; i < 15; ++i) board.log_fetch(line);
  EXPECT_FALSE(board.log_overflowed());
  board.log_fetch(line);
  EXPECT_TRUE(board.log_overflowed());
  EXPECT_EQ(board.fetch_log(0).substr(0, all.size()), all) << "what was there stays";
}

TEST(StepBoard, CountsRequestsThatAnotherProcessAnswers) {
  StepBoard board;
  board.count_request(1);
  board.count_request(1);
  EXPECT_EQ(in_child([&] {
              board.count_request(-1);
              return 0;
            }),
            0);
  EXPECT_EQ(board.requests_under_way(), 1);
}

TEST(StepBoard, CutsLongNamesAndRefusesLongSettings) {
  StepBoard board;
  board.show(std::string(100000, 'x'));
  EXPECT_EQ(board.shown(), std::string(4095, 'x'));
  EXPECT_THROW(board.keep_settings(std::string(100000, 'x')), Error);
}

}  // namespace
}  // namespace hearth::builder::fetch
