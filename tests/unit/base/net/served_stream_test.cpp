#include "base/net/served_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "base/text.hpp"
#include "tests/fakes/running_server.hpp"

namespace hearth {
namespace {

using namespace std::chrono_literals;
using fakes::RawConnection;
using fakes::RunningServer;
using testing::HasSubstr;

ServedStream::Part part(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

TEST(ServedStream, GivesWhatWasPutInInOrderAndWakesItsServer) {
  ServedStream stream(100);
  int woken = 0;
  EXPECT_TRUE(stream.put(part("a")));
  stream.attach(part("head"), [&] { ++woken; });
  EXPECT_TRUE(stream.put(part("b")));
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(*stream.take(), "head");
  EXPECT_EQ(*stream.take(), "a");
  stream.close();
  EXPECT_EQ(woken, 2);
  EXPECT_EQ(*stream.take(), "b");
  EXPECT_EQ(stream.take(), nullptr);
  EXPECT_FALSE(stream.put(part("c")));
}

TEST(ServedStream, WhoDoesNotKeepUpIsCutOffAndWhatWaitedIsDropped) {
  ServedStream stream(10);
  EXPECT_TRUE(stream.put(part("12345678")));
  EXPECT_FALSE(stream.put(part("123")));
  EXPECT_FALSE(stream.is_open());
  EXPECT_EQ(stream.take(), nullptr);
}

TEST(ServedStream, WhatWasTakenNoLongerCounts) {
  ServedStream stream(10);
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(stream.put(part("12345678")));
    EXPECT_EQ(stream.take()->size(), 8U);
  }
}

/// Every request gets a stream of its own; the last one is kept. Used on the server's thread only.
class Streams final : public HttpHandler {
 public:
  ServedResponse answer(const ServedRequest&) override {
    ServedResponse response;
    response.headers = {{"Content-Type", "text/event-stream"}};
    response.stream = last = std::make_shared<ServedStream>(std::size_t{1} << 20U);
    return response;
  }
  std::shared_ptr<ServedStream> last;
};

/// Runs on the server's thread, and waits for it.
template <class Action>
auto on_server(HttpServer& server, Action action) {
  std::promise<decltype(action())> done;
  server.post([&] { done.set_value(action()); });
  return done.get_future().get();
}

TEST(HttpServerStream, SendsEachPartAsItComesWithoutALengthAndEndsWhenItIsClosed) {
  Streams streams;
  RunningServer server(streams);
  RawConnection client(server.port);
  client.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const std::string head = client.until("\r\n\r\n");
  EXPECT_THAT(head, HasSubstr("Connection: close"));
  EXPECT_THAT(head, testing::Not(HasSubstr("Content-Length")));
  EXPECT_TRUE(on_server(server.server, [&] { return streams.last->put(part("one\n")); }));
  EXPECT_THAT(client.until("one\n"), HasSubstr("one"));
  EXPECT_TRUE(on_server(server.server, [&] { return streams.last->put(part("two\n")); }));
  on_server(server.server, [&] { return streams.last->close(), 0; });
  EXPECT_EQ(client.rest(), "two\n");
}

TEST(HttpServerStream, NoticesThatItsReaderHasGoneThoughNothingIsSent) {
  Streams streams;
  RunningServer server(streams);
  {
    RawConnection client(server.port);
    client.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    client.until("\r\n\r\n");
    EXPECT_TRUE(on_server(server.server, [&] { return streams.last->is_open(); }));
  }
  const auto end = std::chrono::steady_clock::now() + 30s;
  while (on_server(server.server, [&] { return streams.last->is_open(); })) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    std::this_thread::yield();
  }
}

TEST(HttpServerStream, AReaderWhoTakesNothingIsCutAtTheLimitAndOthersGoOn) {
  Streams streams;
  RunningServer server(streams);
  RawConnection slow(server.port);
  slow.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  slow.until("\r\n\r\n");
  const ServedStream::Part big = part(std::string(200'000, 'x'));
  const auto end = std::chrono::steady_clock::now() + 60s;
  // The kernel's buffers take some megabytes before anything waits.
  while (on_server(server.server, [&] { return streams.last->put(big); })) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
  }
  RawConnection other(server.port);
  other.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(other.until("\r\n\r\n"), HasSubstr("200 OK"));
}

TEST(HttpServerStream, AStreamDoesNotKeepTheServerFromStopping) {
  Streams streams;
  RunningServer server(streams);
  RawConnection client(server.port);
  client.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.until("\r\n\r\n");
  const auto began = std::chrono::steady_clock::now();
  server.stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, 4s);  // stop_time is 5 s
}

}  // namespace
}  // namespace hearth
