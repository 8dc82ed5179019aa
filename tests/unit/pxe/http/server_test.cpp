#include "pxe/http/server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sys/file.hpp"
#include "tests/unit/pxe/tftp/loopback.hpp"

namespace hearth::pxe::http {
namespace {

using testing::EndsWith;
using testing::StartsWith;

/// Named contents, those that start with "file" from a file.
struct Source final : ContentSource {
  TempDir directory = TempDir::create("/tmp", "hearth-pxe-");
  std::map<std::string, std::string> contents;
  [[nodiscard]] std::variant<Content, Refusal> open(const ContentRequest& request) override {
    const auto found = contents.find(request.name);
    if (found == contents.end()) return Refusal{Refusal::Kind::not_found, "File not found"};
    if (!request.name.starts_with("file")) return Content::of_bytes(found->second);
    const fs::path path = directory.path() / request.name;
    RealFileSystem().write(path, found->second, {});
    return open_content(path.string());
  }
};

class HttpBootTest : public testing::Test {
 protected:
  void start(const Limits& limits = {}) {
    server_ = std::make_unique<Server>(reactor_, clock_, source_, log_, limits);
    at_ = server_->listen({tftp::k_loopback, 0});
  }
  Fd connect() {
    Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(at_.port);
    address.sin_addr.s_addr = htonl(at_.address.value);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::fcntl(socket.get(), F_SETFL, O_NONBLOCK);
    turn();
    return socket;
  }
  void turn(int times = 20) {
    for (int i = 0; i < times; ++i) reactor_.run_once({});
  }
  /// What has come until three looks in a row, 10 ms apart, found nothing: on a busy machine the kernel hands
  /// loopback's packets on late. "<closed>" at the end when the server has hung up.
  std::string taken(const Fd& socket) {
    std::string all;
    std::vector<char> buffer(1 << 20);
    for (int idle = 0; idle < 3;) {
      turn(2);
      const ssize_t size = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
      if (size == 0) return all + "<closed>";
      if (size > 0) {
        all.append(buffer.data(), static_cast<std::size_t>(size));
        idle = 0;
      } else {
        ++idle;
        pollfd waits{socket.get(), POLLIN, 0};
        ::poll(&waits, 1, 10);
      }
    }
    return all;
  }
  std::string exchange(const Fd& socket, const std::string& request) {
    write_all(socket, request, "the test's socket");
    return taken(socket);
  }

