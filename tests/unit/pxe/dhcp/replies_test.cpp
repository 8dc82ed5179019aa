#include "pxe/dhcp/replies.hpp"

#include <gtest/gtest.h>

#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe::dhcp {
namespace {

using namespace std::string_literals;

TEST(DhcpReplies, IdentityIsEchoed) {
  Message request = from_client(Type::discover, mac(1));
  request.set(option::client_id, "id");
  request.set(option::uuid, std::string(17, '\0'));
  request.set(option::user_class, "iPXE");
  const Message reply = reply_to(request, Type::offer, ip("192.0.2.1"));
  EXPECT_EQ(reply.op, 2);
  EXPECT_EQ(*reply.find(option::client_id), "id");
  EXPECT_NE(reply.find(option::uuid), nullptr);
  EXPECT_EQ(reply.find(option::user_class), nullptr);
}

TEST(DhcpReplies, TimesAreAHalfAndSevenEighths) {
  Message reply;
  add_network(reply, sample_site().networks[0], 800);
  EXPECT_EQ(*reply.find(option::renewal), "\0\0\1\x90"s);
  EXPECT_EQ(*reply.find(option::rebinding), "\0\0\2\xbc"s);
  EXPECT_EQ(*reply.find(option::domain), "example.org");
  EXPECT_EQ(reply.find(option::mtu), nullptr);
}

TEST(DhcpReplies, AFileByTftpStandsWhereAnyFirmwareLooks) {
  Message reply;
  add_boot(reply, {"undionly.kpxe", false, ""}, {}, ip("192.0.2.1"));
  EXPECT_EQ(reply.file, "undionly.kpxe");
  EXPECT_EQ(*reply.find(option::boot_file), "undionly.kpxe");
  EXPECT_EQ(*reply.find(option::tftp_server), "192.0.2.1");
  EXPECT_EQ(reply.siaddr, ip("192.0.2.1"));
  EXPECT_EQ(reply.address(option::tftp_address), ip("192.0.2.1"));
}

TEST(DhcpReplies, IpxeIsToldNotToWaitForAProxy) {
  Message reply;
  add_boot(reply, {"http://192.0.2.1/ipxe/x", true, ""}, {.kind = Client::Kind::ipxe}, ip("192.0.2.1"));
  EXPECT_EQ(*reply.find(option::ipxe), "\xb0\1\1"s);
  EXPECT_EQ(reply.find(option::tftp_server), nullptr);
}

TEST(DhcpReplies, HttpFirmwareGetsItsClassBackAndBiosItsDiscoveryControl) {
  Message http;
  add_boot(http, {"http://192.0.2.1/boot/snponly.efi", true, ""}, {.kind = Client::Kind::http, .arch = 16},
           ip("192.0.2.1"));
  add_proxy(http, {.kind = Client::Kind::http, .arch = 16});
  EXPECT_EQ(*http.find(option::class_id), "HTTPClient");
  Message uefi;
  add_proxy(uefi, {.kind = Client::Kind::pxe, .arch = 7});
  EXPECT_EQ(uefi.find(option::vendor), nullptr);
  EXPECT_EQ(*uefi.find(option::class_id), "PXEClient");
}

TEST(DhcpReplies, TheWayFollowsRfc2131) {
  Message request = from_client(Type::request, mac(1));
  Message ack = reply_to(request, Type::ack, ip("192.0.2.1"));
  ack.yiaddr = ip("192.0.2.50");
  EXPECT_EQ(addressed(ack, request).way, Answer::Way::hardware);
  request.flags = 0x8000;
  EXPECT_EQ(addressed(ack, request).way, Answer::Way::broadcast);
  request.ciaddr = ip("192.0.2.50");
  EXPECT_EQ(addressed(ack, request).to, (Endpoint{ip("192.0.2.50"), 68}));
  EXPECT_EQ(addressed(reply_to(request, Type::nak, ip("192.0.2.1")), request).way, Answer::Way::broadcast);
  request.giaddr = ip("198.51.100.1");
  request.flags = 0;
  const Answer refused = addressed(reply_to(request, Type::nak, ip("192.0.2.1")), request);
  EXPECT_EQ(refused.to, (Endpoint{ip("198.51.100.1"), 67}));
  EXPECT_EQ(refused.message.flags, 0x8000);
}

}  // namespace
}  // namespace hearth::pxe::dhcp
