#include "pxe/http/bucket.hpp"

#include <gtest/gtest.h>

namespace hearth::pxe::http {
namespace {

using std::chrono::seconds;
constexpr MonotonicTime k_start{std::chrono::hours(1)};

TEST(HttpBucket, WithoutARateEverythingMayGo) {
  Bucket bucket(0);
  EXPECT_EQ(bucket.allowance(1U << 30U, k_start), 1U << 30U);
  EXPECT_EQ(bucket.wait(), Duration::zero());
}

TEST(HttpBucket, ASecondsWorthGoesAtOnceThenTheRateHolds) {
  Bucket bucket(100000);
  EXPECT_EQ(bucket.allowance(250000, k_start), 100000U);
  bucket.take(100000);
  EXPECT_EQ(bucket.allowance(1, k_start), 0U);
  EXPECT_GT(bucket.wait(), std::chrono::milliseconds(160));
  EXPECT_LT(bucket.wait(), std::chrono::milliseconds(170));
  EXPECT_EQ(bucket.allowance(250000, k_start + std::chrono::milliseconds(500)), 50000U);
  EXPECT_EQ(bucket.allowance(250000, k_start + seconds(100)), 100000U) << "no more than a burst is saved up";
}

}  // namespace
}  // namespace hearth::pxe::http
