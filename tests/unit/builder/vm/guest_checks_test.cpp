#include "builder/vm/guest_checks.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <thread>

#include "base/base64.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::builder::vm {
namespace {

using testing::HasSubstr;

const Verdict& only(const GuestCheck::Outcome& outcome) {
  EXPECT_EQ(outcome.verdicts.size(), 1U);
  return outcome.verdicts.front();
}

TEST(HttpWishTest, IsAPortAPathAndWords) {
  const Result<HttpWish, std::string> wish = parse_http_wish("8080/health?x=ok now");
  ASSERT_TRUE(wish);
  EXPECT_EQ(wish->port, 8080);
  EXPECT_EQ(wish->path, "/health?x");
  EXPECT_EQ(wish->words, "ok now");
  EXPECT_EQ(parse_http_wish("80/")->path, "/");
  for (const char* wrong : {"80", "/", "0/", "70000/", "http://127.0.0.1/"})
    EXPECT_FALSE(parse_http_wish(wrong)) << wrong;
}

/// Answers one request after the other with the next of these; then nobody is there.
class WebPage {
 public:
  explicit WebPage(std::vector<std::string> answers)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)), answers_(std::move(answers)) {
    EXPECT_EQ(::listen(socket_.get(), 8), 0);
    socklen_t length = sizeof name_;
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&name_), &length);
    thread_ = std::jthread([this] {
      for (const std::string& answer : answers_) {
        const Fd client(::accept(socket_.get(), nullptr, nullptr));
        std::string request(4096, ' ');
        (void)::recv(client.get(), request.data(), request.size(), 0);
        write_all(client, answer, "the client");
      }
      socket_ = Fd();
    });
  }
  [[nodiscard]] std::uint16_t port() const {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&name_);
    return static_cast<std::uint16_t>(bytes[2] << 8U | bytes[3]);  // sin_port
  }

 private:
  Fd socket_;
  std::vector<std::string> answers_;
  sockaddr_storage name_{};
  std::jthread thread_;
};

TEST(GuestChecksTest, APageIsGoodWithItsWordsAndBelow400) {
  const SystemClock clock;
  WebPage page({"HTTP/1.1 503 Busy\r\nContent-Length: 5\r\nConnection: close\r\n\r\nlater",
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
                "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nWelcome"});
  const auto check = http_check({80, "/", "Welcome"}, clock);
  check->use_port(page.port());
  EXPECT_EQ(check->text(), "http 80/=Welcome");
  EXPECT_THAT(only(check->look(Deadline::never())).told, HasSubstr("HTTP 503: later"));
  EXPECT_THAT(only(check->look(Deadline::never())).told, HasSubstr("without the words: hello"));
  EXPECT_FALSE(only(check->look(Deadline::never())).failed());
  const GuestCheck::Outcome gone = check->look(Deadline::after(std::chrono::seconds(1), clock));
  EXPECT_EQ(only(gone).outcome, Verdict::Outcome::unanswered);
  EXPECT_FALSE(gone.done);
}

TEST(GuestChecksTest, APageHasTheStatusAndThePatternsThatAFileAsks) {
  const SystemClock clock;
  const std::string found = "HTTP/1.1 404 Not Found\r\nContent-Length: 8\r\nConnection: close\r\n\r\nnot here";
  WebPage page({found, found, found});
  HttpWish wish{.port = 80, .path = "/", .words = "", .status = 404, .body = {"/^not/", "!gone"}};
  const auto look = [&] {
    const auto check = http_check(wish, clock);
    check->use_port(page.port());
    return only(check->look(Deadline::never()));
  };
  EXPECT_FALSE(look().failed());
  wish.body = {"!here"};
  EXPECT_THAT(look().told, HasSubstr("not so: !here"));
  wish.status = 200;
  EXPECT_THAT(look().told, HasSubstr("HTTP 404"));
}

