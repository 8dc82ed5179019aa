#include "agent/deploy/init/clock_setting.hpp"

#include <gtest/gtest.h>

namespace hearth::agent::deploy {
namespace {

/// A server's answer: leap indicator, mode and stratum, the cookie back, and a time.
std::string sntp_answer(unsigned char flags, unsigned char stratum, std::string_view cookie, std::string_view time) {
  std::string bytes(48, '\0');
  bytes[0] = static_cast<char>(flags);
  bytes[1] = static_cast<char>(stratum);
  bytes.replace(24, 8, cookie);
  bytes.replace(40, 8, time);
  return bytes;
}

double since_1970(WallTime time) { return std::chrono::duration<double>(time.time_since_epoch()).count(); }

constexpr std::string_view k_2024 = "\xe9\x3b\x58\x80\x80\x00\x00\x00";  // 3,912,980,608.5 since 1900

TEST(ClockSetting, AServersTimeIsRead) {
  EXPECT_EQ(encode_sntp("12345678").size(), 48U);
  const std::string question = encode_sntp("12345678");
  const auto time = parse_sntp(sntp_answer(0x24, 2, question.substr(40, 8), {k_2024.data(), 8}), "12345678");
  ASSERT_TRUE(time);
  EXPECT_EQ(since_1970(*time), 1703991808.5);
}

TEST(ClockSetting, In2036TheNumberBeginsAnew) {
  const auto time = parse_sntp(sntp_answer(0x24, 1, "12345678", std::string("\0\0\0\1\0\0\0\0", 8)), "12345678");
  ASSERT_TRUE(time);
  EXPECT_EQ(since_1970(*time), 2085978497.0);
}

TEST(ClockSetting, WhatIsNoGoodAnswerIsNone) {
  const std::string_view time(k_2024.data(), 8);
  const std::string_view cookie = "12345678";
  ASSERT_TRUE(parse_sntp(sntp_answer(0x24, 1, cookie, time), cookie));
  EXPECT_FALSE(parse_sntp(sntp_answer(0x24, 1, "87654321", time), cookie)) << "somebody else's guess";
  EXPECT_FALSE(parse_sntp(sntp_answer(0xe4, 1, cookie, time), cookie)) << "its clock is not set";
  EXPECT_FALSE(parse_sntp(sntp_answer(0x24, 0, cookie, time), cookie)) << "go away";
  EXPECT_FALSE(parse_sntp(sntp_answer(0x24, 16, cookie, time), cookie));
  EXPECT_FALSE(parse_sntp(sntp_answer(0x23, 1, cookie, time), cookie)) << "a question";
  EXPECT_FALSE(parse_sntp(sntp_answer(0x24, 1, cookie, std::string(8, '\0')), cookie));
  EXPECT_FALSE(parse_sntp(sntp_answer(0x24, 1, cookie, time).substr(0, 47), cookie));
}

}  // namespace
}  // namespace hearth::agent::deploy
