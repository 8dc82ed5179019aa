#include "pxe/net/udp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::pxe {
namespace {

constexpr Ipv4 k_loopback{0x7f000001};

TEST(Udp, TellsWhoSentAPacketAndToWhichAddress) {
  const Fd server = open_udp({Ipv4{}, 0});
  const Fd client = open_udp({k_loopback, 0});
  const Endpoint target{Ipv4{0x7f000009}, local_endpoint(server).port};
  ASSERT_TRUE(send_to(client, target, "hello"));
  std::array<char, 64> buffer{};
  const std::optional<Datagram> datagram = receive(server, buffer);
  ASSERT_TRUE(datagram);
  EXPECT_EQ(std::string_view(buffer.data(), datagram->size), "hello");
  EXPECT_EQ(datagram->from, local_endpoint(client));
  EXPECT_EQ(datagram->to, target.address);
  EXPECT_EQ(datagram->local, target.address);
  EXPECT_GT(datagram->interface_index, 0U);
  EXPECT_FALSE(receive(server, buffer));
}

TEST(Udp, APortInUseIsAnErrorThatSaysHowToFindTheOther) {
  const Fd first = open_udp({k_loopback, 0});
  try {
    const Fd second = open_udp(local_endpoint(first));
    FAIL() << "two sockets share a port";
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), testing::HasSubstr("ss -ulpn"));
    EXPECT_THAT(error.story(), testing::HasSubstr(to_text(local_endpoint(first))));
  }
}

TEST(Udp, AnInterfaceThatDoesNotExistIsNamed) {
  try {
    const Fd socket = open_udp({Ipv4{}, 0}, {.device = "nosuch0"});
    FAIL() << "bound to an interface that is not there";
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), testing::HasSubstr("nosuch0"));
  }
}

}  // namespace
}  // namespace hearth::pxe
