#include "builder/fetch/exchange.hpp"

#include <gmock/gmock.h>

#include <deque>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "tests/unit/builder/fetch/loopback.hpp"

namespace hearth::builder::fetch {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// A server that answers by script; a `cut` answer breaks off after its body.
class Server final : public HttpClient {
 public:
  struct Scripted {
    int status = 200;
    std::string body;
    HttpHeaders headers;
    bool cut = false;
  };
  std::deque<Scripted> script;
  std::vector<HttpRequest> asked;

  HttpResponse send(const HttpRequest& request) override {
    asked.push_back(request);
    if (script.empty()) throw Error(ErrorKind::io, "connection refused");
    const Scripted next = script.front();
    script.pop_front();
    HttpResponse response;
    response.status = next.status;
    response.headers = next.headers;
    response.headers.emplace_back("Content-Length", std::to_string(next.body.size() + (next.cut ? 1 : 0)));
    request.sink->begin(response);
    for (const char c : next.body) request.sink->take({&c, 1});
    if (next.cut) throw Error(ErrorKind::io, "the server closed the connection before the answer was complete");
    return response;
  }
};

class ExchangeTest : public testing::Test {
 protected:
  /// What the client sees; a line "closed" follows when the connection is to be closed.
  std::string ask(const std::string& method, const std::string& path, HttpHeaders headers = {},
                  const std::string& body = "") {
    Ends ends;
    std::string end;
    {
      Channel channel(std::move(ends.near));
      const ProxyRequest request{method, path, std::move(headers), body, true};
      const Url url = parse_url(path).value_or_throw();
      if (!exchange(request, url, {*recording_, *store_, *redactions_, server_, channel, {}, count_})) end = "\nclosed";
    }
    return read_all(ends.far, "client") + end;
  }
  void begin(FetchMode mode, Lock given = {}, Lock known = {}) {
    redactions_.emplace();
    recording_.emplace(mode, std::move(given), std::move(known), store_, [] { return std::string("step"); });
  }
  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
  std::shared_ptr<ObjectStore> store_ = std::make_shared<ObjectStore>(dir_.path());
  std::optional<Recording> recording_;
  std::optional<Redactions> redactions_;
  Server server_;
  std::size_t bytes_ = 0;  ///< that came from the network
  OnFetchedBytes count_ = [this](std::size_t bytes) { bytes_ += bytes; };
};

TEST_F(ExchangeTest, PassesAnAnswerOnAndKeepsIt) {
  begin(FetchMode::record);
  server_.script.push_back({200, "hello", {{"ETag", "\"1\""}, {"Set-Cookie", "no"}}});
  const std::string first = ask("GET", "http://a.example/x", {{"Accept-Encoding", "gzip"}, {"Authorization", "me"}});
  EXPECT_THAT(first, StartsWith("HTTP/1.1 200 OK\r\netag: \"1\"\r\n"));
  EXPECT_THAT(first, EndsWith("\r\n\r\nhello"));
  EXPECT_EQ(find_header(server_.asked[0].headers, "authorization"), "me");
  EXPECT_EQ(find_header(server_.asked[0].headers, "accept-encoding"), std::nullopt);
  EXPECT_THAT(ask("GET", "http://a.example/x", {{"Authorization", "me"}}), EndsWith("\r\n\r\nhello"));
  EXPECT_EQ(server_.asked.size(), 1U);
  EXPECT_EQ(bytes_, 5U);  // the second time it came from the store
}

TEST_F(ExchangeTest, TellsApartWhoShowsACredentialAndWhoChoosesAForm) {
  begin(FetchMode::record);
  for (const char* body : {"public", "private", "json"}) server_.script.push_back({200, body, {}});
  EXPECT_THAT(ask("GET", "http://a.example/x", {{"Accept", "*/*"}}), EndsWith("public"));
  EXPECT_THAT(ask("GET", "http://a.example/x", {{"Authorization", "me"}}), EndsWith("private"));
  EXPECT_THAT(ask("GET", "http://a.example/x", {{"Accept", "a/json; q=1"}}), EndsWith("json"));
  EXPECT_THAT(ask("GET", "http://a.example/x", {{"Accept", "text/*"}}), EndsWith("public"));
  const std::string lock = lock_text(recording_->result());
  EXPECT_THAT(lock, HasSubstr("\nGET;accept=a/json%3B%20q=1 http://a.example/x 200 sha256:"));
  EXPECT_THAT(lock, HasSubstr("\nGET;authorized http://a.example/x 200 sha256:"));
  EXPECT_EQ(parse_lock(lock, "lock").value_or_throw().fetches, recording_->result().fetches);
}

TEST_F(ExchangeTest, ASignedUrlIsFollowedWhileRecordingAndStandsNowhereAfterwards) {
  const std::string at = "http://b.example/x?sig=";
  begin(FetchMode::record);
  server_.script.push_back({302, "<a href=\"http://b.example/x?sig=s3cret\">", {{"Location", at + "s3cret"}}});
  server_.script.push_back({200, "hello", {}});
  EXPECT_THAT(ask("GET", "http://a.example/x"), HasSubstr("location: http://b.example/x?sig=s3cret\r\n"));
  EXPECT_THAT(ask("GET", at + "s3cret"), EndsWith("\r\n\r\nhello"));
  EXPECT_EQ(server_.asked.at(1).url.query, "sig=s3cret");
  // Asked again, the server signs anew: what is kept would lead nowhere.
  server_.script.push_back({302, "", {{"Location", at + "s3cret"}}});
  EXPECT_THAT(ask("GET", "http://a.example/x"), HasSubstr("sig=s3cret"));
  const Lock lock = recording_->result();
  EXPECT_THAT(lock_text(lock), testing::Not(HasSubstr("s3cret")));
  begin(FetchMode::offline, lock);
  EXPECT_THAT(ask("GET", "http://a.example/x"), HasSubstr("location: http://b.example/x?sig=REDACTED\r\n"));
  EXPECT_THAT(ask("GET", at + "REDACTED"), EndsWith("\r\n\r\nhello"));
  EXPECT_THAT(ask("GET", at + "another"), EndsWith("\r\n\r\nhello"));
  for (const auto& [key, fetched] : lock.fetches) {
    EXPECT_THAT(read_file(store_->blobs().path(fetched.sha256)), testing::Not(HasSubstr("s3cret")));
  }
}

TEST_F(ExchangeTest, ATokenIsHandedOutAndAskedForAgainWhereTheNetworkIsNeeded) {
  const HttpHeaders json = {{"Content-Type", "application/json"}};
  const std::string url = "http://a.example/token";
  begin(FetchMode::record);
  server_.script.push_back({200, R"({"token": "s3cret", "issued_at": "1"})", json});
  EXPECT_THAT(ask("GET", url), EndsWith(R"({"token": "s3cret", "issued_at": "1"})"));
  server_.script.push_back({200, R"({"token": "s3cret-2", "issued_at": "2"})", json});
  EXPECT_THAT(ask("GET", url), HasSubstr("s3cret-2"));
  server_.script.push_back({200, "hello", {}});
  (void)ask("GET", "http://a.example/x", {{"Private-Token", "s3cret-2"}});
  EXPECT_EQ(find_header(server_.asked.back().headers, "private-token"), "s3cret-2");
  const Lock lock = recording_->result();
  EXPECT_THAT(lock_text(lock), HasSubstr("GET;authorized http://a.example/x 200"));
  begin(FetchMode::locked, lock);
  EXPECT_THAT(ask("GET", url), EndsWith(R"({"token":"REDACTED"})"));
  fs::remove(store_->blobs().path(lock.fetches.at({"GET;authorized", "http://a.example/x"}).sha256));
  begin(FetchMode::locked, lock);  // the network is needed, and so is a token
  server_.script.push_back({200, R"({"token": "s3cret-3", "issued_at": "3"})", json});
  EXPECT_THAT(ask("GET", url), HasSubstr("s3cret-3"));
  server_.script.push_back({200, R"({"token": "s3cret-4", "admin": true})", json});
  EXPECT_THAT(ask("GET", url), HasSubstr("the lock says sha256:"));
}

TEST_F(ExchangeTest, VersionsOfGitsProtocolAreAskedForApart) {
  begin(FetchMode::record);
  for (const char* body : {"two", "none"}) server_.script.push_back({200, body, {}});
  EXPECT_THAT(ask("GET", "http://a.example/info/refs", {{"Git-Protocol", "version=2"}}), EndsWith("two"));
  EXPECT_THAT(ask("GET", "http://a.example/info/refs"), EndsWith("none"));
  const std::string lock = lock_text(recording_->result());
  EXPECT_THAT(lock, HasSubstr("\nGET;git-protocol=version=2 http://a.example/info/refs 200 "));
  EXPECT_EQ(parse_lock(lock, "lock").value_or_throw().fetches, recording_->result().fetches);
}

TEST_F(ExchangeTest, WhatAServerMakesForOneKindOfClientIsNotGivenToAnother) {
  begin(FetchMode::record);
  const HttpHeaders varies = {{"Vary", "Accept-Encoding, User-Agent"}};
  server_.script.push_back({200, "for curl", varies});
  server_.script.push_back({200, "for wget", varies});
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(ask("GET", "http://a.example/x", {{"User-Agent", "curl/7"}}), EndsWith("for curl"));
    EXPECT_THAT(ask("GET", "http://a.example/x", {{"User-Agent", "wget"}}), EndsWith("for wget"));
  }
  EXPECT_EQ(server_.asked.size(), 2U);
  const Lock lock = parse_lock(lock_text(recording_->result()), "lock").value_or_throw();
  EXPECT_EQ(lock.fetches, recording_->result().fetches);
  EXPECT_EQ(lock.fetches.count({"GET;vary=user-agent=wget", "http://a.example/x"}), 1U);
  begin(FetchMode::offline, lock);
  EXPECT_THAT(ask("GET", "http://a.example/x", {{"User-Agent", "wget"}}), EndsWith("for wget"));
  EXPECT_THAT(ask("GET", "http://a.example/x", {{"User-Agent", "curl/7"}}), EndsWith("for curl"));
  EXPECT_THAT(ask("GET", "http://a.example/x", {{"User-Agent", "curl/8"}}), EndsWith("for curl"));
}

