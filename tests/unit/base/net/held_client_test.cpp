#include "base/net/held_client.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/sys/fd.hpp"

namespace hearth {
namespace {

struct Pair {
  Fd server;
  Fd client;
};

/// Over TCP: other sockets have no reset.
Pair connected() {
  const Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  socklen_t size = sizeof address;
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const general = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(listener.get(), general, size), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(::getsockname(listener.get(), general, &size), 0);
  Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(client.get(), general, size), 0);
  return {Fd(::accept(listener.get(), nullptr, nullptr)), std::move(client)};
}

void wait_for(int socket, short events) {
  pollfd one{socket, events, 0};
  EXPECT_EQ(::poll(&one, 1, 5000), 1);
}

std::string received(int socket) {
  std::array<char, 100> bytes{};
  const ssize_t size = ::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
  return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

TEST(HeldClient, IsThereWhoHasOnlyEndedWhatHeSends) {
  const Pair pair = connected();
  HeldClient client(pair.server.get(), EndOfSending::is_probed);
  EXPECT_FALSE(client.has_gone());
  ::shutdown(pair.client.get(), SHUT_WR);
  wait_for(pair.server.get(), POLLRDHUP);
  EXPECT_FALSE(client.has_gone());
  wait_for(pair.client.get(), POLLIN);
  EXPECT_EQ(received(pair.client.get()), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_FALSE(client.has_gone());
  EXPECT_EQ(received(pair.client.get()), "") << "once is enough";
}

TEST(HeldClient, HasGoneWhoHasClosedHisSocket) {
  Pair pair = connected();
  HeldClient client(pair.server.get(), EndOfSending::is_probed);
  pair.client = Fd();
  wait_for(pair.server.get(), POLLRDHUP);
  EXPECT_FALSE(client.has_gone());
  wait_for(pair.server.get(), 0);
  EXPECT_TRUE(client.has_gone());
}

TEST(HeldClient, SaysNothingToAnOldOneAndNothingInTls) {
  const Pair pair = connected();
  ::shutdown(pair.client.get(), SHUT_WR);
  wait_for(pair.server.get(), POLLRDHUP);
  EXPECT_FALSE(HeldClient(pair.server.get(), EndOfSending::may_be_half).has_gone());
  EXPECT_TRUE(HeldClient(pair.server.get(), EndOfSending::is_gone).has_gone());
  EXPECT_EQ(received(pair.client.get()), "");
}

}  // namespace
}  // namespace hearth