TEST(GuestChecksTest, APageOfAFileIsAskedAsLongAsTheRest) {
  const WebPage page({2, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"});
  fakes::ManualClock clock;
  const HttpWish wish{.port = 80, .path = "/", .words = "", .status = 200, .body = {}};
  const auto check = http_check(wish, clock, PagePatience{std::chrono::seconds(30), false});
  check->use_port(1);
  EXPECT_FALSE(check->look(Deadline::never()).done);
  clock.advance(std::chrono::seconds(40));
  EXPECT_FALSE(check->look(Deadline::never()).done) << "nobody has answered yet";
  check->use_port(page.port());
  EXPECT_FALSE(check->look(Deadline::never()).done);
  clock.advance(std::chrono::seconds(30));
  EXPECT_TRUE(check->look(Deadline::never()).done);
  const auto behind = http_check(wish, clock, PagePatience{std::chrono::seconds(0), true});
  behind->use_port(1);
  EXPECT_TRUE(behind->look(Deadline::never()).done) << "the system has started";
}

/// A guest that answers what a script prints here.
class InsideCheckTest : public testing::Test {
 protected:
  fakes::ManualClock clock_;
  fakes::ScriptedRunner runner_;
  std::string script_;
  std::string answer_ = "none";
  std::unique_ptr<GuestCheck> check_;

  void SetUp() override {
    runner_.on("ssh", [this](const Command& command) {
      script_ = command.input.value_or("");
      return answer_.empty() ? CommandResult{Exited{255}, "", "Connection refused"}
                             : CommandResult{Exited{0}, answer_, ""};
    });
    check_ = inside_check({{"process", "nginx", {{"running", {"true"}}}, false}}, WayIn{.key = "/k"},
                          std::chrono::seconds(30), clock_, runner_);
  }
  GuestCheck::Outcome look(const std::string& state, const std::string& processes) {
    answer_ =
        cat("Welcome\nall state ", base64_encode(state), "\n0 names ", base64_encode(processes), "\nall end Lg==\n");
    return check_->look(Deadline::never());
  }
};

TEST_F(InsideCheckTest, WhatComesUpWithTheSystemMayTakeItsTime) {
  answer_.clear();
  EXPECT_FALSE(check_->look(Deadline::never()).done);
  const GuestCheck::Outcome early = look("starting\n", "sh\nnginx\n");
  EXPECT_FALSE(early.done) << "what must not be may still come";
  EXPECT_THAT(early.verdicts.front().told, HasSubstr("is still starting"));
  clock_.advance(std::chrono::seconds(100));
  EXPECT_FALSE(look("running\n", "sh\n").done) << "the time runs from when the system has started";
  clock_.advance(std::chrono::seconds(20));
  EXPECT_FALSE(look("degraded\n", "sh\n").done);
  const GuestCheck::Outcome good = look("running\n", "sh\nnginx\n");
  EXPECT_TRUE(good.done);
  EXPECT_FALSE(only(good).failed());
  EXPECT_THAT(script_, HasSubstr("tell names"));
}

TEST_F(InsideCheckTest, WhatIsWrongIsNotWaitedForLonger) {
  EXPECT_FALSE(look("running\n", "sh\n").done);
  clock_.advance(std::chrono::seconds(30));
  const GuestCheck::Outcome bad = look("running\n", "sh\n");
  EXPECT_TRUE(bad.done);
  EXPECT_EQ(only(bad).name, "process nginx: running");
  EXPECT_EQ(only(bad).told, "not running");
}

TEST_F(InsideCheckTest, AnAnswerThatWasCutIsNone) {
  answer_ = cat("all state ", base64_encode("running"), "\n0 names ", base64_encode("nginx\n"), "\n");
  const GuestCheck::Outcome cut = check_->look(Deadline::never());
  EXPECT_FALSE(cut.done);
  EXPECT_TRUE(cut.is_cut);
  EXPECT_TRUE(only(cut).failed());
  ASSERT_EQ(check_->unanswered("not asked").size(), 1U);
  EXPECT_EQ(check_->unanswered("not asked").front().name, "process nginx: running");
  EXPECT_EQ(check_->unanswered("not asked").front().told, "not asked");
  EXPECT_EQ(check_->unanswered("not asked").front().outcome, Verdict::Outcome::unanswered);
  EXPECT_EQ(only(cut).outcome, Verdict::Outcome::failed) << "somebody let us in";
  answer_ = "";
  EXPECT_EQ(only(check_->look(Deadline::never())).outcome, Verdict::Outcome::unanswered);
}

TEST(GuestChecksTest, ACommandsExitCodeDecidesButNotSshsOwn) {
  fakes::ScriptedRunner runner;
  int code = 255;
  std::vector<std::string> argv;
  runner.on("ssh", [&](const Command& command) {
    argv = command.argv;
    return CommandResult{Exited{code}, "inactive\n", ""};
  });
  const auto check = run_check("systemctl is-active nginx", WayIn{.key = "/k"}, runner);
  check->use_port(2200);
  const GuestCheck::Outcome unheard = check->look(Deadline::never());
  EXPECT_FALSE(unheard.done) << "there is no connection yet";
  EXPECT_TRUE(unheard.no_way_in);
  EXPECT_EQ(only(unheard).outcome, Verdict::Outcome::unanswered);
  EXPECT_THAT(only(unheard).told, HasSubstr("has the image an ssh server"));
  code = 3;
  const GuestCheck::Outcome failed = check->look(Deadline::never());
  EXPECT_TRUE(failed.done);
  EXPECT_FALSE(failed.no_way_in);
  EXPECT_EQ(only(failed).told, "exit code 3: inactive");
  EXPECT_EQ(only(failed).outcome, Verdict::Outcome::failed);
  fakes::ScriptedRunner slow;
  std::string said;
  slow.on("ssh", [&](const Command&) { return CommandResult{TimedOut{}, said, ""}; });
  const auto late = run_check("true", WayIn{.key = "/k"}, slow);
  EXPECT_EQ(only(late->look(Deadline::never())).outcome, Verdict::Outcome::unanswered) << "was anybody there?";
  said = "half of it";
  EXPECT_EQ(only(late->look(Deadline::never())).outcome, Verdict::Outcome::failed);
  code = 0;
  EXPECT_FALSE(only(check->look(Deadline::never())).failed());
  EXPECT_THAT(join(argv, " "), HasSubstr("-i /k -p 2200"));
  EXPECT_EQ(argv.back(), "systemctl is-active nginx");
}

TEST(GuestChecksTest, AFreePortIsFree) { EXPECT_NE(free_port(), 0); }

}  // namespace
}  // namespace hearth::builder::vm
