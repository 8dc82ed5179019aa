#include "agent/deploy/init/lease_keeper.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::agent::deploy {
namespace {

constexpr LeaseTerm k_ten_minutes{std::chrono::seconds(300), std::chrono::seconds(600)};

TEST(UntilNextQuestion, AServerThatDoesNotAnswerIsAskedMoreOftenUntilTheLeaseIsOver) {
  std::vector<std::int64_t> asked;
  Duration left = std::chrono::seconds(600);
  while (left > Duration::zero()) {
    left -= until_next_question(k_ten_minutes, left);
    asked.push_back(std::chrono::duration_cast<std::chrono::seconds>(left).count());
  }
  EXPECT_EQ(asked, (std::vector<std::int64_t>{300, 150, 75, 37, 7, 0}));
  EXPECT_EQ(until_next_question(k_ten_minutes, left), std::chrono::seconds(30)) << "without an address";
  const LeaseTerm at_once{std::chrono::seconds(1), std::chrono::seconds(600)};
  EXPECT_EQ(until_next_question(at_once, std::chrono::seconds(600)), std::chrono::seconds(30));
  const LeaseTerm short_one{std::chrono::seconds(10), std::chrono::seconds(20)};
  EXPECT_EQ(until_next_question(short_one, std::chrono::seconds(20)), std::chrono::seconds(10)) << "before it is over";
}

class LeaseKeeperTest : public testing::Test {
 protected:
  /// What is done in so many steps, each with its second.
  std::string done(int steps) {
    const MonotonicTime begin = clock_.now();
    const auto note = [this, begin](const char* what) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - begin).count();
      text_ += cat(text_.empty() ? "" : " ", what, "@", seconds);
    };
    const auto renew = [&](const Deadline& end) {
      note("renew");
      for (Duration waited{}; waited < patience_ && !end.passed(clock_.now()); waited += std::chrono::seconds(1))
        clock_.advance(std::chrono::seconds(1));
      return renewal_;
    };
    LeaseKeeper keeper({renew, [&] { return note("ask"), answer_; },
                        [&] {
                          note("drop");
                          if (stuck_-- > 0) throw Error(ErrorKind::io, "the kernel refuses");
                        }},
                       k_ten_minutes, clock_);
    for (int i = 0; i < steps; ++i) keeper.step();
    return text_;
  }

  fakes::ManualClock clock_;
  std::optional<LeaseTerm> renewal_;
  std::optional<LeaseTerm> answer_;
  int stuck_ = 0;
  Duration patience_{};  ///< how long a renewal waits for its answer
  std::string text_;
};

TEST_F(LeaseKeeperTest, AnAddressWhoseLeaseIsOverIsGivenUpOnceAndAskedForAnew) {
  EXPECT_EQ(done(8), "renew@300 renew@450 renew@525 renew@562 renew@592 drop@600 ask@600 ask@630 ask@660");
}

TEST_F(LeaseKeeperTest, WhatIsRenewedIsKept) {
  renewal_ = k_ten_minutes;
  EXPECT_EQ(done(4), "renew@300 renew@600 renew@900 renew@1200");
}

TEST_F(LeaseKeeperTest, WhoWaitsForAServerUsesTheAddressNoLongerThanItIsLent) {
  patience_ = std::chrono::seconds(20);
  EXPECT_EQ(done(6), "renew@300 renew@460 renew@540 renew@590 drop@600 ask@600 ask@630 ask@660");
}

TEST_F(LeaseKeeperTest, ALeaseIsCountedFromWhenItWasAskedFor) {
  patience_ = std::chrono::seconds(20);
  renewal_ = k_ten_minutes;
  EXPECT_EQ(done(3), "renew@300 renew@610 renew@920") << "at 320 it had 580 s left";
}

TEST_F(LeaseKeeperTest, AnAddressThatTheServerTakesBackIsGivenUpAtOnce) {
  renewal_ = LeaseTerm{};
  answer_ = k_ten_minutes;
  EXPECT_EQ(done(2), "renew@300 drop@300 ask@300 renew@600 drop@600 ask@600");
}

TEST_F(LeaseKeeperTest, WhatCouldNotBeGivenUpIsTriedAgainBeforeAnotherIsAskedFor) {
  stuck_ = 1;
  EXPECT_EQ(done(8), "renew@300 renew@450 renew@525 renew@562 renew@592 drop@600 drop@630 ask@630 ask@660");
}

}  // namespace
}  // namespace hearth::agent::deploy
