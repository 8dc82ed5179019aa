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

TEST(StepBoard, TellsTheProgressOfOneProcessWhatAnotherHasFetched) {
  /// Keeps what it was told last, in memory that the test sees, too.
  class Listening final : public Progress {
   public:
    explicit Listening(std::uint64_t& told) : told_(told) {}
    void step_begin(std::string_view, std::size_t, std::size_t) override {}
    void line(std::string_view) override {}
    void step_end(StepOutcome, Duration) override {}
    void fetched(std::uint64_t bytes) override { told_ = bytes; }
    void note(std::string_view) override {}
    void finish(std::string_view) override {}

   private:
    std::uint64_t& told_;
  };
  StepBoard board;
  std::uint64_t told = 0;
  const auto progress = announce_steps(std::make_unique<Listening>(told), board);
  EXPECT_EQ(in_child([&] {
              board.count_fetched(1000);
              board.count_fetched(24);
              return 0;
            }),
            0);
  progress->tick();
  EXPECT_EQ(told, 1024U);
  board.count_fetched(1);
  progress->line("a line");
  EXPECT_EQ(told, 1025U);
}

TEST(StepBoard, CutsLongNamesAndRefusesLongSettings) {
  StepBoard board;
  board.show(std::string(100000, 'x'));
  EXPECT_EQ(board.shown(), std::string(4095, 'x'));
  EXPECT_THROW(board.keep_settings(std::string(100000, 'x')), Error);
}

}  // namespace
}  // namespace hearth::builder::fetch