  fakes::ManualClock clock_;
  Reactor reactor_{clock_};
  Source source_;
  tftp::KeptRecords log_;
  std::unique_ptr<Server> server_;
  Endpoint at_;
};

TEST_F(HttpBootTest, SeveralRequestsShareAConnection) {
  start();
  source_.contents["a"] = "alpha";
  source_.contents["file"] = "from a file";
  const Fd socket = connect();
  EXPECT_THAT(exchange(socket, "GET /a HTTP/1.1\r\n\r\n"), EndsWith("\r\n\r\nalpha"));
  EXPECT_THAT(exchange(socket, "GET //file HTTP/1.1\r\n\r\n"), EndsWith("\r\n\r\nfrom a file"));
  EXPECT_THAT(exchange(socket, "GET /gone HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(exchange(socket, "GET /../a HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 4"));
  EXPECT_EQ(log_.records.size(), 4U);
  EXPECT_EQ(log_.records[1].bytes, 11U);
  EXPECT_TRUE(log_.records[1].good);
  EXPECT_FALSE(log_.records[2].good);
}

TEST_F(HttpBootTest, RequestsSentTogetherAreAnsweredInOrder) {
  start();
  source_.contents["a"] = "alpha";
  source_.contents["file"] = "beta";
  std::string many;
  for (int i = 0; i < 50; ++i) many += "GET /file HTTP/1.1\r\n\r\nGET /a HTTP/1.1\r\n\r\n";
  const Fd socket = connect();
  const std::string answers = exchange(socket, many);
  EXPECT_LT(answers.find("beta"), answers.find("alpha"));
  EXPECT_EQ(log_.records.size(), 100U);
}

TEST_F(HttpBootTest, ALargeFileArrivesWhole) {
  start();
  std::string large(5 << 20, '\0');
  for (std::size_t at = 0; at < large.size(); ++at) large[at] = static_cast<char>(at * 2654435761U >> 13U);
  source_.contents["file"] = large;
  const Fd socket = connect();
  const std::string answer = exchange(socket, "GET /file HTTP/1.1\r\nConnection: close\r\n\r\n");
  const std::size_t body = answer.find("\r\n\r\n") + 4;
  EXPECT_TRUE(answer.substr(body) == large + "<closed>");
  const Fd second = connect();
  EXPECT_THAT(exchange(second, "GET /file HTTP/1.1\r\nRange: bytes=5242870-\r\n\r\n"), EndsWith(large.substr(5242870)));
}

TEST_F(HttpBootTest, AHeadThatNeverEndsIsRefused) {
  start();
  const Fd socket = connect();
  EXPECT_THAT(exchange(socket, "GET /a HTTP/1.1\r\nX: " + std::string(9000, 'x')), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpBootTest, SilentClientsAreForgotten) {
  start();
  const Fd silent = connect();
  const Fd half = connect();
  write_all(half, "GET /a HT", "the test's socket");
  turn();
  EXPECT_EQ(server_->connections(), 2U);
  clock_.advance(std::chrono::seconds(31));
  EXPECT_EQ(taken(silent), "<closed>");
  EXPECT_EQ(taken(half), "<closed>");
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(HttpBootTest, AClientThatStopsReadingLosesItsPlace) {
  start();
  source_.contents["file"] = std::string(64 << 20, 'x');
  const Fd socket = connect();
  write_all(socket, "GET /file HTTP/1.1\r\n\r\n", "the test's socket");
  turn(200);
  EXPECT_EQ(server_->connections(), 1U);
  clock_.advance(std::chrono::seconds(61));
  turn();
  clock_.advance(std::chrono::seconds(61));
  turn();
  EXPECT_EQ(server_->connections(), 0U);
  EXPECT_EQ(log_.records.at(0).outcome, "the client fell silent");
}

TEST_F(HttpBootTest, OneClientCantTakeAllConnections) {
  start({.connections_per_client = 2});
  source_.contents["a"] = "alpha";
  const Fd one = connect();
  Fd two = connect();
  const Fd three = connect();
  EXPECT_EQ(taken(three), "<closed>");
  two.close();
  turn();
  const Fd four = connect();
  EXPECT_THAT(exchange(four, "GET /a HTTP/1.1\r\n\r\n"), EndsWith("alpha"));
}

TEST_F(HttpBootTest, TheRateOfAConnectionHolds) {
  start({.bytes_a_second_per_client = 100000});
  source_.contents["file"] = std::string(250000, 'x');
  const Fd socket = connect();
  const std::string first = exchange(socket, "GET /file HTTP/1.1\r\n\r\n");
  EXPECT_GT(first.size(), 100000U);
  EXPECT_LT(first.size(), 101000U);
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(taken(socket).size(), 100000U);
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(taken(socket).size(), 50000U);
}

TEST_F(HttpBootTest, WithoutDescriptorsItRestsAndGoesOnWhenThereAreSome) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP()
      << "UBSan looks at an object's type by a pipe of its own, and takes it for none where there are no descriptors";
#endif
  start();
  source_.contents["a"] = "alpha";
  Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int next = ::fcntl(client.get(), F_DUPFD, 0);
  ::close(next);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{static_cast<rlim_t>(next), before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(at_.port);
  address.sin_addr.s_addr = htonl(at_.address.value);
  EXPECT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  turn(100);
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_EQ(log_.records.size(), 1U) << "it does not ask again and again";
  EXPECT_EQ(log_.records[0].outcome, "too many open files");
  clock_.advance(std::chrono::milliseconds(200));
  turn();
  ::fcntl(client.get(), F_SETFL, O_NONBLOCK);
  EXPECT_THAT(exchange(client, "GET /a HTTP/1.1\r\n\r\n"), EndsWith("alpha"));
}

}  // namespace
}  // namespace hearth::pxe::http
