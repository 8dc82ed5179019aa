#include "builder/vm/guest_checks.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <thread>

#include "base/sys/fd.hpp"
#include "base/text.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::vm {
namespace {

using testing::HasSubstr;

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
  EXPECT_THAT(check->look(Deadline::never()).told, HasSubstr("HTTP 503: later"));
  EXPECT_THAT(check->look(Deadline::never()).told, HasSubstr("without the words: hello"));
  EXPECT_TRUE(check->look(Deadline::never()).passed);
  const GuestCheck::Outcome gone = check->look(Deadline::after(std::chrono::seconds(1), clock));
  EXPECT_FALSE(gone.passed);
  EXPECT_FALSE(gone.final);
}

TEST(GuestChecksTest, ACommandsExitCodeDecidesButNotSshsOwn) {
  const SystemClock clock;
  fakes::ScriptedRunner runner;
  int code = 255;
  std::vector<std::string> argv;
  runner.on("ssh", [&](const Command& command) {
    argv = command.argv;
    return CommandResult{Exited{code}, "inactive\n", ""};
  });
  const auto check = run_check("systemctl is-active nginx", "/k", clock, runner);
  check->use_port(2200);
  EXPECT_FALSE(check->look(Deadline::never()).final) << "there is no connection yet";
  code = 3;
  const GuestCheck::Outcome failed = check->look(Deadline::never());
  EXPECT_TRUE(failed.final);
  EXPECT_EQ(failed.told, "exit code 3: inactive");
  code = 0;
  EXPECT_TRUE(check->look(Deadline::never()).passed);
  EXPECT_THAT(join(argv, " "), HasSubstr("-i /k -p 2200"));
  EXPECT_EQ(argv.back(), "systemctl is-active nginx");
}

TEST(GuestChecksTest, AFreePortIsFree) { EXPECT_NE(free_port(), 0); }

}  // namespace
}  // namespace hearth::vm
