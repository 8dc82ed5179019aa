#include "base/cli/print.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "base/cli/command.hpp"

namespace hearth::cli {
namespace {

TEST(Print, TextOfOthersGivesTheTerminalNoOrders) {
  testing::internal::CaptureStdout();
  print("a\x1b[2J\xe2\x80\xae\n");
  print_exact("b\x1b[2J\n");  // no terminal gets it
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "a\\x1b[2J\\u202e\nb\x1b[2J\n");
  testing::internal::CaptureStderr();
  tell("c\x1b\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "c\\x1b\n");
}

/// Ends this process as a program would that prints and whose standard output is `device`.
[[noreturn]] void end_on(const char* device, int code, void (*act)()) {
  if (std::freopen(device, "w", stdout) == nullptr) ::_exit(99);
  const Command command{.words = "tell", .operands = "", .summary = "", .run = [code, act](const Arguments&) {
                          act();
                          return code;
                        }};
  ::_exit(run({"demo", "a demo", "1", {command}}, {"tell"}));
}

TEST(EndedDeathTest, WhatCouldNotBeWrittenIsNoSuccess) {
  constexpr const char* k_told = "demo: writing to standard output: No space left on device";
  const auto little = [] { print("{}\n"); };
  EXPECT_EXIT(end_on("/dev/full", 0, little), testing::ExitedWithCode(1), k_told);
  EXPECT_EXIT(end_on("/dev/full", 3, little), testing::ExitedWithCode(3), k_told);
  EXPECT_EXIT(end_on("/dev/null", 0, little), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(end_on("/dev/full", 0, [] { print(std::string(100'000, 'x')); }), testing::ExitedWithCode(1), k_told);
  EXPECT_EXIT(end_on("/dev/full", 0, [] { print_exact("x"); }), testing::ExitedWithCode(1), k_told);
  EXPECT_EXIT(end_on("/dev/null", 0, [] { lost_output(ENOSPC); }), testing::ExitedWithCode(1), k_told);
}

TEST(EndedDeathTest, WhoFollowsForNobodyEnds) {
  EXPECT_EXIT(end_on("/dev/full", 0,
                     [] {
                       for (int round = 0;; ++round) {
                         print("a line\n");
                         flush();
                         if (round > 0) ::_exit(98);
                       }
                     }),
              testing::ExitedWithCode(1), "^demo tell: writing to standard output: No space left on device\n$");
}

}  // namespace
}  // namespace hearth::cli
