#include "base/sys/descriptors.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace hearth {
namespace {

rlimit limit_now() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit;
}

TEST(Descriptors, AreAllowedUpToTheHardLimitAndNeverFewer) {
  const rlimit before = limit_now();
  rlimit low = before;
  low.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  allow_descriptors(100);
  EXPECT_EQ(limit_now().rlim_cur, 100U);
  allow_descriptors(70);
  EXPECT_EQ(limit_now().rlim_cur, 100U);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace hearth
