#include "pxe/boot/client.hpp"

#include <gtest/gtest.h>

#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe {
namespace {

using namespace std::string_literals;
using dhcp::Message;

TEST(BootClient, FirmwareIsToldByItsClassAndArchitecture) {
  const Client bios = client_of(dhcp::pxe_discover(dhcp::mac(1), 0));
  EXPECT_EQ(bios.kind, Client::Kind::pxe);
  EXPECT_TRUE(bios.is_bios());
  Message http;
  http.set(dhcp::option::class_id, "HTTPClient:Arch:00016:UNDI:003000");
  EXPECT_EQ(client_of(http).kind, Client::Kind::http);
  EXPECT_EQ(client_of(http).arch, 16) << "from the class, when option 93 is missing";
  EXPECT_EQ(client_of(Message{}).kind, Client::Kind::other);
}

TEST(BootClient, IpxeIsKnownByItsRawUserClassTheRfcFormAndItsOption) {
  Message message = dhcp::pxe_discover(dhcp::mac(1), 0);
  message.set(dhcp::option::user_class, "iPXE");
  EXPECT_EQ(client_of(message).kind, Client::Kind::ipxe);
  message.set(dhcp::option::user_class, "\4iPXE"s);
  EXPECT_EQ(client_of(message).kind, Client::Kind::ipxe);
  message.options.erase(dhcp::option::user_class);
  message.set(dhcp::option::ipxe, "\1\1\1"s);
  EXPECT_EQ(client_of(message).kind, Client::Kind::ipxe);
}

TEST(BootClient, UuidsAreSpelledAsTheMachineItselfSpellsThem) {
  EXPECT_EQ(uuid_text("\0\x78\x56\x34\x12\x34\x12\x34\x12\x12\x34\x12\x34\x56\x78\x9a\xbc"s),
            "12345678-1234-1234-1234-123456789abc");
  EXPECT_EQ(uuid_text("short"), "");
  EXPECT_EQ(uuid_text(std::string(17, '\1')), "");
}

TEST(BootClient, TheRelaysCircuitIsTaken) {
  Message message;
  message.set(dhcp::option::relay, "\1\5port7\2\1x"s);
  EXPECT_EQ(client_of(message).circuit, "port7");
}

TEST(BootClient, OddArchitecturesHaveANameToo) {
  EXPECT_EQ(arch_name(7), "UEFI x64 (arch 7)");
  EXPECT_EQ(arch_name(999), "unknown (arch 999)");
}

}  // namespace
}  // namespace hearth::pxe
