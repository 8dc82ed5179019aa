#include "agent/collect/command.hpp"

#include <unistd.h>

#include <malloc.h>
#include <algorithm>
#include <cmath>

#include <csignal>
#include <cstdio>

#include "agent/collect/collect_log.hpp"
#include "agent/collect/log_config.hpp"
#include "agent/collect/loop.hpp"
#include "agent/collect/run_note.hpp"
#include "agent/collect/run_report.hpp"
#include "agent/collect/watchdog.hpp"
#include "agent/signal/resend.hpp"
#include "base/byte_order.hpp"
#include "base/cli/command.hpp"
#include "base/error.hpp"
#include "base/net/web_client.hpp"
#include "base/net/web_socket.hpp"
#include "base/sys/datagram.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

using Words = std::vector<std::string>;

std::string home_of(const Environment& env) {
  const auto home = env.find("HOME");
  return home == env.end() ? "" : home->second;
}

/// Starts this program anew in place: under the name it was called by, so that an update of the file takes effect.
[[noreturn]] void execute_again(const Words& argv, Logger& log) {
  log.info(cat("Re-executing ", shell_join(argv)));
  ::closefrom(3);
  // Until the loop waits for it again a SIGHUP has nothing more to ask for: all is read anew. It must not end the
  // program.
  ::signal(SIGHUP, SIG_IGN);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);  // the mask would be inherited, with SIGHUP blocked
  std::vector<char*> pointers;
  for (const std::string& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
  ::execv("/proc/self/exe", pointers.data());
  throw Error::from_errno("executing", argv.front());
}

/// A whole number of seconds in [0, splay); splays of a second or less are none.
Duration random_splay(double splay) {
  const double whole = std::ceil(splay);
  if (whole < 1) return {};
  return std::chrono::seconds(get_le(random_bytes(4), 0, 4) % static_cast<std::uint64_t>(whole));
}

/// A file of Python's logging replaces all other options, and must be right.
LogOptions chosen_log(const Settings& settings, const FileReader& files) {
  const std::optional<std::string> path = settings.text("DEFAULT", "log_config_append");
  if (!path) return log_options(settings);
  const std::optional<std::string> text = files.read(*path);
  if (!text) throw Error(ErrorKind::not_found, cat("Error loading logging config ", *path, ": there is no such file"));
  Result<LogOptions> options = parse_log_config(*text, *path);
  if (!options) throw Error(ErrorKind::input, cat("Error loading logging config ", options.error().text()));
  return std::move(options).value();
}

TokenCacheOptions token_options(const Settings& settings) {
  const std::chrono::duration<double> lifetime(settings.number("keystone", "cache_ttl"));
  return {settings.text_or("keystone", "cache_dir", ""), std::chrono::duration_cast<Duration>(lifetime)};
}

/// One process's worth of the program, put together.
class Collector {
 public:
  Collector(const cli::Arguments& arguments, const Words& argv)
      : argv_(argv),
        env_(current_environment()),
        config_(find_config_files(arguments, home_of(env_), files_)),
        settings_(read_config_files(config_, files_), env_, arguments),
        log_(chosen_log(settings_, files_), clock_),
        once_(log_),
        runner_(clock_),
        http_(clock_, env_, "os-collect-config/" HEARTH_VERSION),
        tokens_(token_options(settings_), real_files_, clock_, log_),
        messages_(clock_, env_, "os-collect-config/" HEARTH_VERSION),
        context_{settings_, files_,  runner_,   http_,      clock_,        log_,
                 once_,     tokens_, messages_, ::getuid(), &report_urls_, &real_files_} {}

  int run() {
    if (settings_.flag("DEFAULT", "print_cachedir")) {
      std::printf("%s\n", settings_.text_or("DEFAULT", "cachedir", "").c_str());
      return 0;
    }
    for (const std::string& warning : settings_.warnings()) log_.warning(warning);
    const LoopPlan plan = plan_loop(settings_, config_.files);
    check_source_names(plan.sources);
    const bool prints = plan.command.empty() || settings_.flag("DEFAULT", "print");
    if (!plan.one_time && !prints)
      state_.emplace(plan.backup, real_files_, clock_, process_identity(files_, ::getpid()));
    if (state_) state_->tell(DaemonState::Doing::starting);
    SignalPause pause;
    if (const std::optional<Duration> period = state_ ? watchdog_period(env_, ::getpid()) : std::nullopt) {
      watchdog_.emplace(env_, clock_, *period);  // behind SignalPause, whose signals must not reach its thread
    }
    notify_service_manager(env_, "READY=1");  // before the splay, which may be longer than systemd waits for a start
    if (!plan.one_time && pause.wait(random_splay(settings_.number("DEFAULT", "splay"))) == Wake::reload) {
      execute_again(argv_, log_);
    }
    if (prints) return print(plan);
    return loop(plan, pause);
  }

