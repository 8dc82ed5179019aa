// The hook for group "script", built in: runs the config's text as a program and answers with its output.
#pragma once

#include <string>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

struct ScriptHookSettings {
  fs::path working;  ///< scripts are kept and run here
  fs::path outputs;  ///< $heat_outputs_path begins here

  /// HEAT_SCRIPT_WORKING and HEAT_SCRIPT_OUTPUTS.
  [[nodiscard]] static ScriptHookSettings from(const Environment& env);
};

struct ScriptHookWorld {
  FileSystem& files;
  CommandRunner& runner;
  Logger& log;
  Environment env;
};

/// The variables that a script gets: each input as text (objects, lists, numbers and booleans as JSON; null and missing
/// values empty), on top of `env`.
[[nodiscard]] Environment script_environment(const Json& deployment, Environment env);

/// Runs the deployment's script and returns the answer: its declared outputs that were written to
/// $heat_outputs_path.<name>, deploy_stdout, deploy_stderr and deploy_status_code. A script that can't start is an
/// answer with status 127; a text without "#!" is run by /bin/sh.
[[nodiscard]] Json run_script_hook(const Json& deployment, const ScriptHookSettings& settings,
                                   const ScriptHookWorld& world);

}  // namespace hearth::agent
