#include "agent/collect/loop.hpp"

#include <cerrno>
#include <cmath>
#include <csignal>
#include <ctime>

#include "agent/collect/backoff.hpp"
#include "agent/collect/retry_brake.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

sigset_t only_hangup() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGHUP);
  return set;
}

/// What one round did.
struct RoundOutcome {
  bool ran = false;
  int status = 0;
};

/// Tells apart what a failing command was run with.
std::string fingerprint_of(const std::vector<Collected>& documents) {
  Hasher hasher(HashKind::md5);
  for (const Collected& document : documents)
    hasher.update(cat(document.name, "\n", python_json(document.content), "\n"));
  return hasher.hex_digest();
}

/// Runs the command unless it has failed too often with the same metadata.
RoundOutcome apply_braked(const LoopPlan& plan, const LoopWorld& world, const std::vector<Collected>& documents,
                          const StoredRound& round, RetryBrake& brake) {
  Logger& log = world.context.log;
  const std::string metadata = brake.failures() > 0 ? fingerprint_of(documents) : "";
  const Duration wait = plan.force ? Duration::zero() : brake.wait_for(metadata);
  if (wait > Duration::zero()) {
    log.info(cat("The command has failed ", brake.failures(), " times with these metadata; next try in ",
                 std::chrono::ceil<std::chrono::seconds>(wait).count(), " seconds."));
    return {};
  }
  world.tell(DaemonState::Doing::running, 0);
  const int status = world.around_run([&](const std::vector<std::string>& before) {
    return apply_round(plan.command, round, world.cache, world.context.runner, log, before);
  });
  if (status == 0) {
    brake.succeeded();
  } else {
    brake.failed(metadata.empty() ? fingerprint_of(documents) : metadata);
  }
  return {true, status};
}

RoundOutcome run_round(const LoopPlan& plan, const LoopWorld& world, RetryBrake& brake) {
  Logger& log = world.context.log;
  try {
    const std::vector<Collected> documents = collect_all(plan.sources, world.context);
    const StoredRound round = store_round(documents, world.cache, plan.backup, log);
    if (round.changed.empty() && !plan.force) {
      log.debug("No changes detected.");
      return {};
    }
    return apply_braked(plan, world, documents, round, brake);
  } catch (const Error& error) {  // a full disk or the like: the next round may do better
    log.error(error.story());
    world.round_failed(error.story());
    return {false, 1};
  } catch (const std::exception& error) {  // no memory or no thread just now
    log.error(error.what());
    world.round_failed(error.what());
    return {false, 1};
  }
}

}  // namespace

SignalPause::SignalPause() {
  const sigset_t set = only_hangup();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGHUP, SIG_DFL);  // what is ignored would not wait
}

Wake SignalPause::wait(Duration duration) {
  const sigset_t set = only_hangup();
  const SystemClock clock;
  const MonotonicTime end = clock.now() + duration;
  while (true) {
    const Duration left = std::max(end - clock.now(), Duration::zero());
    const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
    const timespec timeout{static_cast<time_t>(seconds.count()), static_cast<long>((left - seconds).count())};
    if (::sigtimedwait(&set, nullptr, &timeout) == SIGHUP) return Wake::reload;
    if (errno != EINTR) return Wake::elapsed;
  }
}

LoopPlan plan_loop(const Settings& settings, std::vector<std::string> config_files) {
  const bool force = settings.flag("DEFAULT", "force");
  return {.sources = settings.list("DEFAULT", "collectors"),
          .command = settings.text_or("DEFAULT", "command", ""),
          .backup = settings.text_or("DEFAULT", "backup_cachedir", "/var/run/os-collect-config"),
          .one_time = force || settings.flag("DEFAULT", "one_time"),
          .force = force,
          .reset_on_change = settings.flag("DEFAULT", "reset_interval_on_change"),
          .min_pause = settings.number("DEFAULT", "min_polling_interval"),
          .max_pause = settings.number("DEFAULT", "polling_interval"),
          .config_files = std::move(config_files)};
}

LoopEnd run_loop(const LoopPlan& plan, const LoopWorld& world) {
  const std::string config = fingerprint(plan.config_files, world.context.files);
  Backoff backoff(plan.min_pause, plan.max_pause);
  RetryBrake brake(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(plan.max_pause)),
                   world.context.clock);
  LoopEnd end;
  while (true) {
    world.tell(DaemonState::Doing::polling, 0);
    const RoundOutcome outcome = run_round(plan, world, brake);
    if (outcome.status != 0) end.status = outcome.status;
    if (plan.one_time) return end;
    if (outcome.ran && fingerprint(plan.config_files, world.context.files) != config) return {.restart = true};
    // Only after success: a command that fails every time must not be run every second.
    if (outcome.ran && outcome.status == 0 && plan.reset_on_change) backoff.reset();
    world.between_polls();
    const double seconds = backoff.take();
    // What the log says is already so for whoever reads it and asks the doctor.
    world.tell(DaemonState::Doing::waiting, static_cast<std::int64_t>(std::ceil(seconds)));
    world.context.log.info(cat("Sleeping ", fixed(seconds, 2), " seconds."));
    const auto pause = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
    if (world.pause.wait(pause) == Wake::reload) return {.restart = true};
  }
}

}  // namespace hearth::agent
