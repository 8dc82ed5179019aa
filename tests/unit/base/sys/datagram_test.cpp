#include "base/sys/datagram.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <cstring>

#include "base/sys/fd.hpp"
#include "base/sys/random.hpp"

namespace hearth {
namespace {

/// A socket in the abstract namespace.
class Receiver {
 public:
  Receiver() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data() + 1, name.size() - 1);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), length), 0);
  }
  [[nodiscard]] std::string got() const {
    std::array<char, 64> buffer{};
    const ssize_t size = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    return {buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
  }

  const std::string name = "@hearth-test-" + random_hex(8);

 private:
  Fd socket_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
};

TEST(DatagramTest, AnAbstractSocketGetsTheBytes) {
  const Receiver receiver;
  EXPECT_TRUE(send_datagram(receiver.name, "a line"));
  EXPECT_EQ(receiver.got(), "a line");
}

TEST(DatagramTest, AServiceManagerIsToldWhereThereIsOne) {
  const Receiver receiver;
  notify_service_manager({{"NOTIFY_SOCKET", receiver.name}}, "READY=1");
  EXPECT_EQ(receiver.got(), "READY=1");
  notify_service_manager({}, "READY=1");
  EXPECT_EQ(receiver.got(), "");
}

TEST(DatagramTest, AMissingOrOverlongAddressIsFalse) {
  EXPECT_FALSE(send_datagram("/dev/null/nonexistent/socket", "x"));
  EXPECT_FALSE(send_datagram(std::string(200, 'x'), "x"));
  EXPECT_FALSE(send_datagram("", "x"));
}

}  // namespace
}  // namespace hearth
