#include "base/net/http_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <future>
#include <set>
#include <thread>
#include <vector>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "tests/fakes/running_server.hpp"

namespace hearth {
namespace {

using fakes::RawConnection;
using fakes::RunningServer;
using namespace std::chrono_literals;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Answers with what it was asked; /throw throws; /big gives a megabyte, /bigger more than buffers hold.
class Echo final : public HttpHandler {
 public:
  ServedResponse answer(const ServedRequest& request) override {
    ServedResponse response;
    if (request.path == "/throw") throw Error(ErrorKind::io, "the disk is gone");
    if (request.path == "/big" || request.path == "/bigger") {
      response.shared_body = request.path == "/big" ? big_ : bigger_;
      return response;
    }
    response.headers = {{"X-Peer", request.peer}};
    response.body = cat(request.method, " ", request.path, "?", request.query, " host=", request.host(), " ",
                        request.body.size() < 100 ? request.body : std::to_string(request.body.size()));
    return response;
  }

 private:
  std::shared_ptr<const std::string> big_ = std::make_shared<const std::string>(1 << 20, 'x');
  std::shared_ptr<const std::string> bigger_ = std::make_shared<const std::string>(1 << 24, 'x');
};

class Records final : public AccessLog {
 public:
  void record(const AccessRecord& record) noexcept override {
    lines.push_back(cat(record.listener, " ", record.request.peer, " ", record.request.method, " ",
                        record.request.target, " ", record.status, " ", record.bytes));
  }
  std::vector<std::string> lines;
};

TEST(HttpServer, AnswersWhatItsHandlerSays) {
  Echo echo;
  RunningServer server(echo);
  const HttpResponse response = server.send("POST", "/a%20b?c=d", {}, "body");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, cat("POST /a b?c=d host=127.0.0.1:", server.port, " body"));
  EXPECT_EQ(find_header(response.headers, "x-peer"), "127.0.0.1");
}

TEST(HttpServer, WhileItIsPausedWhoeverAsksIsToldWhy) {
  Echo echo;
  std::atomic<bool> is_paused = true;
  RunningServer server(echo, {.pause = [&] { return std::string(is_paused ? "another seed serves" : ""); }});
  const HttpResponse refused = server.send("GET", "/a");
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("another seed serves"));
  is_paused = false;
  EXPECT_EQ(server.send("GET", "/a").status, 200);
}

/// Who the kernel says it is.
class WhoIsIt final : public HttpHandler {
 public:
  ServedResponse answer(const ServedRequest& request) override {
    ServedResponse response;
    response.body = cat(request.peer, " ", request.user ? std::to_string(*request.user) : "nobody");
    return response;
  }
};

TEST(HttpServer, KnowsTheUserWhoComesByAPathAndNobodyElse) {
  const TempDir directory = TempDir::create(fs::temp_directory_path(), "hearth-test-");
  const std::string path = (directory.path() / "api.socket").string();
  WhoIsIt who;
  RunningServer server(who);
  const SystemClock clock;
  server.server.post([&] { server.server.listen_locally("api", path, who); });
  HttpRequest request;
  request.url = parse_url("http://localhost/").value_or_throw();
  request.socket = path;
  request.deadline = Deadline::after(20s, clock);
  EXPECT_EQ(server.send("GET", "/").body, "127.0.0.1 nobody");  // and by now the other one is open
  WebClient client(clock, {{"http_proxy", "http://127.0.0.1:1"}}, "test");
  EXPECT_EQ(client.send(request).body, cat("local ", ::geteuid()));
  request.socket += ".other";
  EXPECT_THROW(static_cast<void>(client.send(request)), Error);
}

