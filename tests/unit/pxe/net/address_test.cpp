#include "pxe/net/address.hpp"

#include <gtest/gtest.h>

namespace hearth::pxe {
namespace {

TEST(Ipv4, IsReadAndWrittenAsADottedQuad) {
  EXPECT_EQ(parse_ipv4("192.0.2.7"), Ipv4{0xc0000207});
  EXPECT_EQ(to_text(Ipv4{0xc0000207}), "192.0.2.7");
}

TEST(Ipv4, RefusesEverySpellingButThePlainOne) {
  for (const char* text :
       {"", "192.0.2", "192.0.2.7.1", "192.0.2.256", "192.0.2.07", "192.0.2.", " 192.0.2.7", "192.0.2.-1"})
    EXPECT_FALSE(parse_ipv4(text)) << text;
}

TEST(Subnet, KnowsItsMaskItsBroadcastAndItsMembers) {
  const Subnet subnet = parse_subnet("198.51.100.77/25").value();
  EXPECT_EQ(to_text(subnet), "198.51.100.0/25");
  EXPECT_EQ(to_text(subnet.mask()), "255.255.255.128");
  EXPECT_EQ(to_text(subnet.broadcast()), "198.51.100.127");
  EXPECT_TRUE(subnet.contains(parse_ipv4("198.51.100.127").value()));
  EXPECT_FALSE(subnet.contains(parse_ipv4("198.51.100.128").value()));
  EXPECT_EQ(Subnet{}.mask(), Ipv4{0});
  EXPECT_FALSE(parse_subnet("198.51.100.0/33"));
  EXPECT_FALSE(parse_subnet("198.51.100.0"));
}

TEST(Mac, AllUsualSpellingsNameTheSameAddress) {
  const Mac mac = parse_mac("52:54:00:ab:cd:ef").value();
  for (const char* text : {"52-54-00-AB-CD-EF", "5254.00ab.cdef", "525400ABCDEF", "01-52-54-00-ab-cd-ef"})
    EXPECT_EQ(parse_mac(text), mac) << text;
  EXPECT_EQ(to_text(mac), "52:54:00:ab:cd:ef");
  EXPECT_EQ(with_dashes(mac), "52-54-00-ab-cd-ef");
}

TEST(Mac, MixedSeparatorsAndOtherLengthsAreNoAddress) {
  for (const char* text :
       {"", "52:54:00:ab:cd", "52:54-00:ab:cd:ef", "52:54:00:ab:cd:eg", "5254:00ab:cdef", "5:2540:0:ab:cd:ef"})
    EXPECT_FALSE(parse_mac(text)) << text;
}

TEST(Mac, GroupsAndZeroAreNoMachines) {
  EXPECT_TRUE(is_unicast(parse_mac("52:54:00:00:00:01").value()));
  EXPECT_FALSE(is_unicast(parse_mac("ff:ff:ff:ff:ff:ff").value()));
  EXPECT_FALSE(is_unicast(parse_mac("01:00:5e:00:00:01").value()));
  EXPECT_FALSE(is_unicast(Mac{}));
}

}  // namespace
}  // namespace hearth::pxe
