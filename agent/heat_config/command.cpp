#include "agent/heat_config/command.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "agent/heat_config/deployment.hpp"
#include "agent/heat_config/docker_cleanup.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "agent/heat_config/notify.hpp"
#include "agent/heat_config/rebuild_deployed.hpp"
#include "agent/heat_config/runner.hpp"
#include "agent/heat_config/signal_data.hpp"
#include "agent/python_log.hpp"
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

/// What a hook can't do at all (a full disk, a config of the wrong form) is its answer, too: a failure with the reason.
Json answer_of(const Hook& hook, const Json& deployment, const HookWorld& world) {
  try {
    return hook.run(deployment, world);
  } catch (const Error& error) {
    world.log.error(error.what());
    return plain_answer("", error.story(), 1);
  } catch (const std::exception& error) {
    world.log.error(error.what());
    return plain_answer("", cat("the deployment is malformed: ", error.what()), 1);
  }
}

int run_step(int (*step)(const HookWorld&)) {
  SystemClock clock;
  PythonLogger log(STDERR_FILENO, k_name, LogLevel::info, clock);
  return guarded(log, [&] {
    RealFileSystem files;
    RealRunner runner(clock);
    return step({files, runner, log, current_environment()});
  });
}

}  // namespace

int heat_config_main(const std::vector<std::string>& args) {
  survive_closed_pipes();
  SystemClock clock;
  PythonLogger log(STDERR_FILENO, k_name, LogLevel::info, clock);
  if (!args.empty() && args != std::vector<std::string>{"--resend-pending"}) {
    log.error("usage: heat-config [--resend-pending]");
    return 2;
  }
  return guarded(log, [&] {
    if (!args.empty()) return resend_pending_signals(log) == 0 ? 0 : 1;
    RealFileSystem files;
    RealRunner runner(clock);
    const Environment env = current_environment();
    DirectoryLogBook book(setting(env, "HEAT_CONFIG_LOG_DIR", "/var/log/heat-config"));
    const std::string identity = process_identity(files, ::getpid());
    return run_heat_config(HeatConfigSettings::from(env),
                           {files, runner, clock, log, book, env, {"/proc/self/exe"}, identity});
  });
}

int heat_config_notify_main(const std::vector<std::string>& args) {
  survive_closed_pipes();
  SystemClock clock;
  PythonLogger log(STDERR_FILENO, k_notify_name, LogLevel::info, clock);
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

int hook_main(const std::string& name) {
  survive_closed_pipes();
  SystemClock clock;
  PythonLogger log(STDERR_FILENO, k_name, LogLevel::info, clock);
  return guarded(log, [&] {
    const Hook* hook = find_hook(name);
    if (hook == nullptr) throw Error(ErrorKind::usage, cat("there is no hook '", name, "'"));
    const Json deployment = parse_python_json(read_stdin(), "standard input").value_or_throw();
    RealFileSystem files;
    RealRunner runner(clock);
    MaskingLogger masked(log, SecretMask(deployment));
    const Json answer = answer_of(*hook, deployment, {files, runner, masked, current_environment()});
    write_all(Fd(::dup(STDOUT_FILENO)), python_json(answer), "standard output");
    return 0;
  });
}

int rebuild_deployed_main(const std::vector<std::string>& /*args*/) { return run_step(rebuild_deployed); }
int docker_cmd_main(const std::vector<std::string>& /*args*/) { return run_step(clean_docker_containers); }
int docker_compose_main(const std::vector<std::string>& /*args*/) { return run_step(prepare_compose_projects); }

}  // namespace hearth::agent
