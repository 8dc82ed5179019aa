#include "builder/vm/guest_checks.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/net/web_client.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/stop_signals.hpp"
#include "base/text.hpp"
#include "builder/vm/ssh_needs.hpp"

namespace hearth::builder::vm {

namespace {

constexpr Duration k_answer_patience = std::chrono::seconds(10);

using Outcomes = Verdict::Outcome;

/// Of a check that is one thing: what has passed is done, what has not may still come.
GuestCheck::Outcome verdict(std::string name, Outcomes outcome, std::string told) {
  return {outcome == Outcomes::passed, {{std::move(name), outcome, std::move(told)}}};
}

class HttpCheck final : public GuestCheck {
 public:
  HttpCheck(HttpWish wish, const Clock& clock, std::optional<PagePatience> patience)
      : wish_(std::move(wish)), clock_(clock), patience_(patience) {}

  [[nodiscard]] std::string text() const override {
    return cat("http ", wish_.port, wish_.path, wish_.words.empty() ? "" : cat("=", wish_.words));
  }
  [[nodiscard]] std::uint16_t guest_port() const override { return wish_.port; }

  [[nodiscard]] Outcome look(const Deadline& deadline) override {
    if (patience_ && patience_->has_started) begin();
    Outcome outcome = ask(deadline);
    if (since_ && clock_.now() - *since_ >= patience_->patience) outcome.done = true;
    return outcome;
  }

 private:
  void begin() {
    if (patience_ && !since_) since_ = clock_.now();
  }

  Outcome ask(const Deadline& deadline) {
    WebClient http(clock_, {}, "hearth-image-test");
    HttpRequest request;
    request.url = parse_url(cat("http://127.0.0.1:", port_, wish_.path)).value_or_throw();
    request.deadline = Deadline::earlier(deadline, Deadline::after(k_answer_patience, clock_));
    try {
      const HttpResponse response = http.send(request);
      begin();
      const std::string answer = cat("HTTP ", response.status);
      const bool good =
          wish_.status ? static_cast<std::uint64_t>(response.status) == *wish_.status : response.status < 400;
      if (!good) return verdict(text(), Outcomes::failed, cat(answer, ": ", first_line(response.body)));
      if (response.body.find(wish_.words) == std::string::npos)
        return verdict(text(), Outcomes::failed, cat(answer, ", without the words: ", first_line(response.body)));
      if (const std::vector<std::string> missed = unmatched(wish_.body, response.body); !missed.empty())
        return verdict(text(), Outcomes::failed,
                       cat(answer, ", not so: ", join(missed, ", "), "; it is: ", first_line(response.body)));
      return verdict(text(), Outcomes::passed, cat(answer, ", ", human_bytes(response.body.size())));
    } catch (const Error& error) {
      return verdict(text(), Outcomes::unanswered, error.what());
    }
  }

  static std::string first_line(const std::string& body) {
    const std::string line = body.substr(0, body.find('\n'));
    return line.size() > 120 ? cat(line.substr(0, 120), "…") : line;
  }

  HttpWish wish_;
  const Clock& clock_;
  std::optional<PagePatience> patience_;
  std::optional<MonotonicTime> since_;
};

/// ssh's own exit code: there is no connection yet.
bool is_by_ssh(const CommandResult& result) { return result.status == ExitStatus(Exited{255}); }

/// Of a log-in that has brought no good answer. One that said nothing until its deadline may have met nobody at all.
Outcomes without_answer(const CommandResult& result) {
  const bool is_silent = result.status == ExitStatus(TimedOut{}) && trim(result.out).empty();
  return is_silent || is_by_ssh(result) ? Outcomes::unanswered : Outcomes::failed;
}

Command log_in(const fs::path& key, std::uint16_t port, const std::string& line, const Deadline& deadline) {
  Command command;
  command.argv = {"ssh", "-i", key.string(), "-p", std::to_string(port)};
  for (const char* option : {"IdentitiesOnly=yes", "BatchMode=yes", "StrictHostKeyChecking=no", "ConnectTimeout=10",
                             "UserKnownHostsFile=/dev/null", "LogLevel=ERROR"})
    command.argv.insert(command.argv.end(), {"-o", option});
  command.argv.insert(command.argv.end(), {"root@127.0.0.1", line});
  command.deadline = deadline;
  command.on_tick = [] { StopSignals::check(); };
  return command;
}

class RunCheck final : public GuestCheck {
 public:
  RunCheck(std::string command, WayIn way, CommandRunner& runner)
      : command_(std::move(command)), way_(std::move(way)), runner_(runner) {}

  [[nodiscard]] std::string text() const override { return cat("run ", command_); }
  [[nodiscard]] std::uint16_t guest_port() const override { return 22; }

