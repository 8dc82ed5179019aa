#include "pxe/dhcp/client_of_message.hpp"

#include <gtest/gtest.h>

#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe::dhcp {
namespace {

using namespace std::string_literals;

TEST(ClientOfMessage, FirmwareIsToldByItsClassAndArchitecture) {
  const Client bios = client_of(pxe_discover(mac(1), 0));
  EXPECT_EQ(bios.kind, Client::Kind::pxe);
  EXPECT_TRUE(bios.is_bios());
  Message http;
  http.set(option::class_id, "HTTPClient:Arch:00016:UNDI:003000");
  EXPECT_EQ(client_of(http).kind, Client::Kind::http);
  EXPECT_EQ(client_of(http).arch, 16) << "from the class, when option 93 is missing";
  EXPECT_EQ(client_of(Message{}).kind, Client::Kind::other);
}

TEST(ClientOfMessage, IpxeIsKnownByItsRawUserClassTheRfcFormAndItsOption) {
  Message message = pxe_discover(mac(1), 0);
  message.set(option::user_class, "iPXE");
  EXPECT_EQ(client_of(message).kind, Client::Kind::ipxe);
  message.set(option::user_class, "\4iPXE"s);
  EXPECT_EQ(client_of(message).kind, Client::Kind::ipxe);
  message.options.erase(option::user_class);
  message.set(option::ipxe, "\1\1\1"s);
  EXPECT_EQ(client_of(message).kind, Client::Kind::ipxe);
}

TEST(ClientOfMessage, TheRelaysCircuitIsTaken) {
  Message message;
  message.set(option::relay, "\1\5port7\2\1x"s);
  EXPECT_EQ(client_of(message).circuit, "port7");
}

}  // namespace
}  // namespace hearth::pxe::dhcp
