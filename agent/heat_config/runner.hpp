// 55-heat-config: runs the hook of every new deployment once and signals what became of it.
//
// For each deployment, in this order, each step on disk before the next begins: <id>.json (it is never run again),
// <id>.signal "running", the hook, <id>.notify.json, <id>.signal "pending", heat-config-notify. Wherever this is cut
// off, resend_pending_signals() knows what is left to tell Heat. When the disk takes no files, the hook is not run, and
// Heat is told so; what happens after the hook has run is signalled whether or not it can be kept.
#pragma once

#include <string>
#include <vector>

#include "agent/heat_config/deployment/signal_data.hpp"
#include "agent/heat_config/log_book.hpp"
#include "agent/signal/journal.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

struct HeatConfigSettings {
  std::vector<fs::path> hook_directories;  ///< searched in order
  fs::path config;                         ///< the list of deployments
  fs::path deployed;
  fs::path deployed_old;                     ///< where `deployed` used to be
  std::string notify;                        ///< command that delivers signals
  Duration hook_timeout = Duration::zero();  ///< zero = none
  fs::path volatile_directory = "/run";      ///< for a description that `deployed` has no room for

  /// HEAT_CONFIG_HOOKS, HEAT_SHELL_CONFIG, HEAT_CONFIG_DEPLOYED, HEAT_CONFIG_DEPLOYED_OLD, HEAT_CONFIG_NOTIFY, and our
  /// own HEAT_CONFIG_HOOK_TIMEOUT: seconds, 0 = for ever, by default four hours, after which Heat itself has given up.
  [[nodiscard]] static HeatConfigSettings from(const Environment& env);
};

struct HeatConfigWorld {
  FileSystem& files;
  CommandRunner& runner;
  Clock& clock;
  Logger& log;
  LogBook& book;
  Environment env;
  std::vector<std::string> self;  ///< how to start an applet of this program: {path}, followed by the applet's name
  std::string identity;           ///< of this process: process_identity()
};

/// Exit status: 1 when there is no config file, else 0, whatever became of the deployments: os-refresh-config would
/// otherwise abort and run all of its scripts again.
int run_heat_config(const HeatConfigSettings& settings, const HeatConfigWorld& world);

}  // namespace hearth::agent
