#include "base/net/connection.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth {
namespace {

constexpr Duration k_long = std::chrono::seconds(20);
constexpr Duration k_short = std::chrono::milliseconds(600);

/// A server of one connection that is gathering.
class GatheringTest : public testing::Test {
 protected:
  GatheringTest() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const raw = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_.get(), raw, length), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener_.get(), raw, &length), 0);
    const std::string url = cat("http://127.0.0.1:", ntohs(address.sin_port), "/");
    client_.emplace(Connection::open(parse_url(url).value_or_throw(), Deadline::after(k_long, clock_), clock_));
    server_ = Fd(::accept(listener_.get(), nullptr, nullptr));
    client_->gather(1000);
  }

  std::string read(Duration time) {
    std::array<char, 2000> buffer{};
    const std::size_t size = client_->read(buffer, Deadline::after(time, clock_));
    return {buffer.data(), size};
  }

  SystemClock clock_;
  Fd listener_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  Fd server_;
  std::optional<Connection> client_;
};

TEST_F(GatheringTest, FewerBytesThanAreWaitedForComeWithoutTheDeadline) {
  const MonotonicTime begin = clock_.now();
  write_all(server_, "abc", "the client");
  EXPECT_EQ(read(k_long), "abc");
  write_all(server_, "def", "the client");
  EXPECT_EQ(read(k_long), "def");
  EXPECT_LT(clock_.now() - begin, k_long / 2);
}

TEST_F(GatheringTest, TheEndIsSeenAtOnce) {
  server_ = Fd();
  EXPECT_EQ(read(k_long), "");
}

TEST_F(GatheringTest, ASilentServerIsGivenUpAtTheDeadline) {
  const MonotonicTime begin = clock_.now();
  EXPECT_THROW((void)read(k_short), Error);
  EXPECT_GE(clock_.now() - begin, k_short);
}

/// Of more than it lets wait the kernel says "Resource temporarily unavailable", which tells nobody what to do.
TEST(LocalConnectionTest, WhoIsNotLetInIsToldThatOthersWait) {
  const TempDir work = TempDir::create("/tmp", "hearth-full-");
  const fs::path path = work.path() / "socket";
  const Fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  path.string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 0), 0);
  const SystemClock clock;
  std::vector<Connection> waiting;
  try {
    while (waiting.size() < 10) waiting.push_back(Connection::open_local(path, clock));
    ADD_FAILURE() << "all are let in";
  } catch (const Error& error) {
    EXPECT_EQ(error.system_error(), EAGAIN);
    EXPECT_NE(error.story().find("So many wait there already"), std::string::npos) << error.story();
  }
}

}  // namespace
}  // namespace hearth