TEST_F(ExchangeTest, FieldsOfOneNameAreOne) {
  begin(FetchMode::record);
  server_.script.push_back({401, "", {{"WWW-Authenticate", "Basic realm=\"a\""}, {"WWW-Authenticate", "Bearer"}}});
  EXPECT_THAT(ask("GET", "http://a.example/x", {{"Accept", "a/json"}, {"accept", "b/json"}}),
              HasSubstr("www-authenticate: Basic realm=\"a\", Bearer\r\n"));
  EXPECT_EQ(find_header(server_.asked.at(0).headers, "accept"), "a/json, b/json");
  EXPECT_THAT(lock_text(recording_->result()), HasSubstr("\nGET;accept=a/json,%20b/json "));
}

TEST_F(ExchangeTest, AnswersPartsOutOfTheWhole) {
  begin(FetchMode::record);
  server_.script.push_back({200, "0123456789", {}});
  EXPECT_THAT(ask("GET", "http://a.example/x", {{"Range", "bytes=2-3"}}), EndsWith("\r\n\r\n23"));
  EXPECT_EQ(find_header(server_.asked[0].headers, "range"), std::nullopt);
  EXPECT_THAT(ask("HEAD", "http://a.example/x"), HasSubstr("content-length: 10\r\n"));
  EXPECT_EQ(server_.asked.size(), 1U);
}

