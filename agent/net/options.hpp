// The command line of os-net-config.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/net/url.hpp"

namespace hearth::agent::net {

struct NetOptions {
  std::string config_file = "/etc/os-net-config/config.yaml";
  std::string mapping_file = "/etc/os-net-config/mapping.yaml";
  bool report_interfaces = false;       ///< --interfaces was given …
  std::vector<std::string> interfaces;  ///< … with these names
  std::string root;                     ///< without a slash at its end
  std::string provider;                 ///< empty = guess
  std::string purge_provider;           ///< empty = none
  bool detailed_exit_codes = false;
  bool exit_on_validation_errors = false;
  LogLevel log_level = LogLevel::warning;
  bool noop = false;
  bool activate = true;
  bool cleanup = false;
  bool persist_mapping = false;
  bool remove_config = false;
  bool minimum_config = false;
  bool network_config = true;
  bool fallback_config = true;
  std::optional<Url> check;
  Duration patience = std::chrono::seconds(60);
  bool help = false;
  bool version = false;
};

/// --interfaces takes any number of names. Throws Error(usage).
[[nodiscard]] NetOptions parse_net_options(const std::vector<std::string>& words);

[[nodiscard]] std::string net_help();
/// The same for a manual page; without a function.
[[nodiscard]] cli::Command os_net_config_command();

}  // namespace hearth::agent::net
