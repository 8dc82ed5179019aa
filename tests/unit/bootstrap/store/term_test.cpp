#include "bootstrap/store/term.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/unit/bootstrap/store/played_seeds.hpp"

namespace hearth::bootstrap {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr MonotonicTime at(milliseconds since) { return MonotonicTime(since); }

TEST(Term, HoldsFromTheBeatThatWasAskedForNotFromItsAnswer) {
  Term term;
  EXPECT_FALSE(term.holds(at(milliseconds(0)))) << "nothing was confirmed yet";
  term.renew(at(seconds(10)));
  EXPECT_TRUE(term.holds(at(seconds(10) + k_term - milliseconds(1))));
  EXPECT_FALSE(term.holds(at(seconds(10) + k_term)));
  term.renew(at(seconds(20)));
  EXPECT_TRUE(term.holds(at(seconds(21))));
}

/// Looks each 200 ms that take 10 ms, from `from` to `to`; when the silence was over.
std::optional<milliseconds> over(Silence& silence, milliseconds from, milliseconds to, std::int64_t beat) {
  for (milliseconds look = from; look < to; look += k_looks_each) {
    silence.saw(beat, at(look), at(look + milliseconds(10)));
    if (silence.is_over()) return look;
  }
  return std::nullopt;
}

TEST(Silence, IsOverOnlyWhenOneBeatWasSeenForLongerThanATerm) {
  Silence silence;
  EXPECT_EQ(over(silence, seconds(0), seconds(2), 7), std::nullopt);
  const std::optional<milliseconds> end = over(silence, seconds(2), seconds(9), 8);
  ASSERT_TRUE(end);
  EXPECT_GE(*end, seconds(2) + milliseconds(10) + k_silent_for) << "counted from the answer that showed it";
  EXPECT_LT(*end, seconds(2) + k_silent_for + seconds(1));
}

TEST(Silence, AHolderWhoseClockGoesAsFastHasNoTermAnyMoreWhenItIsOver) {
  for (milliseconds asked{0}; asked < seconds(1); asked += milliseconds(7)) {
    Term term;
    term.renew(at(asked));
    Silence silence;
    silence.saw(6, at(milliseconds(0)), at(milliseconds(1)));
    const milliseconds first_look = asked + milliseconds(1);  // sees it as soon as it can
    const std::optional<milliseconds> end = over(silence, first_look, seconds(9), 7);
    ASSERT_TRUE(end);
    EXPECT_FALSE(term.holds(at(*end)));
  }
}

TEST(Silence, ATimeInWhichTheDatabaseDidNotAnswerIsNobodys) {
  Silence silence;
  EXPECT_EQ(over(silence, seconds(0), seconds(3), 7), std::nullopt);
  silence.missed();
  EXPECT_FALSE(silence.is_over());
  EXPECT_EQ(over(silence, seconds(3), seconds(6), 7), std::nullopt) << "from the first look after it";
  silence.saw(7, at(seconds(6)), at(seconds(6) + k_look_takes + milliseconds(1)));
  EXPECT_FALSE(silence.is_over()) << "nor that of a look that took too long";
  EXPECT_EQ(over(silence, seconds(8), seconds(11), 7), std::nullopt);
  EXPECT_TRUE(over(silence, seconds(11), seconds(12), 7));
}

/// How many of so many played troubles break a rule; the first one's words.
std::pair<int, std::string> broken_of(int troubles, const PlayedSeeds::Rules& rules) {
  int broken = 0;
  std::string first;
  for (int number = 0; number < troubles; ++number) {
    const PlayedSeeds::Outcome outcome = PlayedSeeds(static_cast<std::uint64_t>(number), rules).play();
    if (!outcome.broken.empty() && broken++ == 0) first = cat("trouble ", number, ": ", outcome.broken);
  }
  return {broken, first};
}

/// Killed, frozen and cut off at any moment, by clocks of which one may go 2 % faster than the other.
TEST(PlayedSeeds, NeverDoTwoServeAndInTheEndOneDoes) {
  const int troubles = std::getenv("HEARTH_LONG") != nullptr ? 100'000 : 1'000;
  const auto [broken, first] = broken_of(troubles, {});
  EXPECT_EQ(broken, 0) << first;
}

/// What each rule of term.hpp is for; and that the test above would see it if it were not kept.
TEST(PlayedSeeds, WithoutAnyOneOfTheRulesTwoServe) {
  EXPECT_GT(broken_of(100, {.standby_waits = false}).first, 50);
  EXPECT_GT(broken_of(100, {.term_is_looked_at = false}).first, 20);
  EXPECT_GT(broken_of(100, {.old_connection_is_ended = false}).first, 20);
  EXPECT_GT(broken_of(1'000, {.waits_where_it_was_heard = false}).first, 5);
  EXPECT_GT(broken_of(100, {.beat_beside_looks_at_epoch = false}).first, 5);
}

}  // namespace
}  // namespace hearth::bootstrap
