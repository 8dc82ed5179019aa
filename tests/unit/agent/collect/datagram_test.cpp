#include "agent/collect/datagram.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstring>

#include "base/sys/fd.hpp"
#include "base/sys/random.hpp"

namespace hearth::agent {
namespace {

TEST(DatagramTest, AnAbstractSocketGetsTheBytes) {
  const std::string name = "@hearth-test-" + random_hex(8);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data() + 1, name.size() - 1);
  const Fd receiver(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  ASSERT_EQ(::bind(receiver.get(), reinterpret_cast<const sockaddr*>(&address), length), 0);
  EXPECT_TRUE(send_datagram(name, "READY=1"));
  std::array<char, 64> buffer{};
  const ssize_t got = ::recv(receiver.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  EXPECT_EQ(std::string(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0), "READY=1");
}

TEST(DatagramTest, AMissingOrOverlongAddressIsFalse) {
  EXPECT_FALSE(send_datagram("/nonexistent/socket", "x"));
  EXPECT_FALSE(send_datagram(std::string(200, 'x'), "x"));
  EXPECT_FALSE(send_datagram("", "x"));
}

}  // namespace
}  // namespace hearth::agent
