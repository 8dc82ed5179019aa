// os-apply-config: renders a template tree with merged metadata, or prints single values of it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

/// What the command needs from the world.
struct ApplyWorld {
  FileSystem& files;
  CommandRunner& runner;
  Logger& log;
  const Environment& env;
  std::function<void(std::string_view)> print;  ///< to stdout
};

/// `args` without argv[0]. Exit status: 0; 1 for errors, missing keys, wrong types and --check with changes; 2 for
/// usage; with --boolean-key 0 true, 1 false, 255 neither.
int run_os_apply_config(const std::vector<std::string>& args, const ApplyWorld& world);

/// The same in the real world: this process's environment, files, stdout and stderr.
int os_apply_config_main(const std::vector<std::string>& args);

}  // namespace hearth::agent
