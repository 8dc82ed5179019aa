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

TEST(Frame, AnArpAnnouncementClaimsAnAddressAndAsksForNoOther) {
  const std::string packet = arp_announcement(*parse_mac("52:54:00:00:00:02"), k_to.address);
  const std::optional<ArpClaim> claim = view_arp(packet);
  ASSERT_TRUE(claim);
  EXPECT_EQ(to_text(claim->mac), "52:54:00:00:00:02");
  EXPECT_EQ(claim->address, k_to.address);
  EXPECT_FALSE(view_arp_question(packet));
}

TEST(Frame, AnArpQuestionIsOfAMachineWithAnAddressAndAfterAnother) {
  const std::string probe = arp_probe(*parse_mac("52:54:00:00:00:02"), Ipv4{0xc0000263});
  EXPECT_FALSE(view_arp_question(probe)) << "no address yet";
  std::string question = probe;
  question.replace(14, 4, std::string("\xc0\x00\x02\x32", 4));
  const std::optional<ArpQuestion> view = view_arp_question(question);
  ASSERT_TRUE(view);
  EXPECT_EQ(to_text(view->mac), "52:54:00:00:00:02");
  EXPECT_EQ(to_text(view->from), "192.0.2.50");
  EXPECT_EQ(to_text(view->target), "192.0.2.99");
  for (std::size_t size = 0; size < question.size(); ++size) EXPECT_FALSE(view_arp_question(question.substr(0, size)));
  std::string answer = question;
  answer[7] = 2;
  EXPECT_FALSE(view_arp_question(answer));
  std::string announcement = question;
  announcement.replace(24, 4, question.substr(14, 4));
  EXPECT_FALSE(view_arp_question(announcement));
}

TEST(Frame, AnAttemptIsTheBeginningOfAConnectionOrAQuestionForAName) {
  const std::string message =
      std::string("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00", 12) + std::string(
                                                                                "\x04seed\x07"
                                                                                "ex\x1b"
                                                                                "mple\x00\x00\x01\x00\x01",
                                                                                18);
  const std::string packet = udp_packet(k_from, {k_to.address, 53}, message);
  const std::optional<Attempt> asked = view_attempt(packet);
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->name, "seed.ex?mple");
  EXPECT_FALSE(view_attempt(udp_packet(k_from, {k_to.address, 54}, message)));
  std::string answer = message;
  answer[2] = static_cast<char>(0x81);
  EXPECT_FALSE(view_attempt(udp_packet(k_from, {k_to.address, 53}, answer)));
  EXPECT_FALSE(view_attempt(udp_packet(k_from, {k_to.address, 53}, message.substr(0, 12))));

  std::string tcp = packet.substr(0, 20) + std::string("\x9c\x40\x1f\x40\0\0\0\1\0\0\0\0\x50\x02\xff\xff\0\0\0\0", 20);
  tcp[9] = 6;
  const std::optional<Attempt> begun = view_attempt(tcp);
  ASSERT_TRUE(begun);
  EXPECT_EQ(to_text(begun->from), "192.0.2.1:40000");
  EXPECT_EQ(to_text(begun->to), "192.0.2.100:8000");
  for (std::size_t size = 0; size < tcp.size(); ++size) EXPECT_FALSE(view_attempt(tcp.substr(0, size))) << size;
  tcp[33] = 0x12;  // SYN and ACK: an answer
  EXPECT_FALSE(view_attempt(tcp));
}

}  // namespace
}  // namespace hearth::pxe
