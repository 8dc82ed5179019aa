#include "agent/deploy/init/ipv6_message.hpp"

#include <gtest/gtest.h>

#include "base/byte_order.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {
namespace {

const MacAddress k_client_mac = *parse_mac("52:54:00:12:34:56");
const IpBytes k_given = ip_bytes("2001:db8::77");

std::string option(unsigned code, const std::string& value) {
  return big_endian(code, 2) + big_endian(value.size(), 2) + value;
}

std::string client_id() { return option(1, std::string("\x00\x03\x00\x01\x52\x54\x00\x12\x34\x56", 10)); }

std::string address_set(const std::string& inside) {
  return option(3, std::string("\x00\x12\x34\x56\x00\x00\x03\xe8\x00\x00\x06\x40", 12) + inside);
}

std::string given(std::uint32_t valid = 3600) {
  return address_set(option(5, k_given + big_endian(1800, 4) + big_endian(valid, 4)));
}

std::string answer(const std::string& options, char kind = 7) {
  return std::string(1, kind) + "\x01\x02\x03" + options;
}

std::optional<Dhcp6Answer> read(const std::string& bytes) { return parse_dhcp6(bytes, 0x010203, k_client_mac); }

TEST(RouterAdvertisements, FlagsAndNameServersAreRead) {
  std::string bytes("\x86\x00\x00\x00\x40\xc0\x07\x08\x00\x00\x00\x00\x00\x00\x00\x00", 16);
  bytes += std::string("\x01\x01\x52\x54\x00\x00\x00\x01", 8);  // the router's MAC
  bytes += std::string("\x19\x03\x00\x00\x00\x00\x0e\x10", 8) + ip_bytes("2001:db8::53");
  bytes += std::string("\x19\x03\x00\x00\x00\x00\x00\x00", 8) + ip_bytes("2001:db8::54");  // no longer
  const auto told = parse_router_advertisement(bytes);
  ASSERT_TRUE(told);
  EXPECT_TRUE(told->managed && told->other);
  ASSERT_EQ(told->name_servers.size(), 1U);
  EXPECT_EQ(ip_text(told->name_servers[0]), "2001:db8::53");
}

TEST(RouterAdvertisements, WhatIsNoneIsNothing) {
  std::string bytes("\x86\x00\x00\x00\x40\x00\x07\x08\x00\x00\x00\x00\x00\x00\x00\x00", 16);
  EXPECT_TRUE(parse_router_advertisement(bytes));
  EXPECT_FALSE(parse_router_advertisement(bytes.substr(0, 15)));
  EXPECT_FALSE(parse_router_advertisement(bytes + std::string("\x19\x00", 2))) << "an option without an end";
  EXPECT_FALSE(parse_router_advertisement(bytes + std::string("\x19\x03\x00\x00", 4))) << "an option that is cut off";
  bytes[0] = '\x85';
  EXPECT_FALSE(parse_router_advertisement(bytes));
}

TEST(Dhcp6, AQuestionNamesTheClientAndWhatItHolds) {
  const std::string bytes = encode_dhcp6(
      {.kind = Dhcp6Kind::request, .transaction = 0x010203, .mac = k_client_mac, .server = "S", .address = k_given});
  EXPECT_EQ(bytes.substr(0, 4), "\x03\x01\x02\x03");
  EXPECT_NE(bytes.find(client_id()), std::string::npos);
  EXPECT_NE(bytes.find(option(2, "S")), std::string::npos);
  EXPECT_NE(bytes.find(option(5, k_given + std::string(8, '\0'))), std::string::npos);
  EXPECT_EQ(encode_dhcp6({.kind = Dhcp6Kind::information_request, .mac = k_client_mac})
                .find(big_endian(3, 2) + big_endian(12, 2)),
            std::string::npos);
}

TEST(Dhcp6, AnAnswerIsReadWithItsAddressAndServers) {
  const auto told = read(answer(client_id() + option(2, "S") + given() +
                                option(23, ip_bytes("2001:db8::53") + ip_bytes("2001:db8::54")) +
                                option(56, option(1, ip_bytes("2001:db8::123")) + option(3, "ntp"))));
  ASSERT_TRUE(told);
  EXPECT_EQ(told->kind, Dhcp6Kind::reply);
  EXPECT_EQ(ip_text(told->address), "2001:db8::77");
  EXPECT_EQ(told->renew_seconds, 1000U);
  EXPECT_EQ(told->valid_seconds, 3600U);
  EXPECT_EQ(told->name_servers.size(), 2U);
  ASSERT_EQ(told->time_servers.size(), 1U);
  EXPECT_EQ(ip_text(told->time_servers[0]), "2001:db8::123");
}

TEST(Dhcp6, ARefusalGivesNoAddressWhereverItStands) {
  const std::string none = option(13, std::string("\x00\x02none", 6));
  const std::string head = client_id() + option(2, "S");
  EXPECT_TRUE(read(answer(head + given() + none))->address.empty());
  EXPECT_TRUE(read(answer(head + address_set(none)))->address.empty());
  const std::string within = k_given + big_endian(1, 4) + big_endian(2, 4) + none;
  EXPECT_TRUE(read(answer(head + address_set(option(5, within))))->address.empty());
  EXPECT_TRUE(read(answer(head + given(0)))->address.empty()) << "valid no longer";
  EXPECT_FALSE(read(answer(head + given() + option(13, std::string("\x00\x00", 2))))->address.empty()) << "success";
}

TEST(Dhcp6, WhatNoMachineCanHaveIsNotTaken) {
  const std::string head = client_id() + option(2, "S");
  for (const char* lie : {"::", "::1", "fe80::1", "ff02::1", "::ffff:192.0.2.1"}) {
    const auto told = read(
        answer(head + address_set(option(5, ip_bytes(lie) + big_endian(1800, 4) + big_endian(3600, 4))) +
               option(23, ip_bytes("ff02::1") + ip_bytes("fe80::53") + ip_bytes("::")) + option(31, ip_bytes("::1"))));
    ASSERT_TRUE(told);
    EXPECT_TRUE(told->address.empty()) << lie;
    EXPECT_EQ(told->name_servers, std::vector<IpBytes>{ip_bytes("fe80::53")}) << "a link's own has an interface";
    EXPECT_TRUE(told->time_servers.empty());
  }
}

TEST(Dhcp6, WhatIsNoAnswerToThisQuestionIsNothing) {
  const std::string good = answer(client_id() + option(2, "S") + given());
  ASSERT_TRUE(read(good));
  EXPECT_FALSE(parse_dhcp6(good, 0x010204, k_client_mac)) << "another transaction";
  EXPECT_FALSE(parse_dhcp6(good, 0x010203, MacAddress{})) << "another client";
  EXPECT_FALSE(read(answer(client_id() + given()))) << "no server";
  EXPECT_FALSE(read(answer(client_id() + option(2, "S"), 1))) << "a question";
  for (std::size_t size = 0; size < good.size(); ++size) (void)read(good.substr(0, size));
  EXPECT_FALSE(read(good.substr(0, good.size() - 1)));
}

TEST(GlobalAddress, IsOneThatOthersCanUse) {
  const std::string local = "fe80000000000000505400fffe123456 02 40 20 80     eth0\n";
  const auto has = [&](const std::string& line) { return has_global_address(local + line, "eth0"); };
  EXPECT_FALSE(has(""));
  EXPECT_TRUE(has("20010db8000000000000000000000077 02 80 00 00     eth0\n"));
  EXPECT_TRUE(has("20010db8000000000000000000000077 02 40 00 80     eth0\n"));
  EXPECT_FALSE(has("20010db8000000000000000000000077 02 40 00 c0     eth0\n")) << "not yet";
  EXPECT_FALSE(has("20010db8000000000000000000000077 02 40 00 88     eth0\n")) << "another has it";
  EXPECT_FALSE(has("20010db8000000000000000000000077 03 40 00 80     eth1\n"));
}

}  // namespace
}  // namespace hearth::agent::deploy
