#include "bootstrap/rehearse/lossy_link.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::bootstrap {
namespace {

TEST(LossDice, losesAboutEveryTenthAndAlwaysTheSame) {
  LossDice dice(7);
  LossDice twin(7);
  int lost = 0;
  for (int i = 0; i < 10000; ++i) {
    const bool gone = dice.loses();
    EXPECT_EQ(gone, twin.loses());
    lost += gone ? 1 : 0;
  }
  EXPECT_GT(lost, 850);
  EXPECT_LT(lost, 1150);
}

TEST(LossyLink, withoutItsTapThereIsAnError) {
  EXPECT_THROW(LossyLink("/dev/null/nonexistent", "no-such-tap-name"), Error);
}

}  // namespace
}  // namespace hearth::bootstrap
