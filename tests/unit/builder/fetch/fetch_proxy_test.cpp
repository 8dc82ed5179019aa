#include "builder/fetch/fetch_proxy.hpp"

#include <gmock/gmock.h>

#include <atomic>

#include "base/error.hpp"
#include "base/net/http_server.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/running_server.hpp"
#include "tests/unit/builder/fetch/loopback.hpp"

namespace hearth::builder::fetch {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class Hello final : public HttpHandler {
 public:
  ServedResponse answer(const ServedRequest& request) override {
    if (on_request) on_request();
    ServedResponse response;
    response.body = request.path;
    return response;
  }
  std::function<void()> on_request;
};

class FetchProxyTest : public testing::Test {
 protected:
  void start(FetchMode mode, bool intercept = false) {
    recording_ = std::make_shared<Recording>(mode, Lock{}, Lock{}, store_, [] { return std::string("step"); });
    proxy_ = std::make_unique<FetchProxy>(recording_, store_,
                                          ProxySetup{.intercept = intercept,
                                                     .environment = {},
                                                     .count_request = count_,
                                                     .on_bytes = [this](std::size_t bytes) { bytes_ += bytes; }});
    Listener listener;
    port_ = listener.port;
    proxy_->start(std::move(listener.socket));
  }
  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
  std::shared_ptr<ObjectStore> store_ = std::make_shared<ObjectStore>(dir_.path());
  std::shared_ptr<Recording> recording_;
  std::atomic<std::size_t> bytes_{0};  ///< that came from the network
  std::unique_ptr<FetchProxy> proxy_;
  std::function<void(int)> count_;
  std::uint16_t port_ = 0;
  Hello hello_;
};

TEST_F(FetchProxyTest, AnswersRequestsOfOneConnectionInTurn) {
  fakes::RunningServer server(hello_);
  start(FetchMode::record);
  fakes::RawConnection client(port_);
  client.say(cat("GET ", server.url("/a"), " HTTP/1.1\r\n\r\nGET ", server.url("/b"),
                 " HTTP/1.1\r\nConnection: close\r\n\r\n"));
  const std::string all = client.rest();
  EXPECT_THAT(all, HasSubstr("\r\n\r\n/aHTTP/1.1 200"));
  EXPECT_THAT(all, EndsWith("\r\n\r\n/b"));
  proxy_->stop();
  EXPECT_EQ(recording_->result().fetches.size(), 2U);
  EXPECT_EQ(bytes_, 4U);
}

TEST_F(FetchProxyTest, CountsARequestUntilItsAnswerIsRecorded) {
  std::atomic<int> under_way = 0;
  std::atomic<int> while_asked = 0;
  count_ = [&](int change) { under_way += change; };
  hello_.on_request = [&] { while_asked = under_way.load(); };
  fakes::RunningServer server(hello_);
  start(FetchMode::record);
  fakes::RawConnection client(port_);
  client.say(cat("GET ", server.url("/a"), " HTTP/1.1\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(client.rest(), EndsWith("/a"));
  proxy_->stop();
  EXPECT_EQ(while_asked, 1);
  EXPECT_EQ(under_way, 0);
}

TEST_F(FetchProxyTest, PassesATunnelOnUnseenAndNotesIt) {
  fakes::RunningServer server(hello_);
  start(FetchMode::record);
  fakes::RawConnection client(port_);
  client.say(cat("CONNECT 127.0.0.1:", server.port, " HTTP/1.1\r\n\r\n"));
  EXPECT_THAT(client.until("\r\n\r\n"), HasSubstr("200 Connection established"));
  client.say("GET /inside HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.rest(), EndsWith("/inside"));
  EXPECT_GT(bytes_, 7U);
  EXPECT_THAT(recording_->result().notes.at(0), HasSubstr("not recorded: https://127.0.0.1:"));
}

TEST_F(FetchProxyTest, OffersNoTunnelWhereNothingMayPass) {
  start(FetchMode::offline);
  fakes::RawConnection client(port_);
  client.say("CONNECT a.example:443 HTTP/1.1\r\n\r\n");
  EXPECT_THAT(client.rest(), HasSubstr("HTTP/1.1 504 "));
  EXPECT_EQ(recording_->misses().at(0).url, "https://a.example/");
}

TEST_F(FetchProxyTest, RefusesWhatIsNoRequestAndStaysUp) {
  start(FetchMode::record);
  EXPECT_EQ(proxy_->authority(), "");
  fakes::RawConnection noise(port_);
  noise.say("\x16\x03\x01\x02 noise\r\n\r\n");
  EXPECT_THAT(noise.rest(), HasSubstr("HTTP/1.1 400 "));
  fakes::RawConnection client(port_);
  client.say("GET ftp://a.example/x HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.rest(), HasSubstr("ftp is not recorded"));
}

TEST_F(FetchProxyTest, StopsWithClientsStillThere) {
  start(FetchMode::record, true);
  EXPECT_THAT(proxy_->authority(), HasSubstr("BEGIN CERTIFICATE"));
  fakes::RawConnection client(port_);
  client.say("GET http://a.example/ HTTP/1.1\r\n");
  proxy_->stop();
  EXPECT_EQ(client.rest(), "");
}

}  // namespace
}  // namespace hearth::builder::fetch
