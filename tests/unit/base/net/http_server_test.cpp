#include "base/net/http_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"
#include "tests/fakes/running_server.hpp"

namespace hearth {
namespace {

using fakes::RawConnection;
using fakes::RunningServer;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

/// Answers with what it was asked; /throw throws; /big gives a megabyte.
class Echo final : public HttpHandler {
 public:
  ServedResponse answer(const ServedRequest& request) override {
    ServedResponse response;
    if (request.path == "/throw") throw Error(ErrorKind::io, "the disk is gone");
    if (request.path == "/big") {
      response.shared_body = big_;
      return response;
    }
    response.headers = {{"X-Peer", request.peer}};
    response.body = cat(request.method, " ", request.path, "?", request.query, " host=", request.host(), " ",
                        request.body.size() < 100 ? request.body : std::to_string(request.body.size()));
    return response;
  }

 private:
  std::shared_ptr<const std::string> big_ = std::make_shared<const std::string>(1 << 20, 'x');
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
  client.say("HEAD /big HTTP/1.1\r\nConnection: close\r\n\r\n");
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
  EXPECT_THAT(response.body, testing::Not(HasSubstr("disk")));
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
  client.say("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n12345678\r\n8\r\n12345678\r\n");
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
    idle.say("GET / HTTP/1.1\r\n\r\n");
    idle.until("GET /");
    server.stop();
    EXPECT_EQ(idle.rest(), "? host= ");
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

  const std::string key = (directory.path() / "key.pem").string();
  const std::string certificate = (directory.path() / "certificate.pem").string();
  SystemClock clock;
  RealRunner runner(clock);
  Command command;
  command.argv = {
      "openssl", "req",       "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key,
      "-out",    certificate, "-days", "1",       "-subj",    "/CN=h",  "-addext", "subjectAltName=IP:127.0.0.1"};
  run_checked(runner, command);
  const TlsFiles files{certificate, key};
  RunningServer secure(echo, {}, nullptr, &files);
  EXPECT_EQ(curl({"--cacert", certificate, secure.url("/x", "https")}),
            cat("GET /x? host=127.0.0.1:", secure.port, " "));
}

}  // namespace
}  // namespace hearth
