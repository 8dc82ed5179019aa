#include "bootstrap/power/qmp.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <string_view>
#include <thread>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/sys/local_socket.hpp"

namespace hearth::bootstrap {
namespace {

/// A monitor whose machine goes off when it has greeted.
class LeavingMonitor {
 public:
  explicit LeavingMonitor(const fs::path& path) : listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
  }
  [[nodiscard]] Fd client() const { return Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }
  void greet_and_go() const {
    const Fd client = this->client();
    constexpr std::string_view k_greeting = "{\"QMP\": {}}\n";
    EXPECT_GT(::send(client.get(), k_greeting.data(), k_greeting.size(), MSG_NOSIGNAL), 0);
  }

 private:
  Fd listener_;
};

TEST(Qmp, AMachineThatGoesOffWhileItIsAskedIsOff) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "qmp.");
  const SystemClock clock;
  const fs::path path = work.path() / "qmp";
  EXPECT_EQ(qmp(path, "quit", Json(), std::chrono::seconds(5), clock), std::nullopt);
  const LeavingMonitor monitor(path);
  for (int turn = 0; turn < 200; ++turn) {
    std::thread machine([&monitor] { monitor.greet_and_go(); });
    EXPECT_EQ(qmp(path, "query-status", Json(), std::chrono::seconds(5), clock), std::nullopt);
    machine.join();
  }
}

TEST(Qmp, AMonitorThatTakesNobodyInIsNotWaitedForWithoutEnd) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "qmp.");
  const SystemClock clock;
  const fs::path path = work.path() / "qmp";
  const LeavingMonitor monitor(path);
  std::vector<Fd> waiting;
  while (true) {
    try {
      waiting.push_back(connect_locally(path, false).value());
    } catch (const Error&) {
      break;
    }
  }
  try {
    static_cast<void>(qmp(path, "query-status", Json(), std::chrono::seconds(1), clock));
    ADD_FAILURE() << "nobody can have answered";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("takes nobody in"), std::string::npos) << error.what();
  }
}

TEST(Qmp, AMonitorThatNeverStopsSpeakingIsNotListenedToWithoutEnd) {
  const TempDir work = TempDir::create(fs::temp_directory_path(), "qmp.");
  const SystemClock clock;
  const fs::path path = work.path() / "qmp";
  const LeavingMonitor monitor(path);
  for (const auto& [said, fault] : {std::pair{std::string(4096, 'x'), "does not end"},
                                    std::pair{std::string("{\"event\": 1}\n"), "does not answer"},
                                    std::pair{std::string("{}\n{\"error\": \"no\"}\n"), "refused"}}) {
    std::thread machine([&monitor, said = said] {
      const Fd client = monitor.client();
      while (::send(client.get(), said.data(), said.size(), MSG_NOSIGNAL) > 0) continue;
    });
    try {
      static_cast<void>(qmp(path, "query-status", Json(), std::chrono::seconds(1), clock));
      ADD_FAILURE() << "that is no answer";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(fault), std::string::npos) << error.what();
    }
    machine.join();
  }
}

}  // namespace
}  // namespace hearth::bootstrap
