#include "agent/collect/watchdog.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/fakes/manual_clock.hpp"

namespace hearth::agent {
namespace {

TEST(Watchdog, TheServiceManagerSaysHowOftenItWantsToHear) {
  EXPECT_EQ(watchdog_period({{"WATCHDOG_USEC", "2000000"}}, 7), std::chrono::seconds(1));
  EXPECT_EQ(watchdog_period({{"WATCHDOG_USEC", "2000000"}, {"WATCHDOG_PID", "7"}}, 7), std::chrono::seconds(1));
  EXPECT_FALSE(watchdog_period({{"WATCHDOG_USEC", "2000000"}, {"WATCHDOG_PID", "8"}}, 7));
  for (const char* none : {"", "0", "x", "9999999999999999"})
    EXPECT_FALSE(watchdog_period({{"WATCHDOG_USEC", none}}, 7));
  EXPECT_FALSE(watchdog_period({}, 7));
}

/// The service manager's side: what it hears within a second; empty for nothing.
class Manager {
 public:
  Manager() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path().copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  [[nodiscard]] std::string path() const { return (directory_.path() / "notify").string(); }
  std::string hear(int milliseconds) {
    pollfd entry{socket_.get(), POLLIN, 0};
    std::array<char, 64> buffer{};
    if (::poll(&entry, 1, milliseconds) <= 0) return "";
    const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  }

 private:
  TempDir directory_ = TempDir::create("/tmp", "hearth-watchdog-");
  Fd socket_;
};

TEST(Watchdog, IsToldThatAllIsWellUntilSomethingHangs) {
  Manager manager;
  fakes::ManualClock clock;
  Watchdog watchdog({{"NOTIFY_SOCKET", manager.path()}}, clock, std::chrono::milliseconds(20));
  EXPECT_EQ(manager.hear(5000), "WATCHDOG=1");
  EXPECT_EQ(manager.hear(5000), "WATCHDOG=1");
  watchdog.tell(DaemonState::Doing::waiting, -9000);
  while (!manager.hear(200).empty()) {
  }
  EXPECT_EQ(manager.hear(100), "");
  watchdog.tell(DaemonState::Doing::running);
  EXPECT_EQ(manager.hear(5000), "WATCHDOG=1");
}

}  // namespace
}  // namespace hearth::agent
