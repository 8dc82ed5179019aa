#include "pxe/dhcp/probe_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::pxe::dhcp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Ipv4 k_first{0xc0000201}, k_second{0xc0000202};

TEST(ProbePlan, AnIdleServerAsksForEachAddressOnceInTenMinutes) {
  ProbePlan plan;
  EXPECT_THAT(plan.due({k_first, k_second}, {}, 1000), ElementsAre(k_first, k_second));
  for (Seconds now = 1002; now < 1600; now += 2) EXPECT_THAT(plan.due({k_first, k_second}, {}, now), IsEmpty()) << now;
  EXPECT_THAT(plan.due({k_first, k_second}, {}, 1600), ElementsAre(k_first, k_second));
}

TEST(ProbePlan, WhatTheNextMachineGetsIsAskedForEveryFewSeconds) {
  ProbePlan plan;
  EXPECT_THAT(plan.due({k_first, k_second}, {k_first}, 1000), ElementsAre(k_first, k_second));
  EXPECT_THAT(plan.due({k_first, k_second}, {k_first}, 1001), IsEmpty());
  EXPECT_THAT(plan.due({k_first, k_second}, {k_first}, 1002), ElementsAre(k_first));
  EXPECT_THAT(plan.due({k_first, k_second}, {k_first}, 1003), IsEmpty());
}

TEST(ProbePlan, AnAddressThatComesNextAnewIsAskedForAtOnce) {
  ProbePlan plan;
  EXPECT_THAT(plan.due({k_first}, {}, 1000), ElementsAre(k_first));
  EXPECT_THAT(plan.due({k_first, k_second}, {}, 1002), ElementsAre(k_second));
  EXPECT_THAT(plan.due({k_second}, {}, 1004), IsEmpty());
  EXPECT_THAT(plan.due({k_first}, {}, 1006), ElementsAre(k_first)) << "it was given in between";
}

}  // namespace
}  // namespace hearth::pxe::dhcp
