#include "agent/deploy/init/dhcp_client.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <thread>

#include "agent/deploy/init/ipv6_client.hpp"
#include "base/error.hpp"
#include "base/sys/fd.hpp"

namespace hearth::agent::deploy {
namespace {

constexpr int k_looks = 3000;  ///< at the clock, a millisecond each: far more than a deadline of a tenth of that needs

/// A clock that tells the time slowly, so that datagrams come faster than they are read; it gives up in the end.
class SlowClock final : public Clock {
 public:
  [[nodiscard]] MonotonicTime now() const override {
    system_.sleep(std::chrono::milliseconds(1));
    if (++looks_ > k_looks) throw Error(ErrorKind::io, "the deadline does not hold");
    return system_.now();
  }
  [[nodiscard]] WallTime wall() const override { return system_.wall(); }
  void sleep(Duration duration) override { system_.sleep(duration); }

 private:
  mutable SystemClock system_;
  mutable int looks_ = 0;
};

/// Sends a message, which is no answer, to this machine for as long as it lives.
class Flood {
 public:
  explicit Flood(const sockaddr_in6& target, int type = SOCK_DGRAM, const std::string& message = "lies", int hops = 64)
      : thread_([this, target, type, message, hops] {
          const Fd socket(::socket(AF_INET6, type | SOCK_CLOEXEC, type == SOCK_RAW ? IPPROTO_ICMPV6 : 0));
          ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_UNICAST_HOPS, &hops, sizeof hops);
          while (!ended_) {
            ::sendto(socket.get(), message.data(), message.size(), 0, reinterpret_cast<const sockaddr*>(&target),
                     sizeof target);
          }
        }) {}
  ~Flood() {
    ended_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

sockaddr_in6 local(const char* address, std::uint16_t port) {
  sockaddr_in6 target{.sin6_family = AF_INET6, .sin6_port = htons(port)};
  ::inet_pton(AF_INET6, address, &target.sin6_addr);
  return target;
}

/// `work` in a network of its own that has a loopback interface; false when this user may make none.
bool alone(const std::function<void()>& work) {
  bool may = false;
  std::thread([&] {
    may = ::unshare(CLONE_NEWNET) == 0;
    if (!may) return;
    RealLinks().set_up("lo", true);
    RealLinks().add_route({IpBytes(4, '\0'), 0, "", "lo"});
    try {
      work();
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }).join();
  return may;
}

TEST(DhcpClient, AFloodKeepsNobodyBeyondTheDeadline) {
  const bool may = alone([] {
    const Flood flood(local("::ffff:127.0.0.1", 68));
    SlowClock clock;
    EXPECT_FALSE(ask_for_lease("lo", MacAddress{}, Deadline::after(std::chrono::milliseconds(300), clock), clock));
  });
  if (!may) GTEST_SKIP() << "making a network namespace needs root";
}

/// What a server says to a REQUEST (RFC 2131): kind 5 = ACK, 6 = NAK.
std::string dhcp_reply(std::string question, char kind, const std::string& server) {
  question.resize(236);
  question[0] = '\2';
  question.replace(16, 4, std::string("\xc0\x00\x02\x0f", 4));
  return question + std::string("\x63\x82\x53\x63\x35\x01", 6) + kind + "\x36\x04" + server +
         std::string("\x33\x04\0\0\x02\x58\xff", 7);
}

/// Answers a question in the name of two servers, of which the one that lent nothing refuses first.
void refuse_and_grant(const Fd& server) {
  std::array<char, 2048> buffer{};
  const ssize_t got = ::recv(server.get(), buffer.data(), buffer.size(), 0);
  if (got <= 0) return;
  const std::string question(buffer.data(), static_cast<std::size_t>(got));
  sockaddr_in client{.sin_family = AF_INET, .sin_port = htons(68), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  for (const std::string& reply :
       {dhcp_reply(question, '\6', "\xc0\x63\x02\x63"), dhcp_reply(question, '\5', "\xc0\x63\x02\x01")})
    ::sendto(server.get(), reply.data(), reply.size(), 0, reinterpret_cast<const sockaddr*>(&client), sizeof client);
}

TEST(DhcpClient, AServerThatLentNothingTakesNothingBack) {
  const bool may = alone([] {
    const Fd server(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const sockaddr_in any{.sin_family = AF_INET, .sin_port = htons(67)};
    ASSERT_EQ(::bind(server.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any), 0);
    std::thread answering([&server] { refuse_and_grant(server); });
    const SystemClock clock;
    const DhcpAnswer lease{.address = 0xc000020f, .server = 0xc0630201};
    const auto renewed = renew_lease("lo", MacAddress{}, lease, Deadline::after(std::chrono::seconds(5), clock), clock);
    ::shutdown(server.get(), SHUT_RDWR);
    answering.join();
    ASSERT_TRUE(renewed);
    EXPECT_EQ(renewed->kind, DhcpKind::ack);
    EXPECT_EQ(renewed->lease_seconds, 600U);
  });
  if (!may) GTEST_SKIP() << "making a network namespace needs root";
}

TEST(Ipv6Client, AFloodKeepsNobodyBeyondTheDeadline) {
  const bool may = alone([] {
    const Flood flood(local("::1", 546));
    SlowClock clock;
    EXPECT_FALSE(ask_dhcp6("lo", MacAddress{}, false, Deadline::after(std::chrono::milliseconds(300), clock), clock));
  });
  if (!may) GTEST_SKIP() << "making a network namespace needs root";
}

/// What routers say to a machine where this is sent again and again, by a router so far away.
std::optional<RouterAdvertisement> told_by_router(const std::string& message, int hops) {
  const SystemClock clock;
  const Flood flood(local("::1", 0), SOCK_RAW, message, hops);
  return ask_routers("lo", Deadline::after(std::chrono::milliseconds(300), clock), clock);
}

TEST(Ipv6Client, ARouterIsBelievedOnItsOwnLinkOnly) {
  const std::string message("\x86\x00\x00\x00\x40\xc0\x07\x08\x00\x00\x00\x00\x00\x00\x00\x00", 16);
  const bool may = alone([&] {
    EXPECT_TRUE(told_by_router(message, 255));
    EXPECT_FALSE(told_by_router(message, 254));
  });
  if (!may) GTEST_SKIP() << "making a network namespace needs root";
}

/// Refuses all but addresses.
class StubbornLinks final : public Links {
 public:
  std::vector<std::string> told;
  [[nodiscard]] std::vector<std::string> names() const override { return {}; }
  [[nodiscard]] std::string mac_of(const std::string&) const override { return ""; }
  void set_up(const std::string&, bool) override {}
  void rename(const std::string&, const std::string&) override {}
  void add_bond(const BondWish&) override {}
  void add_port(const std::string&, const std::string&) override {}
  void remove_bond(const std::string&) override {}
  void add_vlan(const VlanWish&) override {}
  void set_mac(const std::string&, const std::string&) override {}
  void set_mtu(const std::string&, std::uint16_t) override { throw Error(ErrorKind::io, "no such MTU"); }
  void set_address(const std::string&, const IpBytes& address, int) override { told.push_back(ip_text(address)); }
  void drop_address(const std::string&, const IpBytes&, int) override {}
  void add_route(const RouteWish& route) override {
    if (!route.router.empty()) throw Error(ErrorKind::io, "no such router");
    told.push_back(ip_text(route.network));
  }
};

TEST(DhcpClient, AnMtuOrARouteThatIsRefusedIsToldAndTheRestIsTaken) {
  StubbornLinks links;
  std::vector<std::string> said;
  const DhcpAnswer lease{.address = 0xc000020f,
                         .mask = 0xffffff00,
                         .routes = {{0xc0000300, 0xffffff00, 0xc0000201}, {0xc0000400, 0xffffff00, 0}},
                         .mtu = 9216};
  apply_lease("eth0", lease, true, links, [&said](const std::string& text) { said.push_back(text); });
  EXPECT_EQ(links.told, (std::vector<std::string>{"192.0.2.15", "192.0.4.0"}));
  EXPECT_EQ(said, (std::vector<std::string>{"what DHCP says to eth0: no such MTU",
                                            "what DHCP says to eth0: no such router"}));
}

}  // namespace
}  // namespace hearth::agent::deploy