TEST(HttpServer, KeepsAConnectionForFurtherRequestsEvenPipelinedOnes) {
  Echo echo;
  RunningServer server(echo);
  RawConnection client(server.port);
  client.say("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(client.until("GET /1? host=h "), HasSubstr("200 OK"));
  EXPECT_THAT(client.until("GET /2? host=h "), HasSubstr("200 OK"));
  client.say("GET /3 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.rest(), HasSubstr("Connection: close"));
}

TEST(HttpServer, HeadGetsTheLengthButNoBody) {
  Echo echo;
  RunningServer server(echo);
  RawConnection client(server.port);
  client.say("HEAD /big HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  const std::string all = client.rest();
  EXPECT_THAT(all, HasSubstr("Content-Length: 1048576\r\n"));
  EXPECT_THAT(all, testing::EndsWith("\r\n\r\n"));
}

TEST(HttpServer, WhatAHandlerThrowsIsA500ForTheClientAndAStoryInTheLog) {
  Echo echo;
  RunningServer server(echo);
  const HttpResponse response = server.send("GET", "/throw?temp_url_sig=secret");
  server.stop();
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, Not(HasSubstr("disk")));
  EXPECT_TRUE(server.log.holds("the disk is gone"));
  EXPECT_FALSE(server.log.holds("secret"));
}

TEST(HttpServer, RefusesHeadsAndBodiesThatAreTooLong) {
  Echo echo;
  RunningServer server(echo, {.head_bytes = 1000, .body_bytes = 5000});
  EXPECT_EQ(server.send("GET", "/", {{"X", std::string(2000, 'x')}}).status, 431);
  EXPECT_EQ(server.send("POST", "/", {}, std::string(6000, 'x')).status, 413);
  EXPECT_EQ(server.send("POST", "/", {}, std::string(5000, 'x')).status, 200);
}

TEST(HttpServer, RefusesAChunkedBodyAsSoonAsItIsTooLong) {
  Echo echo;
  RunningServer server(echo, {.body_bytes = 10});
  RawConnection client(server.port);
  client.say("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n12345678\r\n8\r\n12345678\r\n");
  EXPECT_THAT(client.rest(), StartsWith("HTTP/1.1 413 "));
}

TEST(HttpServer, WhatIsNoHttpIsAnsweredWith400AndClosed) {
  Echo echo;
  RunningServer server(echo);
  for (const char* bad :
       {"\x16\x03\x01\x02\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET /a%00b HTTP/1.1\r\n\r\n",
        "GET * HTTP/1.1\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"}) {
    RawConnection client(server.port);
    client.say(bad);
    EXPECT_THAT(client.rest(), StartsWith("HTTP/1.1 400 ")) << bad;
  }
}

TEST(HttpServer, ABodyInACodingThatIsNotKnownIsNoFurtherRequest) {
  Echo echo;
  RunningServer server(echo);
  for (const char* coding :
       {"xchunked", "gzip", "chunked, gzip", "gzip, chunked", "identity", "chunked\r\nX: y\r\n z"}) {
    RawConnection client(server.port);
    client.say(cat("GET /first HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: ", coding,
                   "\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
    const std::string all = client.rest();
    EXPECT_THAT(all, Not(HasSubstr("smuggled"))) << coding;
    EXPECT_THAT(all, AnyOf(StartsWith("HTTP/1.1 501 "), StartsWith("HTTP/1.1 400 "))) << coding;
  }
  RawConnection old(server.port);
  old.say("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
  EXPECT_THAT(old.rest(), StartsWith("HTTP/1.1 501 "));
}

TEST(HttpServer, AHostIsNamedOnceAndIsOne) {
  Echo echo;
  RunningServer server(echo);
  for (const char* bad : {"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                          "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "GET / HTTP/1.1\r\nHost:\r\n\r\n",
                          "GET / HTTP/1.0\r\nHost: \r\n\r\n", "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n"}) {
    RawConnection client(server.port);
    client.say(bad);
    EXPECT_THAT(client.rest(), StartsWith("HTTP/1.1 400 ")) << bad;
  }
  for (const char* bad : {"[::1", "[::1]]", "[]", "[host]", "::1", "h:65536", "h:0", "h:-1", "h:80:80", ":80",
                          "h:99999999999999999999"}) {
    RawConnection client(server.port);
    client.say(cat("GET / HTTP/1.1\r\nHost: ", bad, "\r\nConnection: close\r\n\r\n"));
    EXPECT_THAT(client.rest(), StartsWith("HTTP/1.1 400 ")) << bad << " would be in the links of answers";
  }
  for (const char* good : {"GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\n\r\n",
                           "GET / HTTP/1.1\r\nHost: [fe80::1%25eth0]\r\nConnection: close\r\n\r\n",
                           "GET / HTTP/1.1\r\nHost: h:65535\r\nConnection: close\r\n\r\n"}) {
    RawConnection client(server.port);
    client.say(good);
    EXPECT_THAT(client.rest(), StartsWith("HTTP/1.1 200 ")) << good;
  }
}

TEST(HttpServer, CutsOffWhoeverDoesNotFinishHisHeadInTime) {
  Echo echo;
  RunningServer server(echo, {.head_time = 100ms});
  RawConnection slow(server.port);
  slow.say("GET / HTTP/1.1\r\nX: ");
  EXPECT_EQ(slow.rest(), "");
}

TEST(HttpServer, ServesOthersThoughSlowClientsHoldEveryPlace) {
  Echo echo;
  RunningServer server(echo, {.connections = 8, .head_time = 60s});
  std::vector<std::unique_ptr<RawConnection>> slow;
  for (int i = 0; i < 40; ++i) {
    slow.push_back(std::make_unique<RawConnection>(server.port));
    slow.back()->say("GET / HTTP/1.1\r\nX: ");
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(server.send("GET", "/").status, 200);
  EXPECT_EQ(slow.front()->rest(), "");
}

TEST(HttpServer, ServesOthersThoughBodiesDoNotComeAndAnswersAreNotTaken) {
  Echo echo;
  RunningServer server(echo, {.connections = 8, .body_time = 60s, .write_time = 60s});
  std::vector<std::unique_ptr<RawConnection>> slow;
  for (int i = 0; i < 40; ++i) {
    slow.push_back(std::make_unique<RawConnection>(server.port));
    slow.back()->say(i < 20 ? "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n"
                            : "GET /bigger HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(server.send("GET", "/").status, 200);
  EXPECT_EQ(slow.front()->rest(), "");
}

/// Lets nobody in who names no key, and takes ten bytes from all others.
class Guarded final : public HttpHandler {
 public:
  [[nodiscard]] Admission admit(const ServedRequest& head) override {
    Admission admission;
    admission.body_bytes = 10;
    if (head.header("X-Key")) return admission;
    admission.refusal.emplace();
    admission.refusal->status = 401;
    return admission;
  }
  ServedResponse answer(const ServedRequest& request) override {
    ServedResponse response;
    response.body = request.body;
    response.principal = "key";
    return response;
  }
};

TEST(HttpServer, RefusesBeforeTheBodyComes) {
  Guarded guarded;
  RunningServer server(guarded);
  RawConnection stranger(server.port);
  stranger.say("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_THAT(stranger.rest(), StartsWith("HTTP/1.1 401 "));
  RawConnection chunks(server.port);
  chunks.say("POST / HTTP/1.1\r\nHost: h\r\nX-Key: k\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n12345678\r\n8\r\n1");
  EXPECT_THAT(chunks.rest(), StartsWith("HTTP/1.1 413 "));
  EXPECT_EQ(server.send("POST", "/", {{"X-Key", "k"}}, std::string(11, 'x')).status, 413);
  EXPECT_EQ(server.send("POST", "/", {{"X-Key", "k"}}, "0123456789").body, "0123456789");
}

TEST(HttpServer, BodiesThatAreReadAtOneTimeHaveALimitAndTheSlowestGivesWay) {
  Echo echo;
  RunningServer server(echo, {.all_bodies = 1000, .body_time = 60s});
  RawConnection slow(server.port);
  slow.say("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 900\r\n\r\nx");
  EXPECT_EQ(server.send("GET", "/").status, 200);  // what it said has been read
  EXPECT_EQ(server.send("POST", "/", {}, std::string(900, 'x')).status, 200);
  EXPECT_EQ(slow.rest(), "");
  EXPECT_EQ(server.send("POST", "/", {}, std::string(1001, 'x')).status, 503);
}

/// /long lets others be served in its midst until somebody asked for /short.
class LongAnswers final : public HttpHandler {
 public:
  [[nodiscard]] bool admits_at_once(const ServedRequest& head) const override { return head.path == "/short"; }
  [[nodiscard]] bool answers_at_once(const ServedRequest& request) const override { return request.path == "/short"; }
  ServedResponse answer(const ServedRequest& request) override {
    order += request.path;
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (request.path == "/long" && order.find("/short") == std::string::npos &&
           std::chrono::steady_clock::now() < end) {
      began = true;
      server->breathe();
    }
    order += ";";
    return {};
  }
  HttpServer* server = nullptr;
  std::atomic<bool> began = false;
  std::string order;
};

/// Each answer takes some milliseconds, and lets others in.
class BreathingAnswers final : public HttpHandler {
 public:
  ServedResponse answer(const ServedRequest& /*request*/) override {
    const auto end = std::chrono::steady_clock::now() + 4ms;
    while (std::chrono::steady_clock::now() < end) server->breathe();
    return {};
  }
  HttpServer* server = nullptr;
};

TEST(HttpServer, GoesOnWhenManyAskAtOnceForAnswersInWhichOthersAreLetIn) {
  BreathingAnswers handler;
  RunningServer server(handler, {.breath = 1ms});
  handler.server = &server.server;
  for (int round = 0; round < 3; ++round) {
    std::vector<std::thread> clients;
    std::atomic<int> answered = 0;
    for (int i = 0; i < 150; ++i) {
      clients.emplace_back([&] {
        RawConnection client(server.port);
        client.say("POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody");
        if (client.rest().starts_with("HTTP/1.1 200 ")) ++answered;
      });
    }
    for (std::thread& client : clients) client.join();
    EXPECT_EQ(answered, 150);
  }
}

TEST(HttpServer, AnswersWhatItCanInTheMidstOfALongAnswerAndTheRestAfterwards) {
  LongAnswers handler;
  RunningServer server(handler, {.breath = 1ms});
  handler.server = &server.server;
  std::thread long_one([&] { EXPECT_EQ(server.send("GET", "/long").status, 200); });
  while (!handler.began) std::this_thread::yield();
  std::thread other([&] { EXPECT_EQ(server.send("POST", "/other", {}, "body").status, 200); });
  RawConnection third(server.port);
  third.say("GET /third HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  bool posted = false;
  server.server.post([&] {
    handler.order += "posted;";
    posted = true;
  });
  std::this_thread::sleep_for(50ms);  // they are there when the short one is answered
  EXPECT_EQ(server.send("GET", "/short").status, 200);
  long_one.join();
  other.join();
  EXPECT_THAT(third.rest(), StartsWith("HTTP/1.1 200 "));
  server.stop();
  EXPECT_THAT(handler.order, StartsWith("/long/short;;")) << "the rest comes when the long one is made";
  EXPECT_TRUE(posted);
}

TEST(HttpServer, ABodyIsReadInTheMidstOfALongAnswerWhereItsHandlerSaysThatItCanBe) {
  LongAnswers handler;
  RunningServer server(handler, {.breath = 1ms});
  handler.server = &server.server;
  std::thread long_one([&] { EXPECT_EQ(server.send("GET", "/long").status, 200); });
  while (!handler.began) std::this_thread::yield();
  EXPECT_EQ(server.send("POST", "/short", {}, "body").status, 200);
  long_one.join();
  server.stop();
  EXPECT_EQ(handler.order, "/long/short;;");
}

TEST(HttpServer, NoSignalButThoseThatStopItEndsIt) {
  Echo echo;
  SystemClock clock;
  fakes::MemoryLogger log;
  HttpServer server({}, clock, log, nullptr);
  const std::uint16_t port = server.listen("test", "127.0.0.1", 0, echo);
  std::atomic<bool> runs = false;
  server.post([&] { runs = true; });
  std::thread thread([&] { server.run(true); });
  while (!runs) std::this_thread::yield();
  for (const int number : {SIGHUP, SIGUSR1, SIGUSR2, SIGALRM}) {
    ::kill(::getpid(), number);
    RawConnection client(port);
    client.say("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(client.rest(), StartsWith("HTTP/1.1 200 ")) << number;
  }
  ::kill(::getpid(), SIGTERM);
  thread.join();
  for (const int number : {SIGHUP, SIGUSR1, SIGUSR2, SIGALRM})
    EXPECT_THAT(log.all(), HasSubstr(cat("signal ", number, ": certificates are looked at")));
}

TEST(HttpServer, RecordsWhoAsked) {
  class Principals final : public AccessLog {
   public:
    void record(const AccessRecord& record) noexcept override { all += cat(record.principal, ";"); }
    std::string all;
  } principals;
  Guarded guarded;
  RunningServer server(guarded, {}, &principals);
  server.send("GET", "/");
  server.stop();
  EXPECT_EQ(principals.all, "key;");
}

TEST(HttpServer, RecordsEachAnswer) {
  Echo echo;
  Records records;
  RunningServer server(echo, {.head_bytes = 1000}, &records);
  server.send("GET", "/big");
  server.send("GET", "/", {{"X", std::string(2000, 'x')}});
  server.stop();
  EXPECT_THAT(records.lines, testing::ElementsAre("test 127.0.0.1 GET /big 200 1048576", "test 127.0.0.1 - - 431 36"));
}

TEST(HttpServer, StopsAtOnceWhenNobodyIsServedAndFreesItsPort) {
  Echo echo;
  std::uint16_t port = 0;
  {
    RunningServer server(echo);
    port = server.port;
    RawConnection idle(server.port);
    idle.say("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    idle.until("GET /");
    server.stop();
    EXPECT_EQ(idle.rest(), "? host=h ");
  }
  EXPECT_FALSE(RawConnection(port).connected);
}

TEST(HttpServer, AnAddressThatIsTakenOrNoneIsAnErrorThatNamesIt) {
  Echo echo;
  RunningServer server(echo);
  SystemClock clock;
  fakes::MemoryLogger log;
  HttpServer second({}, clock, log, nullptr);
  try {
    second.listen("cfn", "127.0.0.1", server.port, echo);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(cat("cfn: binding to 127.0.0.1 port ", server.port)));
  }
  EXPECT_THROW(second.listen("cfn", "localhost", 0, echo), Error);
}

TEST(HttpServer, CallsWhatIsToBeDoneEverySoOften) {
  SystemClock clock;
  fakes::MemoryLogger log;
  HttpServer server({}, clock, log, nullptr);
  int calls = 0;
  server.every(1ms, [&] {
    if (++calls == 3) server.stop();
    throw std::runtime_error("once in a while it fails");
  });
  server.run();
  EXPECT_EQ(calls, 3);
  EXPECT_TRUE(log.holds("once in a while"));
}

std::string curl(const std::vector<std::string>& arguments) {
  SystemClock clock;
  RealRunner runner(clock);
  Command command;
  command.argv = {"curl", "-sS", "--max-time", "20"};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  return runner.run(command).out;
}

TlsFiles openssl_certificate(const fs::path& directory) {
  TlsFiles files{(directory / "certificate.pem").string(), (directory / "key.pem").string()};
  SystemClock clock;
  RealRunner runner(clock);
  Command command;
  command.argv = {"openssl",
                  "req",
                  "-x509",
                  "-newkey",
                  "ec",
                  "-pkeyopt",
                  "ec_paramgen_curve:prime256v1",
                  "-nodes",
                  "-keyout",
                  files.key,
                  "-out",
                  files.certificate,
                  "-days",
                  "1",
                  "-subj",
                  "/CN=h",
                  "-addext",
                  "subjectAltName=IP:127.0.0.1"};
  run_checked(runner, command);
  return files;
}

TEST(HttpServer, ServesCurlWithExpectAndTls) {
  if (!find_program("curl", current_environment())) GTEST_SKIP() << "curl is not installed";
  if (!find_program("openssl", current_environment())) GTEST_SKIP() << "openssl is not installed";
  Echo echo;
  RunningServer plain(echo);
  const std::string body(2'000'000, 'x');  // curl asks before it sends more than a megabyte
  const TempDir directory = TempDir::create("/tmp", "http-server-");
  RealFileSystem().write(directory.path() / "body", body, {});
  EXPECT_EQ(curl({"-T", (directory.path() / "body").string(), plain.url("/put")}),
            cat("PUT /put? host=127.0.0.1:", plain.port, " 2000000"));
  EXPECT_EQ(curl({"-o", "/dev/null", "-w", "%{num_connects} ", plain.url("/1"), "-o", "/dev/null", plain.url("/2")}),
            "1 0 ");

  const TlsFiles files = openssl_certificate(directory.path());
  RunningServer secure(echo, {}, nullptr, &files);
  EXPECT_EQ(curl({"--cacert", files.certificate, secure.url("/x", "https")}),
            cat("GET /x? host=127.0.0.1:", secure.port, " "));
}

/// /held is answered when it is let go, by POST /go, which says how many are held; what more there is, is as with Echo.
class Holder final : public HttpHandler {
 public:
  class Held final : public HeldAnswer {
   public:
    Held(Holder& holder, std::string path) : holder_(holder), path_(std::move(path)) { holder_.all_.insert(this); }
    ~Held() override { holder_.all_.erase(this); }
    void start(std::function<void()> wake) override {
      wake_ = std::move(wake);
      wake_();  // too early: it has no answer yet
    }
    std::optional<ServedResponse> answer() override {
      if (path_ == "/held/throw") throw Error(ErrorKind::io, "the copy is gone");
      if (!holder_.may_go_) return std::nullopt;
      ServedResponse response;
      response.body = cat("answered ", path_);
      return response;
    }
    void wake() { wake_(); }

   private:
    Holder& holder_;
    std::string path_;
    std::function<void()> wake_;
  };

  std::unique_ptr<HeldAnswer> hold(const ServedRequest& request) override {
    return is_held(request.path) ? std::make_unique<Held>(*this, request.path) : nullptr;
  }
  ServedResponse answer(const ServedRequest& request) override {
    ServedResponse response;
    response.body = cat("held ", all_.size());
    if (request.path != "/go") return response;
    may_go_ = true;
    for (Held* held : std::set<Held*>(all_)) held->wake();
    return response;
  }

 private:
  static bool is_held(const std::string& path) { return path.rfind("/held", 0) == 0; }
  std::set<Held*> all_;
  bool may_go_ = false;
};

void wait_for_held(RunningServer& server, int number) {
  while (server.send("GET", "/").body != cat("held ", number)) std::this_thread::sleep_for(1ms);
}

TEST(HttpServer, ServesOthersWhileAnAnswerIsHeld) {
  Holder holder;
  RunningServer server(holder);
  RawConnection first(server.port);
  RawConnection second(server.port);
  first.say("POST /held/1 HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nabGET / HTTP/1.1\r\nHost: h\r\n\r\n");
  second.say("GET /held/2 HTTP/1.1\r\nHost: h\r\n\r\n");
  wait_for_held(server, 2);
  EXPECT_EQ(server.send("POST", "/go").body, "held 2");
  EXPECT_THAT(first.until("answered /held/1"), HasSubstr("200 OK"));
  EXPECT_THAT(first.until("held 0"), HasSubstr("200 OK")) << "what was sent behind it is answered, too";
  EXPECT_THAT(second.until("answered /held/2"), HasSubstr("200 OK"));
  EXPECT_EQ(server.send("GET", "/held/throw").status, 500);
  EXPECT_EQ(server.send("GET", "/").body, "held 0");
}

TEST(HttpServer, LetsAnAnswerGoWhoseClientHasGone) {
  Holder holder;
  RunningServer server(holder);
  {
    RawConnection client(server.port);
    client.say("GET /held/1 HTTP/1.1\r\nHost: h\r\n\r\nmore that hides the end");
    wait_for_held(server, 1);
  }
  wait_for_held(server, 0);
  RawConnection client(server.port);
  client.say("GET /held/2 HTTP/1.1\r\nHost: h\r\n\r\n");
  wait_for_held(server, 1);
}

TEST(HttpServer, AnswersWhoHasOnlyEndedWhatHeSends) {
  Holder holder;
  RunningServer server(holder);
  RawConnection newer(server.port);
  RawConnection older(server.port);
  newer.say("GET /held/1 HTTP/1.1\r\nHost: h\r\n\r\n");
  older.say("GET /held/2 HTTP/1.0\r\nHost: h\r\n\r\n");
  wait_for_held(server, 2);
  newer.end_sending();
  older.end_sending();
  EXPECT_THAT(newer.until("\r\n\r\n"), HasSubstr("100 Continue")) << "so it is seen whether he has gone";
  EXPECT_EQ(server.send("POST", "/go").body, "held 2");
  EXPECT_THAT(newer.rest(), HasSubstr("answered /held/1"));
  const std::string old_answer = older.rest();
  EXPECT_THAT(old_answer, HasSubstr("answered /held/2"));
  EXPECT_EQ(old_answer.find("100 Continue"), std::string::npos);
}

TEST(HttpServer, SaysWhenADescriptorCanBeReadOrHasEnded) {
  Echo echo;
  RunningServer server(echo);
  for (const std::string_view said : {"x", ""}) {
    Pipe pipe = Pipe::create();
    std::promise<void> readable;
    server.server.post([&] { server.server.when_readable(pipe.read.get(), [&] { readable.set_value(); }); });
    write_all(pipe.write, said, "the pipe");
    pipe.write = Fd();
    readable.get_future().get();
  }
}

TEST(HttpServer, SaysSoAlsoWhereThereIsNoDescriptorLeft) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP()
      << "UBSan looks at an object's type by a pipe of its own, and takes it for none where there are no descriptors";
#endif
  Echo echo;
  RunningServer server(echo);
  Pipe pipe = Pipe::create();
  write_all(pipe.write, "x", "the pipe");
  std::promise<void> readable;
  server.server.post([&] {
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{0, before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
    EXPECT_NO_THROW(server.server.when_readable(pipe.read.get(), [&] { readable.set_value(); }));
    ::setrlimit(RLIMIT_NOFILE, &before);
  });
  EXPECT_EQ(readable.get_future().wait_for(10s), std::future_status::ready);
}

TEST(HttpServer, AHandlerThatCanHoldNothingEndsNoServer) {
  class Refusing final : public HttpHandler {
   public:
    std::unique_ptr<HeldAnswer> hold(const ServedRequest& request) override {
      if (request.path == "/fails") throw std::runtime_error("nothing can be held");
      return nullptr;
    }
    ServedResponse answer(const ServedRequest&) override { return {}; }
  } handler;
  RunningServer server(handler);
  const auto ask = [&](const std::string& path) {
    RawConnection client(server.port);
    client.say(cat("GET ", path, " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
    return client.rest();
  };
  EXPECT_THAT(ask("/fails"), HasSubstr("500 Internal"));
  EXPECT_THAT(ask("/"), HasSubstr("200 OK"));
}

/// Until the log, which belongs to the server's thread, says so.
void wait_for_log(RunningServer& server, const std::string& text) {
  for (bool there = false; !there; std::this_thread::sleep_for(5ms)) {
    std::promise<bool> holds;
    server.server.post([&] { holds.set_value(server.log.holds(text)); });
    there = holds.get_future().get();
  }
}

TEST(HttpServer, TakesACertificateThatIsRenewedAndKeepsTheFormerOneBeforeHalfOfOne) {
  if (!find_program("curl", current_environment())) GTEST_SKIP() << "curl is not installed";
  if (!find_program("openssl", current_environment())) GTEST_SKIP() << "openssl is not installed";
  Echo echo;
  const TempDir first = TempDir::create("/tmp", "http-server-");
  const TempDir second = TempDir::create("/tmp", "http-server-");
  const TlsFiles files = openssl_certificate(first.path());
  const TlsFiles renewed = openssl_certificate(second.path());
  const std::string former = (first.path() / "former.pem").string();
  fs::copy_file(files.certificate, former);
  RunningServer server(echo, {.tls_look = 5ms}, nullptr, &files);
  EXPECT_THAT(curl({"--cacert", former, server.url("/x", "https")}), StartsWith("GET /x"));
  fs::copy_file(renewed.certificate, files.certificate, fs::copy_options::overwrite_existing);
  wait_for_log(server, "still serves with the former certificate");
  EXPECT_THAT(curl({"--cacert", former, server.url("/x", "https")}), StartsWith("GET /x"));
  fs::copy_file(renewed.key, files.key, fs::copy_options::overwrite_existing);
  wait_for_log(server, "serves with the certificate that is now in");
  EXPECT_THAT(curl({"--cacert", renewed.certificate, server.url("/x", "https")}), StartsWith("GET /x"));
}

TEST(HttpServer, ShakesHandsWithSoManyAtATimeAndSaysWhoSpeaksPlainHttp) {
  if (!find_program("openssl", current_environment())) GTEST_SKIP() << "openssl is not installed";
  Echo echo;
  const TempDir directory = TempDir::create("/tmp", "http-server-");
  const TlsFiles files = openssl_certificate(directory.path());
  RunningServer server(echo, {.handshakes = 4, .head_time = 300s}, nullptr, &files);
  std::vector<std::unique_ptr<RawConnection>> slow;
  for (int i = 0; i < 40; ++i) {
    slow.push_back(std::make_unique<RawConnection>(server.port));
    slow.back()->say("\x16\x03\x01");
  }
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < 36; ++i) {
    EXPECT_EQ(slow[i]->rest(), "");
    ASSERT_LT(std::chrono::steady_clock::now() - began, 15s) << "they were waited for";
  }
  EXPECT_TRUE(slow.back()->say("\x02")) << "who came last is still listened to";
  RawConnection plain(server.port);
  plain.say("POST /v1/heartbeat/x HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_TRUE(plain.rest().starts_with("HTTP/1.1 400 TLS is spoken here: https:// in place of http://?\r\n"));
  wait_for_log(server, "127.0.0.1 asks in plain HTTP where TLS is served");
}

}  // namespace
}  // namespace hearth