 private:
  int print(const LoopPlan& plan) {
    const std::string text = report(collect_all(plan.sources, context_));
    std::fwrite(text.data(), 1, text.size(), stdout);
    return std::fflush(stdout) == 0 ? 0 : 1;
  }

  int loop(const LoopPlan& plan, Pause& pause) {
    Cache cache(settings_.text_or("DEFAULT", "cachedir", "/var/lib/os-collect-config"), real_files_, log_);
    const auto tell = [this](DaemonState::Doing doing, std::int64_t seconds) {
      if (state_) state_->tell(doing, seconds);
      if (watchdog_) watchdog_->tell(doing, seconds);
    };
    const LoopEnd end = run_loop(plan, {context_, cache, pause, [this] { between_polls(); }, tell,
                                        [&](const auto& apply) { return reported(plan, apply); },
                                        [this](const std::string& why) {
                                          reporter_.send({.state = RunReport::State::ended, .status = 1, .said = why});
                                        }});
    if (end.restart) execute_again(argv_, log_);
    return end.status;
  }

  /// The run with reports of its beginning, of what takes it so long, and of its end.
  int reported(const LoopPlan& plan, const std::function<int(const Words& before)>& apply) {
    const fs::path note = cat(plan.backup.string(), ".run");
    const std::chrono::seconds two_polls(std::max<std::int64_t>(1, std::llround(2 * plan.max_pause)));
    reporter_.send({});
    const MonotonicTime begun = clock_.now();
    int status = 0;
    {
      const LongRunWatch watch(
          two_polls, [&](std::int64_t seconds) { reporter_.send({.seconds = seconds, .said = peek_run_note(note)}); });
      status = apply(noting_words(note));
    }
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(clock_.now() - begun).count();
    reporter_.send(
        {.state = RunReport::State::ended, .status = status, .seconds = seconds, .said = read_run_note(note, clock_)});
    remove_run_note(note);
    return status;
  }

  /// Whoever waits keeps little: the memory of the authorities goes back to the machine.
  void between_polls() {
    (void)resend_pending_signals(log_);
    http_.forget_authorities();
    messages_.forget_authorities();
    ::malloc_trim(0);
  }

  const Words& argv_;
  SystemClock clock_;
  RealFileSystem real_files_;
  const FileReader& files_ = real_files_;
  Environment env_;
  ConfigFiles config_;
  Settings settings_;
  CollectLog log_;
  OnceLog once_;
  RealRunner runner_;
  WebClient http_;
  TokenCache tokens_;
  WebSocketDialer messages_;
  std::set<std::string> report_urls_;
  SourceContext context_;
  RunReporter reporter_{context_};
  std::optional<DaemonStateFile> state_;
  std::optional<Watchdog> watchdog_;
};

int run_collect(const cli::Arguments& arguments, const Words& argv) {
  if (arguments.has("version")) {
    std::printf("%s\n", HEARTH_VERSION);
    return 0;
  }
  ::signal(SIGPIPE, SIG_DFL);  // a broken log pipe ends us, so that systemd starts us again
  return Collector(arguments, argv).run();
}

}  // namespace

cli::Command os_collect_config_command() {
  return {.words = "os-collect-config",
          .operands = "[COLLECTOR…]",
          .summary = "collects metadata into files and runs a command when they changed",
          .details =
              "Collectors: heat_local ec2 cfn heat request local zaqar.\n\n"
              "Configuration: ~/os-collect-config.conf, /etc/os-collect-config.conf and\n"
              "os-collect-config.conf.d/*.conf beside each; OS_<GROUP>__<OPTION> variables.",
          .options = command_line_table(),
          .run = {}};
}

int os_collect_config_main(const Words& words, const Words& argv) {
  cli::Command command = os_collect_config_command();
  command.run = [&argv](const cli::Arguments& arguments) { return run_collect(arguments, argv); };
  const cli::Program program{"os-collect-config", command.summary, HEARTH_VERSION, {}};
  return cli::run_single(program, command, words);
}

}  // namespace hearth::agent
