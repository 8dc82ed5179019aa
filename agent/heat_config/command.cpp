#include "agent/heat_config/command.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "agent/heat_config/log.hpp"
#include "agent/heat_config/notify.hpp"
#include "agent/heat_config/runner.hpp"
#include "agent/heat_config/script_hook.hpp"
#include "agent/signal/real_world.hpp"
#include "agent/signal/resend.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr const char* k_name = "heat-config";
constexpr const char* k_notify_name = "heat-config-notify";

std::string read_stdin() { return read_all(Fd(::dup(STDIN_FILENO)), "standard input"); }

/// HEAT_CONFIG_NOTIFY_PATIENCE: seconds during which a signal is retried at once; after that it waits on disk.
RetryPolicy retry_policy(const Environment& env) {
  RetryPolicy policy;
  const auto found = env.find("HEAT_CONFIG_NOTIFY_PATIENCE");
  const std::optional<std::uint64_t> seconds = found == env.end() ? std::nullopt : parse_number(found->second);
  if (seconds) policy.total = std::chrono::seconds(*seconds);
  return policy;
}

/// A hook that does not read its stdin must not end us.
void survive_closed_pipes() { ::signal(SIGPIPE, SIG_IGN); }

template <class Body>
int guarded(Logger& log, Body body) {
  try {
    return body();
  } catch (const Error& error) {
    log.error(error.story());
    return 1;
  } catch (const std::exception& error) {
    log.error(error.what());
    return 1;
  }
}

}  // namespace

int heat_config_main(const std::vector<std::string>& args) {
  survive_closed_pipes();
  SystemClock clock;
  HeatLogger log(clock, k_name);
  if (!args.empty() && args != std::vector<std::string>{"--resend-pending"}) {
    log.error("usage: heat-config [--resend-pending]");
    return 2;
  }
  return guarded(log, [&] {
    if (!args.empty()) return resend_pending_signals(log) == 0 ? 0 : 1;
    RealFileSystem files;
    RealRunner runner(clock);
    const Environment env = current_environment();
    return run_heat_config(HeatConfigSettings::from(env),
                           {files, runner, clock, log, env, {"/proc/self/exe"}, process_identity(files, ::getpid())});
  });
}

int heat_config_notify_main(const std::vector<std::string>& args) {
  survive_closed_pipes();
  SystemClock clock;
  HeatLogger log(clock, k_notify_name);
  if (args.size() != 1) {
    log.error("usage: heat-config-notify CONFIG.json < DATA");
    return 1;
  }
  return guarded(log, [&] {
    RealSignalWorld real;
    return run_heat_config_notify(args.front(), read_stdin(),
                                  {real.files, log, real.delivery(), retry_policy(current_environment())});
  });
}

int script_hook_main(const std::vector<std::string>& /*args*/) {
  survive_closed_pipes();
  SystemClock clock;
  HeatLogger log(clock, k_name);
  return guarded(log, [&] {
    RealFileSystem files;
    RealRunner runner(clock);
    const Environment env = current_environment();
    const Json deployment = parse_python_json(read_stdin(), "standard input").value_or_throw();
    const Json answer = run_script_hook(deployment, ScriptHookSettings::from(env), {files, runner, log, env});
    write_all(Fd(::dup(STDOUT_FILENO)), python_json(answer), "standard output");
    return 0;
  });
}

}  // namespace hearth::agent
