#include "base/sys/limits.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <system_error>

#include "base/path.hpp"

namespace hearth {
namespace {

rlimit limit_now() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit;
}

TEST(Limits, DescriptorsAreAllowedUpToTheHardLimitAndNeverFewer) {
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

TEST(Limits, WhatTheSystemRefusesIsNoFaultOfOurs) {
  const std::system_error no_thread(EAGAIN, std::generic_category());
  EXPECT_TRUE(
      describe_unexpected(no_thread).starts_with("the system gives this process no further thread\n  Its limits"));
  EXPECT_TRUE(describe_unexpected(std::bad_alloc()).starts_with("out of memory\n  Its limits"));
  try {
    (void)fs::file_size("/nowhere/file");
  } catch (const std::exception& error) {
    EXPECT_EQ(describe_unexpected(error), "/nowhere/file: No such file or directory");
  }
  EXPECT_EQ(describe_unexpected(std::runtime_error("oops")), "internal error: oops");
  const std::system_error other(EPERM, std::generic_category(), "oops");
  EXPECT_TRUE(describe_unexpected(other).starts_with("internal error: oops"));
}

TEST(Limits, OnlyProcessorsThatThisProcessMayUseCount) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(usable_processors(), static_cast<unsigned>(CPU_COUNT(&before)));
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_processors(), 1U);
  ::sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace hearth
