#include "pxe/boot/names.hpp"

#include <gtest/gtest.h>

#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

using Kind = ComputedName::Kind;

std::string meaning(std::string_view name) {
  const std::optional<ComputedName> found = computed_name(name);
  if (!found) return "a file";
  const char* kind = found->kind == Kind::ipxe ? "ipxe" : found->kind == Kind::pxelinux ? "pxelinux" : "grub";
  return std::string(kind) + " of '" + found->identity + "'";
}

TEST(ComputedNames, AreTheOnesThatLoadersAskFor) {
  EXPECT_EQ(meaning("ipxe/52-54-00-00-00-01"), "ipxe of '52-54-00-00-00-01'");
  EXPECT_EQ(meaning("boot/autoexec.ipxe"), "ipxe of ''");
  EXPECT_EQ(meaning("pxelinux.cfg/01-52-54-00-00-00-01"), "pxelinux of '01-52-54-00-00-00-01'");
  EXPECT_EQ(meaning("boot/pxelinux.cfg/default"), "pxelinux of ''");
  EXPECT_EQ(meaning("grub/grub.cfg"), "grub of ''");
  EXPECT_EQ(meaning("grub/grub.cfg-01-52:54:00:00:00:01"), "grub of '01-52:54:00:00:00:01'");
  EXPECT_EQ(meaning("grub/x86_64-efi/command.lst"), "a file");
  EXPECT_EQ(meaning("pxelinux.0"), "a file");
}

TEST(Identities, NameANodeInAnySpelling) {
  const NodeTable site(dhcp::sample_site().nodes);
  for (const char* text :
       {"52-54-00-00-00-01", "01-52-54-00-00-00-01", "01-52:54:00:00:00:01", "12345678-1234-1234-1234-123456789abc",
        "78563412-3412-3412-1234-123456789abc", "C0000232", "192.0.2.50"}) {
    const Identified found = identify(site, text);
    ASSERT_NE(found.node, nullptr) << text;
    EXPECT_EQ(found.node->name, "one");
    EXPECT_EQ(found.mac, dhcp::mac(1));
  }
}

TEST(Identities, WhatIpxeTellsOfItselfNamesTheNodeThatHasTheSerialNumber) {
  const NodeTable nodes({{.id = "3", .name = "three", .serial = "A, b=7"}});
  const Identified found = identify(nodes, "52-54-00-00-00-09,uuid=aaaaaaaa-0000,serial=A, b=7 ");
  ASSERT_NE(found.node, nullptr);
  EXPECT_EQ(found.node->name, "three");
  EXPECT_EQ(found.mac, dhcp::mac(9));
  EXPECT_TRUE(found.told_serial);
  const Identified other = identify(nodes, "52-54-00-00-00-09,uuid=,serial=");
  EXPECT_EQ(other.node, nullptr);
  EXPECT_TRUE(other.told_serial);
  EXPECT_FALSE(identify(nodes, "x,uuid=,serial=A, b=7").known);
  EXPECT_FALSE(identify(nodes, "52-54-00-00-00-09,serial=A,uuid=").known);
}

TEST(Identities, AnUnknownMacIsSomeoneButOtherUnknownNamesAreNobody) {
  const NodeTable site(dhcp::sample_site().nodes);
  EXPECT_TRUE(identify(site, "01-52-54-00-00-00-99").known);
  EXPECT_EQ(identify(site, "01-52-54-00-00-00-99").node, nullptr);
  for (const char* text : {"C0000233", "C00002", "aaaaaaaa-1234-1234-1234-123456789abc", "nobody"})
    EXPECT_FALSE(identify(site, text).known) << text;
}

}  // namespace
}  // namespace hearth::pxe
