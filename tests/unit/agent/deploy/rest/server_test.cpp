#include "agent/deploy/rest/server.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/error.hpp"
#include "base/net/connection.hpp"
#include "base/net/web_client.hpp"
#include "base/text.hpp"
#include "tests/fakes/no_threads.hpp"

namespace hearth::agent::deploy {
namespace {

class RestServerTest : public testing::Test {
 protected:
  void start(const RestLimits& limits, RestServer::Admission admits = {}) {
    server_.emplace(
        0, [](const ServedRequest& request) { return ServedResponse{.body = cat(request.body.size())}; }, nullptr,
        std::move(admits), limits);
  }
  [[nodiscard]] Url url() const {
    return parse_url(cat("http://127.0.0.1:", server_->port(), "/v1/commands")).value_or_throw();
  }
  [[nodiscard]] Deadline soon() const { return Deadline::after(std::chrono::seconds(20), clock_); }
  Connection stranger(std::string_view says) {
    Connection connection = Connection::open(url(), soon(), clock_);
    connection.write(says, soon());
    return connection;
  }
  HttpResponse post(std::size_t size) {
    HttpRequest request{.method = "POST", .url = url(), .body = std::string(size, 'x'), .deadline = soon()};
    return WebClient(clock_, {}, "test").send(request);
  }
  /// Whether the server has hung up on it.
  bool is_gone(Connection& connection) {
    std::array<char, 16> buffer{};
    try {
      return connection.read(buffer, soon()) == 0;
    } catch (const Error&) {
      return true;
    }
  }