  [[nodiscard]] Outcome look(const Deadline& deadline) override {
    Command command = log_in(way_.key, port_, command_, deadline);
    command.merge_err = true;
    command.keep_last = 4000;
    const CommandResult result = runner_.run(command);
    const std::string said(trim(result.out));
    if (succeeded(result.status)) return verdict(text(), Outcomes::passed, said);
    const std::string told = cat(describe(result.status), said.empty() ? "" : cat(": ", said));
    if (!is_by_ssh(result)) return {true, {{text(), without_answer(result), told}}};
    return {false, {{text(), Outcomes::unanswered, cat(ssh_trouble(said, way_.has_server), " (", told, ")")}}, true};
  }

 private:
  std::string command_;
  WayIn way_;
  CommandRunner& runner_;
};

class InsideCheck final : public GuestCheck {
 public:
  InsideCheck(std::vector<ResourceCheck> checks, WayIn way, Duration patience, const Clock& clock,
              CommandRunner& runner)
      : checks_(std::move(checks)),
        script_(probe_script(checks_)),
        way_(std::move(way)),
        patience_(patience),
        clock_(clock),
        runner_(runner) {}

  [[nodiscard]] std::string text() const override { return cat(checks_.size(), " checks inside"); }
  [[nodiscard]] std::vector<Verdict> unanswered(const std::string& why) const override {
    return builder::vm::unanswered(checks_, why);
  }
  [[nodiscard]] std::uint16_t guest_port() const override { return 22; }

  [[nodiscard]] Outcome look(const Deadline& deadline) override {
    Command command = log_in(way_.key, port_, "sh -s", deadline);
    command.input = script_;
    command.keep_last = k_most_answers;
    const CommandResult result = runner_.run(command);
    const Answers answers = parse_answers(result.out, checks_.size());
    if (!answers.is_whole) {
      const std::string said(trim(result.err));
      const std::string told = cat(describe(result.status), said.empty() ? "" : cat(": ", said.substr(0, k_shown)));
      if (is_by_ssh(result))
        return {false,
                {{"log in by ssh", Outcomes::unanswered, cat(ssh_trouble(said, way_.has_server), " (", told, ")")}},
                true,
                true};
      Outcome outcome = verdict("answers of the machine", without_answer(result),
                                result.out.size() >= k_most_answers
                                    ? cat("more than ", human_bytes(k_most_answers), ": ask for less at once")
                                    : told);
      outcome.done = result.status == ExitStatus(Exited{k_lacks_programs});
      outcome.is_cut = true;
      return outcome;
    }
    if (answers.has_started && !started_) started_ = clock_.now();
    Outcome outcome{false, judge(checks_, answers)};
    if (!started_) {
      outcome.verdicts.insert(outcome.verdicts.begin(),
                              {"the system has started", Outcomes::failed, "systemd is still starting it"});
    }
    const bool good = std::none_of(outcome.verdicts.begin(), outcome.verdicts.end(),
                                   [](const Verdict& each) { return each.failed(); });
    outcome.done = good || (started_ && clock_.now() - *started_ >= patience_);
    return outcome;
  }

 private:
  static constexpr std::size_t k_most_answers = 256U << 20U;
  static constexpr std::size_t k_shown = 300;

  std::vector<ResourceCheck> checks_;
  std::string script_;
  WayIn way_;
  Duration patience_;
  const Clock& clock_;
  CommandRunner& runner_;
  std::optional<MonotonicTime> started_;
};

}  // namespace

Result<HttpWish, std::string> parse_http_wish(const std::string& text) {
  const std::string usage = cat("--http ", text, ": PORT/PATH[=WORDS] is expected: 80/, 8080/health=ok");
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!text.starts_with(scheme)) continue;
    const Result<Url> url = parse_url(text);
    return cat(usage, url ? cat("; of the guest's own that is --http ", url->port, url->path) : "");
  }
  const std::size_t slash = text.find('/');
  const std::optional<std::uint64_t> port =
      slash == std::string::npos ? std::nullopt : parse_number(text.substr(0, slash));
  if (!port || *port == 0 || *port > 65535) return usage;
  const std::size_t equals = text.find('=', slash);
  HttpWish wish{.port = static_cast<std::uint16_t>(*port),
                .path = text.substr(slash, equals == std::string::npos ? equals : equals - slash),
                .words = equals == std::string::npos ? "" : text.substr(equals + 1),
                .status = {},
                .body = {}};
  if (!parse_url(cat("http://127.0.0.1:1", wish.path))) return usage;
  return wish;
}

std::unique_ptr<GuestCheck> http_check(const HttpWish& wish, const Clock& clock, std::optional<PagePatience> patience) {
  return std::make_unique<HttpCheck>(wish, clock, patience);
}

std::unique_ptr<GuestCheck> run_check(const std::string& command, const WayIn& way, CommandRunner& runner) {
  return std::make_unique<RunCheck>(command, way, runner);
}

std::unique_ptr<GuestCheck> inside_check(std::vector<ResourceCheck> checks, const WayIn& way, Duration patience,
                                         const Clock& clock, CommandRunner& runner) {
  return std::make_unique<InsideCheck>(std::move(checks), way, patience, clock, runner);
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

}  // namespace hearth::builder::vm
