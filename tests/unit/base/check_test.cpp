#include "base/check.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace hearth {
namespace {

enum class Colour : std::int8_t { black = -1, red = 7 };

struct LastWords {
  ~LastWords() { std::fputs("a destructor ran\n", stderr); }
};

TEST(CheckTest, WhatHoldsCostsNothingAndSaysNothing) {
  testing::internal::CaptureStderr();
  check(true, "all is well", "number", 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(CheckTest, ABrokenInvariantEndsTheProcessWithItsPlaceAndItsValuesInOneLine) {
  const std::string name = "web1\n\x1b[2Jforged";
  EXPECT_EXIT(check(false, "a lease lasts", "expires", std::int64_t{-5}, "now", 18446744073709551615ULL, "node", name,
                    "colour", Colour::black),
              testing::ExitedWithCode(70),
              "^a fault of Hearth, which ends: tests/unit/base/check_test\\.cpp:[0-9]+: it does not hold that a lease "
              "lasts: expires=-5, now=18446744073709551615, node=web1\\?\\?\\[2Jforged, colour=-1\n$");
}

TEST(CheckTest, NeitherDestructorsNorWhatIsDoneAtTheEndOfAProgramRuns) {
  const auto ends = [] {
    std::atexit([] { std::fputs("a handler ran\n", stderr); });
    const LastWords words;
    check(false, "nothing is written any more");
  };
  EXPECT_EXIT(ends(), testing::ExitedWithCode(70), "^a fault of Hearth[^\n]*that nothing is written any more\n$");
}

TEST(CheckTest, NoExceptionHandlerKeepsTheProcess) {
  const auto caught = [] {
    try {
      check(false, "this is not caught");
    } catch (...) {
      std::fputs("caught\n", stderr);
    }
  };
  EXPECT_EXIT(caught(), testing::ExitedWithCode(70), "^a fault of Hearth[^\n]*not caught\n$");
}

TEST(CheckTest, AValueOfAnyLengthLeavesOneWholeLine) {
  EXPECT_EXIT(check(false, "it is short", "text", std::string(100'000, 'x')), testing::ExitedWithCode(70),
              "^a fault of Hearth[^\n]*x\n$");
}

TEST(CheckTest, AProcessMayEndInItsOwnWay) {
  const auto ends = [] {
    EXPECT_EQ(set_check_ending([]() noexcept { ::_exit(3); }), nullptr);
    check(false, "it ends by three");
  };
  EXPECT_EXIT(ends(), testing::ExitedWithCode(3), "that it ends by three\n$");
}

}  // namespace
}  // namespace hearth