  SystemClock clock_;
  std::optional<RestServer> server_;
};

TEST_F(RestServerTest, AHeadSaysHowLongItsBodyIs) {
  const std::string text = "POST /v1/commands?wait=true HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nbo";
  const std::optional<RequestHead> head = parse_request_head(text);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->size, text.size() - 2);
  EXPECT_EQ(head->body, 5U);
  EXPECT_EQ(head->request.query, "wait=true");
  EXPECT_FALSE(parse_request_head(text.substr(0, 40)));
  for (const char* bad :
       {"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "GET /\r\n\r\n", "x y HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n", "GET / HTTP/1.1\r\nnone\r\n\r\n"}) {
    EXPECT_THROW((void)parse_request_head(bad), Error) << bad;
  }
  EXPECT_THROW((void)parse_request_head(std::string(40000, 'x')), Error);
}

TEST_F(RestServerTest, WhoTakesAllPlacesBySayingNothingDrivesOutHimselfOnly) {
  start({.places = 3});
  std::vector<Connection> strangers;
  for (int i = 0; i < 3; ++i) strangers.push_back(stranger("GET /"));
  EXPECT_EQ(post(10).body, "10");
  EXPECT_TRUE(is_gone(strangers.front()));
}

TEST_F(RestServerTest, WithoutAThreadForItACallerIsHungUpOnAndTheNextOneIsServed) {
  start({});
  {
    const fakes::NoThreads none;
    Connection caller = stranger("GET / HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(is_gone(caller));
  }
  EXPECT_EQ(post(10).body, "10");
}

TEST_F(RestServerTest, AHeadThatDripsIsNotWaitedFor) {
  start({.head = std::chrono::milliseconds(200)});
  Connection slow = stranger("GET / HTTP/1.1\r\n");
  EXPECT_TRUE(is_gone(slow));
}

TEST_F(RestServerTest, ABodyThatDripsIsNotWaitedFor) {
  start({.body = std::chrono::milliseconds(200)});
  Connection slow = stranger("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nx");
  EXPECT_TRUE(is_gone(slow));
}

TEST_F(RestServerTest, WhoDoesNotTakeHisAnswerHoldsNobodyUp) {
  server_.emplace(
      0, [](const ServedRequest&) { return ServedResponse{.body = std::string(std::size_t{64} << 20U, 'x')}; }, nullptr,
      RestServer::Admission{}, RestLimits{.answer = std::chrono::milliseconds(500)});
  Connection slow = stranger("GET / HTTP/1.1\r\n\r\n");
  std::array<char, 16> buffer{};
  EXPECT_GT(slow.read(buffer, soon()), 0U);
  const MonotonicTime begun = clock_.now();
  server_.reset();
  EXPECT_LT(clock_.now() - begun, std::chrono::seconds(15));
}

TEST_F(RestServerTest, AnAnswerMayBeMadeWhileItIsSentAndHasTimeForEachOfItsParts) {
  server_.emplace(
      0,
      [this](const ServedRequest&) {
        RestAnswer answer(ServedResponse{.status = 206});
        answer.parts = [this, left = 6, text = std::string()]() mutable -> std::string_view {
          clock_.sleep(std::chrono::milliseconds(100));
          text = left > 0 ? cat("part ", left--, "\n") : "";
          return text;
        };
        return answer;
      },
      nullptr, RestServer::Admission{}, RestLimits{.answer = std::chrono::milliseconds(300)});
  Connection client = stranger("GET / HTTP/1.1\r\n\r\n");
  std::string all;
  std::array<char, 512> buffer{};
  for (std::size_t got = 0; (got = client.read(buffer, soon())) > 0;) all.append(buffer.data(), got);
  EXPECT_EQ(all.find("HTTP/1.1 206"), 0U);
  EXPECT_EQ(all.find("Content-Length"), std::string::npos) << all;
  EXPECT_EQ(all.substr(all.find("\r\n\r\n") + 4), "part 6\npart 5\npart 4\npart 3\npart 2\npart 1\n");
}

TEST_F(RestServerTest, AnAnswerWithoutAnEndDoesNotKeepTheServerAlive) {
  server_.emplace(0, [this](const ServedRequest&) {
    RestAnswer answer;
    answer.parts = [this]() -> std::string_view {
      clock_.sleep(std::chrono::milliseconds(50));
      return "more";
    };
    return answer;
  });
  Connection client = stranger("GET / HTTP/1.1\r\n\r\n");
  std::array<char, 16> buffer{};
  EXPECT_GT(client.read(buffer, soon()), 0U);
  const MonotonicTime begun = clock_.now();
  server_.reset();
  EXPECT_LT(clock_.now() - begun, std::chrono::seconds(10));
}

TEST_F(RestServerTest, WhoTakesAnAnswerSlowlyDoesNotHoldUpTheServersEnd) {
  server_.emplace(0, [](const ServedRequest&) {
    RestAnswer answer;
    answer.parts = [part = std::string(std::size_t{64} << 20U, 'x')]() -> std::string_view { return part; };
    return answer;
  });
  Connection slow = stranger("GET / HTTP/1.1\r\n\r\n");
  std::array<char, 16384> buffer{};
  EXPECT_GT(slow.read(buffer, soon()), 0U);
  std::atomic<bool> ended{false};
  std::thread taking([&] {
    try {
      while (!ended && slow.read(buffer, soon()) > 0) clock_.sleep(std::chrono::milliseconds(50));
    } catch (const Error&) {  // it was cut off, as it should
    }
  });
  const MonotonicTime begun = clock_.now();
  server_.reset();
  EXPECT_LT(clock_.now() - begun, std::chrono::seconds(10));
  ended = true;
  taking.join();
}

TEST_F(RestServerTest, LongBodiesAreForWhoIsLetIn) {
  start({}, [](const ServedRequest&) { return false; });
  EXPECT_EQ(post(1000).body, "1000");
  EXPECT_EQ(post(100'000).status, 401);
}

TEST_F(RestServerTest, BodiesTakeNoMoreMemoryThanTheyMay) {
  start({.held = 150'000});
  EXPECT_EQ(post(100'000).body, "100000");
  EXPECT_EQ(post(200'000).status, 503);
}

}  // namespace
}  // namespace hearth::agent::deploy