TEST_F(ExchangeTest, NeverShowsTheEndOfABrokenAnswer) {
  begin(FetchMode::record);
  server_.script.push_back({200, "hell", {}, true});
  EXPECT_THAT(ask("GET", "http://a.example/x"), EndsWith("\r\n\r\nhel\nclosed"));
  EXPECT_TRUE(recording_->result().fetches.empty());
  EXPECT_THAT(recording_->misses().at(0).why, HasSubstr("before the answer was complete"));
}

TEST_F(ExchangeTest, TriesAgainWhereNothingWasSentYet) {
  begin(FetchMode::record);
  EXPECT_THAT(ask("GET", "http://a.example/x"), StartsWith("HTTP/1.1 502 "));
  EXPECT_EQ(server_.asked.size(), 3U);
  server_.script.push_back({503, "busy", {}});
  EXPECT_THAT(ask("GET", "http://a.example/x"), HasSubstr("the server answered 503"));
}

TEST_F(ExchangeTest, KeepsAnswersThatSayNo) {
  begin(FetchMode::record);
  server_.script.push_back({404, "none", {}});
  EXPECT_THAT(ask("GET", "http://a.example/x"), StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(ask("GET", "http://a.example/x"), EndsWith("\r\n\r\nnone"));
  EXPECT_EQ(server_.asked.size(), 1U);
}

TEST_F(ExchangeTest, AsksOnlyWhetherSomethingChanged) {
  begin(FetchMode::record);
  server_.script.push_back({200, "hello", {{"ETag", "\"1\""}, {"Last-Modified", "then"}}});
  (void)ask("GET", "http://a.example/x");
  begin(FetchMode::record, {}, recording_->result());
  server_.script.push_back({304, "", {}});
  EXPECT_THAT(ask("GET", "http://a.example/x"), EndsWith("\r\n\r\nhello"));
  EXPECT_EQ(find_header(server_.asked[1].headers, "If-None-Match"), "\"1\"");
  EXPECT_EQ(find_header(server_.asked[1].headers, "If-Modified-Since"), "then");
  EXPECT_EQ(recording_->result().fetches.size(), 1U);
}

TEST_F(ExchangeTest, TellsPostsApartByWhatTheySend) {
  begin(FetchMode::record);
  server_.script.push_back({200, "one", {}});
  server_.script.push_back({200, "two", {}});
  EXPECT_THAT(ask("POST", "http://a.example/x", {}, "1"), EndsWith("one"));
  EXPECT_THAT(ask("POST", "http://a.example/x", {}, "2"), EndsWith("two"));
  EXPECT_THAT(ask("POST", "http://a.example/x", {}, "1"), EndsWith("one"));
  EXPECT_EQ(server_.asked.size(), 2U);
}

TEST_F(ExchangeTest, LockedShowsNothingThatIsNotWhatTheLockSays) {
  begin(FetchMode::record);
  server_.script.push_back({200, "right", {}});
  (void)ask("GET", "http://a.example/x");
  const Lock lock = recording_->result();
  fs::remove_all(dir_.path() / "objects");
  fs::create_directory(dir_.path() / "objects");
  begin(FetchMode::locked, lock);
  server_.script.push_back({200, "wrong", {}});
  EXPECT_THAT(ask("GET", "http://a.example/x"), EndsWith("\r\n\r\nwron\nclosed"));
  server_.script.push_back({200, "right", {}});
  EXPECT_THAT(ask("GET", "http://a.example/x"), EndsWith("\r\n\r\nright"));
  EXPECT_THAT(ask("GET", "http://a.example/other"), HasSubstr("the lock does not name it"));
}

TEST(RequestedUrl, IsWholeOrTheOneInsideATunnel) {
  const auto url = [](const std::string& method, const std::string& target, const std::string& host = "") {
    const Result<Url, std::string> read = url_of({method, target, {}, "", true}, host);
    return read ? read->text() : read.error();
  };
  EXPECT_EQ(url("GET", "http://a.example/x?y"), "http://a.example/x?y");
  EXPECT_EQ(url("GET", "/x", "a.example:443"), "https://a.example/x");
  EXPECT_EQ(url("HEAD", "/https://a.example/x?y"), "https://a.example/x?y");
  EXPECT_THAT(url("GET", "/x"), HasSubstr("this is a proxy"));
  EXPECT_THAT(url("GET", "ftp://a.example/x"), HasSubstr("ftp is not recorded"));
  EXPECT_THAT(url("PUT", "http://a.example/x"), HasSubstr("PUT can't be recorded"));
}

}  // namespace
}  // namespace hearth::builder::fetch
