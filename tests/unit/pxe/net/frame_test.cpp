#include "pxe/net/frame.hpp"

#include <gtest/gtest.h>

#include "base/hex.hpp"

namespace hearth::pxe {
namespace {

const Endpoint k_from{Ipv4{0xc0000201}, 67};
const Endpoint k_to{Ipv4{0xc0000264}, 68};

TEST(Frame, AUdpPacketHasTheSumsThatTheRfcsAskFor) {
  EXPECT_EQ(to_hex(udp_packet(k_from, k_to, "odd")),
            "4500001f000000004011f668"  // the sums as worked out by another implementation of RFC 1071
            "c0000201c0000264"
            "00430044000ba786"
            "6f6464");
}

TEST(Frame, WhatWasMadeIsReadBack) {
  const std::string packet = udp_packet(k_from, k_to, "hello") + "padding of the link";
  const std::optional<UdpView> view = view_udp(packet);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->from, k_from);
  EXPECT_EQ(view->to, k_to);
  EXPECT_EQ(view->payload, "hello");
}

TEST(Frame, NothingIsReadFromPacketsThatAreCutFragmentedOrLie) {
  const std::string packet = udp_packet(k_from, k_to, "hello");
  for (std::size_t size = 0; size < packet.size(); ++size) EXPECT_FALSE(view_udp(packet.substr(0, size))) << size;
  std::string changed = packet;
  changed[6] = 0x20;  // more fragments
  EXPECT_FALSE(view_udp(changed));
  changed = packet;
  changed[9] = 6;  // TCP
  EXPECT_FALSE(view_udp(changed));
  changed = packet;
  changed[25] = 100;  // longer than the packet
  EXPECT_FALSE(view_udp(changed));
  changed = packet;
  changed[0] = 0x4f;  // a head of 60 bytes
  EXPECT_FALSE(view_udp(changed));
}

TEST(Frame, AnArpProbeClaimsNothingAndAnAnswerClaimsItsSender) {
  const Mac mac = parse_mac("52:54:00:00:00:01").value();
  std::string packet = arp_probe(mac, k_to.address);
  EXPECT_EQ(packet.size(), 28U);
  EXPECT_FALSE(view_arp(packet));
  packet.replace(14, 4, "\xc0\x00\x02\x64", 4);
  const std::optional<ArpClaim> claim = view_arp(packet);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->mac, mac);
  EXPECT_EQ(claim->address, k_to.address);
  EXPECT_FALSE(view_arp(packet.substr(0, 27)));
}

}  // namespace
}  // namespace hearth::pxe
