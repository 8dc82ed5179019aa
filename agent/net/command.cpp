#include "agent/net/command.hpp"

#include <csignal>
#include <cstdio>

#include "agent/net/log.hpp"
#include "agent/net/run.hpp"
#include "base/cli/print.hpp"
#include "base/error.hpp"
#include "base/net/web_client.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

/// Taking the network down may end the session that started us; what was begun must be finished, or put back.
void survive_the_session() {
  ::signal(SIGHUP, SIG_IGN);
  ::signal(SIGPIPE, SIG_IGN);
}

int run(const net::NetOptions& options) {
  if (!options.noop && !options.report_interfaces) survive_the_session();
  SystemClock clock;
  net::NetLogger log(clock,
                     options.noop || options.report_interfaces ? "" : options.root + "/var/log/os-net-config.log",
                     options.log_level);
  RealFileSystem files;
  RealRunner runner(clock);
  const std::string agent = "os-net-config/" HEARTH_VERSION;
  WebClient http(clock, current_environment(), agent);
  WebClient direct(clock, {}, agent);
  net::World world{files, runner, {http, direct, runner, clock}, log, [](const std::string& text) {
                     std::fputs(text.c_str(), stdout);
                   }};
  return net::run_net_config(options, world);
}

}  // namespace

int os_net_config_main(const std::vector<std::string>& words) {
  try {
    const net::NetOptions options = net::parse_net_options(words);
    if (options.help) {
      std::fputs(net::net_help().c_str(), stdout);
    } else if (options.version) {
      std::puts("os-net-config " HEARTH_VERSION);
    } else {
      return run(options);
    }
    return 0;
  } catch (const Error& error) {
    cli::tell(cat("os-net-config: ", error.story(), "\n"));
    return error.exit_code();
  } catch (const std::exception& error) {
    cli::tell(cat("os-net-config: ", error.what(), "\n"));
    return 1;
  }
}

}  // namespace hearth::agent
