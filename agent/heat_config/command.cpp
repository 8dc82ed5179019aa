#include "agent/heat_config/command.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/deployment/signal_data.hpp"
#include "agent/heat_config/docker_cleanup.hpp"
#include "agent/heat_config/hooks/hooks.hpp"
#include "agent/heat_config/notify.hpp"
#include "agent/heat_config/rebuild_deployed.hpp"
#include "agent/heat_config/runner.hpp"
#include "agent/log/python_log.hpp"
#include "agent/signal/real_world.hpp"
#include "agent/signal/resend.hpp"
#include "base/cli/command.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/sys/lock.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::agent {

namespace {

constexpr const char* k_name = "heat-config";  ///< in the log
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

void no_operands(const cli::Arguments& arguments) {
  if (!arguments.operands().empty()) {
    throw Error(ErrorKind::usage, cat("'", arguments.operands().front(), "' is one word too many"));
  }
}

/// A hook runs once, whoever starts us: runs wait for each other.
FileLock lock_deployed(const fs::path& deployed, Logger& log) {
  fs::create_directories(deployed.parent_path());
  const fs::path file = deployed_lock(deployed);
  if (std::optional<FileLock> free = FileLock::try_acquire(file)) return std::move(*free);
  log.info(cat("Waiting for another heat-config (it has locked ", file.string(), ")"));
  return FileLock::acquire(file);
}

/// A program of one command under its own name: --help is all that it does where it is asked for, and a word that it
/// does not know is refused before anything happens.
int run_program(const cli::Command& command, const std::vector<std::string>& args) {
  return cli::run_single({command.words, command.summary, HEARTH_VERSION, {}}, command, args);
}

int run_step(const char* name, const char* summary, const std::vector<std::string>& args,
             int (*step)(const HookWorld&)) {
  return run_program({.words = name,
                      .summary = summary,
                      .run =
                          [step](const cli::Arguments& arguments) {
                            no_operands(arguments);
                            SystemClock clock;
                            PythonLogger log(STDERR_FILENO, k_name, LogLevel::info, clock);
                            return guarded(log, [&] {
                              RealFileSystem files;
                              RealRunner runner(clock);
                              const Environment env = current_environment();
                              const FileLock only = lock_deployed(HeatConfigSettings::from(env).deployed, log);
                              return step({files, runner, log, env});
                            });
                          }},
                     args);
}

int run_deployments(SystemClock& clock, Logger& log) {
  RealFileSystem files;
  RealRunner runner(clock);
  const Environment env = current_environment();
  DirectoryLogBook book(variable(env, "HEAT_CONFIG_LOG_DIR", "/var/log/heat-config"));
  const std::string identity = process_identity(files, ::getpid());
  const HeatConfigSettings settings = HeatConfigSettings::from(env);
  const FileLock only = lock_deployed(settings.deployed, log);
  RealSignalWorld real;
  (void)resend_pending_signals({files, log, real.delivery()}, settings.deployed);
  return run_heat_config(settings, {files, runner, clock, log, book, env, {"/proc/self/exe"}, identity});
}

int run_hook_program(const Hook& hook) {
  survive_closed_pipes();
  SystemClock clock;
  PythonLogger log(STDERR_FILENO, k_name, LogLevel::info, clock);
  return guarded(log, [&] {
    const Json deployment = parse_python_json(read_stdin(), "standard input").value_or_throw();
    RealFileSystem files;
    RealRunner runner(clock);
    MaskingLogger masked(log, SecretMask(deployment));
    const Json answer = answer_of(hook, deployment, {files, runner, masked, current_environment()});
    write_all(Fd(::dup(STDOUT_FILENO)), python_json(answer), "standard output");
    return 0;
  });
}

}  // namespace

int heat_config_main(const std::vector<std::string>& args) {
  return run_program({.words = "55-heat-config",
                      .summary = "runs the software deployments that have not run yet",
                      .options = {{"resend-pending", 0, "", "only send again the signals that wait on disk"}},
                      .run =
                          [](const cli::Arguments& arguments) {
                            no_operands(arguments);
                            survive_closed_pipes();
                            SystemClock clock;
                            PythonLogger log(STDERR_FILENO, k_name, LogLevel::info, clock);
                            return guarded(log, [&] {
                              if (arguments.has("resend-pending")) return resend_pending_signals(log) == 0 ? 0 : 1;
                              return run_deployments(clock, log);
                            });
                          }},
                     args);
}

int heat_config_notify_main(const std::vector<std::string>& args) {
  return run_program({.words = k_notify_name,
                      .operands = "CONFIG.json",
                      .summary = "signals the result of a deployment, read from standard input",
                      .run =
                          [](const cli::Arguments& arguments) {
                            survive_closed_pipes();
                            SystemClock clock;
                            PythonLogger log(STDERR_FILENO, k_notify_name, LogLevel::info, clock);
                            if (arguments.operands().size() != 1) {
                              log.error("usage: heat-config-notify CONFIG.json < DATA");
                              return 1;
                            }
                            return guarded(log, [&] {
                              RealSignalWorld real;
                              return run_heat_config_notify(
                                  arguments.operands().front(), read_stdin(),
                                  {real.files, log, real.delivery(), retry_policy(current_environment())});
                            });
                          }},
                     args);
}

int hook_main(const std::string& name, const std::vector<std::string>& args) {
  const Hook* hook = find_hook(name);
  if (hook == nullptr && cli::asks_for_help({name})) {
    std::fputs("usage: hearth-agent heat-config-hook HOOK < DEPLOYMENT.json\n", stdout);
    return 0;
  }
  if (hook == nullptr) {
    std::fprintf(stderr, "heat-config-hook: there is no hook '%s'\n", name.c_str());
    return 2;
  }
  return run_program({.words = name,
                      .operands = "< DEPLOYMENT.json",
                      .summary = std::string(hook->summary),
                      .run = [hook](const cli::Arguments& /*arguments*/) { return run_hook_program(*hook); }},
                     args);
}

int rebuild_deployed_main(const std::vector<std::string>& args) {
  return run_step("heat-config-rebuild-deployed", "marks all known deployments as run", args, rebuild_deployed);
}
int docker_cmd_main(const std::vector<std::string>& args) {
  return run_step("50-heat-config-docker-cmd", "removes containers whose deployment is gone", args,
                  clean_docker_containers);
}
int docker_compose_main(const std::vector<std::string>& args) {
  return run_step("50-heat-config-docker-compose", "stops compose projects whose deployment is gone", args,
                  prepare_compose_projects);
}

}  // namespace hearth::agent
