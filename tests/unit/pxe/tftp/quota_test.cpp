#include "pxe/tftp/quota.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace hearth::pxe::tftp {
namespace {

TEST(TftpQuota, LimitsOneAddressAndAllTogetherUntilPlacesAreGivenBack) {
  Quota quota(3, 2);
  std::vector<Quota::Place> places;
  for (int transfer = 0; transfer < 2; ++transfer) places.push_back(quota.take({1}).value());
  EXPECT_FALSE(quota.take({1})) << "two for one address";
  places.push_back(quota.take({2}).value());
  EXPECT_FALSE(quota.take({3})) << "three in all";
  EXPECT_EQ(quota.running(), 3U);
  places.erase(places.begin());
  EXPECT_TRUE(quota.take({1}));
  places.clear();
  EXPECT_TRUE(quota.take({3}));
}

}  // namespace
}  // namespace hearth::pxe::tftp
