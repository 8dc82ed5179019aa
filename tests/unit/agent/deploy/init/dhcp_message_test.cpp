#include "agent/deploy/init/dhcp_message.hpp"

#include <gtest/gtest.h>

namespace hearth::agent::deploy {
namespace {

const MacAddress k_mac = *parse_mac("52:54:00:12:34:56");

/// A server's answer to our own question, with these options.
std::string answer_to(const std::string& question, std::string_view options) {
  std::string bytes = question.substr(0, 240);
  bytes[0] = 2;
  bytes.replace(16, 4, std::string("\xc0\x00\x02\x0f", 4));
  return bytes + std::string(options) + '\xff';
}

TEST(DhcpMessage, AQuestionAsksForABroadcastAnswer) {
  const std::string bytes = encode_dhcp({.transaction = 0x01020304, .mac = k_mac, .requested = 0xc000020f});
  EXPECT_EQ(bytes.size(), 300U);
  EXPECT_EQ(bytes.substr(4, 4), "\x01\x02\x03\x04");
  EXPECT_EQ(static_cast<unsigned char>(bytes[10]), 0x80);
  EXPECT_NE(bytes.find(std::string("\x32\x04\xc0\x00\x02\x0f", 6)), std::string::npos);
}

TEST(DhcpMessage, AnOfferIsReadWithItsOptions) {
  const std::string question = encode_dhcp({.transaction = 7, .mac = k_mac});
  const std::string options(
      "\x35\x01\x02\x00\x01\x04\xff\xff\xff\x00\x03\x04\xc0\x00\x02\x01\x06\x08\xc0\x00\x02\x02\xc0\x00\x02\x03"
      "\x33\x04\x00\x00\x0e\x10\x36\x04\xc0\x00\x02\x01\x0f\x07lab.net\x0c\x06no de;\x1a\x02\x05\xdc",
      59);
  const auto answer = parse_dhcp(answer_to(question, options), 7, k_mac);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->kind, DhcpKind::offer);
  EXPECT_EQ(ipv4_text(answer->address), "192.0.2.15");
  EXPECT_EQ(ipv4_text(answer->mask), "255.255.255.0");
  EXPECT_EQ(ipv4_text(answer->router), "192.0.2.1");
  EXPECT_EQ(answer->name_servers.size(), 2U);
  EXPECT_EQ(answer->lease_seconds, 3600U);
  EXPECT_EQ(answer->domain, "lab.net");
  EXPECT_EQ(answer->hostname, "") << "what is no host name is not taken";
  EXPECT_EQ(answer->mtu, 1500);
}

TEST(DhcpMessage, ClasslessRoutesTakeThePlaceOfTheRouter) {
  const std::string question = encode_dhcp({.transaction = 7, .mac = k_mac});
  const std::string options(
      "\x35\x01\x05\x03\x04\xc0\x00\x02\x01\x2a\x04\xc0\x00\x02\x07"
      "\x79\x0e\x00\xc0\x00\x02\x02\x20\xc0\x00\x02\x02\x00\x00\x00\x00"
      "\x79\x07\x0c\x0a\x1f\xc0\x00\x02\x03",
      40);
  const auto answer = parse_dhcp(answer_to(question, options), 7, k_mac);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->time_servers, std::vector<Ipv4>{0xc0000207});
  const DhcpRoute host{0xc0000202, 0xffffffff, 0};
  const DhcpRoute network{0x0a100000, 0xfff00000, 0xc0000203};
  const DhcpRoute any{0, 0, 0xc0000202};
  EXPECT_EQ(routes_of(*answer, true), (std::vector<DhcpRoute>{host, network, any}));
  EXPECT_EQ(routes_of(*answer, false), (std::vector<DhcpRoute>{host, network}));
}

TEST(DhcpMessage, WithoutThemTheRouterIsTheDefaultRoute) {
  EXPECT_EQ(routes_of({.router = 9}, true), (std::vector<DhcpRoute>{{0, 0, 9}}));
  EXPECT_TRUE(routes_of({.router = 9}, false).empty());
}

TEST(DhcpMessage, ABrokenListOfRoutesIsNone) {
  const std::string question = encode_dhcp({.transaction = 7, .mac = k_mac});
  for (const std::string& list :
       {std::string("\x79\x05\x21\x0a\x00\x00\x01", 7), std::string("\x79\x03\x08\x0a\x00", 5)}) {
    const auto answer = parse_dhcp(answer_to(question, std::string("\x35\x01\x05", 3) + list), 7, k_mac);
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->routes.empty());
  }
}

TEST(DhcpMessage, AnswersForOthersAndBrokenOnesAreIgnored) {
  const std::string question = encode_dhcp({.transaction = 7, .mac = k_mac});
  const std::string good = answer_to(question, std::string("\x35\x01\x05", 3));
  EXPECT_TRUE(parse_dhcp(good, 7, k_mac));
  EXPECT_FALSE(parse_dhcp(good, 8, k_mac));
  EXPECT_FALSE(parse_dhcp(good, 7, *parse_mac("52:54:00:12:34:57")));
  EXPECT_FALSE(parse_dhcp(good.substr(0, 200), 7, k_mac));
  EXPECT_FALSE(parse_dhcp(answer_to(question, std::string("\x35\x09\x05", 3)).substr(0, 243), 7, k_mac));
  EXPECT_FALSE(parse_dhcp(question, 7, k_mac)) << "a question is no answer";
}

TEST(DhcpMessage, WhatNoMachineCanHaveIsNotTaken) {
  const std::string question = encode_dhcp({.transaction = 7, .mac = k_mac});
  const std::string options(
      "\x35\x01\x05\x06\x0c\x00\x00\x00\x00\x7f\x00\x00\x01\xc0\x00\x02\x03"
      "\x2a\x04\xff\xff\xff\xff",
      23);
  for (const std::string_view lie : {std::string_view("\0\0\0\0", 4), std::string_view("\x7f\0\0\1", 4),
                                     std::string_view("\xe0\0\0\1", 4), std::string_view("\xff\xff\xff\xff")}) {
    std::string bytes = answer_to(question, options);
    bytes.replace(16, 4, lie.substr(0, 4));
    const auto answer = parse_dhcp(bytes, 7, k_mac);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->address, 0U);
    EXPECT_EQ(answer->name_servers, std::vector<Ipv4>{0xc0000203});
    EXPECT_EQ(answer->time_servers, std::vector<Ipv4>{});
  }
}

}  // namespace
}  // namespace hearth::agent::deploy
