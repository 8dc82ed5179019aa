#include "builder/vm/guest_checks.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/net/web_client.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"

namespace hearth::vm {

namespace {

constexpr Duration k_answer_patience = std::chrono::seconds(10);

class HttpCheck final : public GuestCheck {
 public:
  HttpCheck(HttpWish wish, const Clock& clock) : wish_(std::move(wish)), clock_(clock) {}

  [[nodiscard]] std::string text() const override {
    return cat("http ", wish_.port, wish_.path, wish_.words.empty() ? "" : cat("=", wish_.words));
  }
  [[nodiscard]] std::uint16_t guest_port() const override { return wish_.port; }

  [[nodiscard]] Outcome look(const Deadline&) override {
    WebClient http(clock_, {}, "hearth-image-test");
    HttpRequest request;
    request.url = parse_url(cat("http://127.0.0.1:", port_, wish_.path)).value_or_throw();
    request.deadline = Deadline::after(k_answer_patience, clock_);
    try {
      const HttpResponse response = http.send(request);
      const std::string answer = cat("HTTP ", response.status);
      if (response.status >= 400) return {false, false, cat(answer, ": ", first_line(response.body))};
      if (response.body.find(wish_.words) == std::string::npos)
        return {false, false, cat(answer, ", without the words: ", first_line(response.body))};
      return {true, true, cat(answer, ", ", human_bytes(response.body.size()))};
    } catch (const Error& error) {
      return {false, false, error.what()};
    }
  }

 private:
  static std::string first_line(const std::string& body) {
    const std::string line = body.substr(0, body.find('\n'));
    return line.size() > 120 ? cat(line.substr(0, 120), "…") : line;
  }

  HttpWish wish_;
  const Clock& clock_;
};

class RunCheck final : public GuestCheck {
 public:
  RunCheck(std::string command, fs::path key, const Clock& clock, CommandRunner& runner)
      : command_(std::move(command)), key_(std::move(key)), clock_(clock), runner_(runner) {}

  [[nodiscard]] std::string text() const override { return cat("run ", command_); }
  [[nodiscard]] std::uint16_t guest_port() const override { return 22; }

  [[nodiscard]] Outcome look(const Deadline& deadline) override {
    Command command;
    command.argv = {"ssh", "-i", key_.string(), "-p", std::to_string(port_)};
    for (const char* option : {"IdentitiesOnly=yes", "BatchMode=yes", "StrictHostKeyChecking=no", "ConnectTimeout=10",
                               "UserKnownHostsFile=/dev/null", "LogLevel=ERROR"})
      command.argv.insert(command.argv.end(), {"-o", option});
    command.argv.insert(command.argv.end(), {"root@127.0.0.1", command_});
    command.merge_err = true;
    command.keep_last = 4000;
    command.deadline = deadline;
    const CommandResult result = runner_.run(command);
    const std::string said(trim(result.out));
    if (succeeded(result.status)) return {true, true, said};
    const bool by_ssh = result.status == ExitStatus(Exited{255});  // no connection yet
    return {false, !by_ssh, cat(describe(result.status), said.empty() ? "" : cat(": ", said))};
  }

 private:
  std::string command_;
  fs::path key_;
  const Clock& clock_;
  CommandRunner& runner_;
};

}  // namespace

Result<HttpWish, std::string> parse_http_wish(const std::string& text) {
  const std::string usage = cat("--http ", text, ": PORT/PATH[=WORDS] is expected: 80/, 8080/health=ok");
  const std::size_t slash = text.find('/');
  const std::optional<std::uint64_t> port =
      slash == std::string::npos ? std::nullopt : parse_number(text.substr(0, slash));
  if (!port || *port == 0 || *port > 65535) return usage;
  const std::size_t equals = text.find('=', slash);
  HttpWish wish{static_cast<std::uint16_t>(*port),
                text.substr(slash, equals == std::string::npos ? equals : equals - slash),
                equals == std::string::npos ? "" : text.substr(equals + 1)};
  if (!parse_url(cat("http://127.0.0.1:1", wish.path))) return usage;
  return wish;
}

std::unique_ptr<GuestCheck> http_check(const HttpWish& wish, const Clock& clock) {
  return std::make_unique<HttpCheck>(wish, clock);
}

std::unique_ptr<GuestCheck> run_check(const std::string& command, const fs::path& key, const Clock& clock,
                                      CommandRunner& runner) {
  return std::make_unique<RunCheck>(command, key, clock, runner);
}

std::uint16_t free_port() {
  const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof name;
  if (!fd || ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 ||
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&name), &length) != 0)
    throw Error::from_errno("finding", "a free port of 127.0.0.1");
  return ntohs(name.sin_port);
}

}  // namespace hearth::vm
