#include "bootstrap/store/term.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace hearth::bootstrap
