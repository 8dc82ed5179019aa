#include "bootstrap/conductor/strangers.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

constexpr Stamp k_begin = 1'000'000'000'000;

TEST(Strangers, areToldWithWhatTheyAskedSinceThen) {
  Strangers strangers;
  EXPECT_EQ(strangers.text_since(0), "");
  strangers.note("52:54:00:00:00:02", "dhcp DISCOVER", k_begin);
  strangers.note("52:54:00:00:00:02", "dhcp REQUEST", k_begin + 5);
  EXPECT_EQ(strangers.text_since(k_begin),
            "; meanwhile there asked, and is no node's: 52:54:00:00:00:02 (dhcp REQUEST, 2 times)");
  EXPECT_EQ(strangers.text_since(k_begin + 6), "");
  strangers.forget("52:54:00:00:00:02");
  EXPECT_EQ(strangers.text_since(0), "");
}

TEST(Strangers, waitTheNewestFirstForAnHour) {
  Strangers strangers;
  strangers.note("52:54:00:00:00:02", "dhcp DISCOVER", k_begin);
  strangers.note("52:54:00:00:00:01", "dhcp DISCOVER", k_begin - 1);
  strangers.note("52:54:00:00:00:03", "tftp snponly.efi", k_begin + 1);
  const Json list = strangers.waiting(k_begin + 2);
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0]["mac"], "52:54:00:00:00:03");
  EXPECT_EQ(list[0]["how"], "tftp snponly.efi");
  EXPECT_EQ(list[2]["mac"], "52:54:00:00:00:01");
  EXPECT_EQ(strangers.waiting(k_begin + 3'600'000'000).size(), 2U);
}

TEST(Strangers, whoAskedSinceThenIsKnownUntilItIsANodes) {
  Strangers strangers;
  EXPECT_TRUE(strangers.some_since(0).empty());
  for (const char* mac : {"e", "d", "c", "b", "a"}) strangers.note(mac, "dhcp DISCOVER", k_begin);
  strangers.note("f", "dhcp DISCOVER", k_begin + 5);
  EXPECT_EQ(strangers.some_since(k_begin), (std::vector<std::string>{"a", "b", "c", "d"})) << "the first few";
  EXPECT_EQ(strangers.some_since(k_begin + 5), std::vector<std::string>{"f"});
  EXPECT_TRUE(strangers.some_since(k_begin + 6).empty());
  EXPECT_TRUE(strangers.has_asked("a", k_begin));
  EXPECT_FALSE(strangers.has_asked("a", k_begin + 1));
  strangers.forget("a");
  EXPECT_FALSE(strangers.has_asked("a", 0));
}

TEST(Strangers, aFloodOfThemIsNotKept) {
  Strangers strangers;
  for (int i = 0; i < 100'000; ++i) strangers.note(cat("mac", i), "dhcp", k_begin);
  EXPECT_NE(strangers.text_since(0).find(" and 1020 more"), std::string::npos) << strangers.text_since(0);
  strangers.note("mac5", "dhcp", k_begin + 50'000'000);
  strangers.note("late", "dhcp", k_begin + 61'000'000);
  const Json list = strangers.waiting(k_begin + 61'000'000);
  ASSERT_EQ(list.size(), 2U) << "those make room that have not asked for a minute";
  EXPECT_EQ(list[0]["mac"], "late");
  EXPECT_EQ(list[1]["mac"], "mac5");
}

}  // namespace
}  // namespace hearth::bootstrap
