// What the built-in hooks share: their place in the world, options and inputs of a deployment, and the tool that each
// of them drives.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/log.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

/// `log` is shown to people: it must mask secrets.
struct HookWorld {
  FileSystem& files;
  CommandRunner& runner;
  Logger& log;
  Environment env;
};

/// The deployment's id. Throws Error(input) when it could lead out of a directory.
[[nodiscard]] std::string checked_id(const Json& deployment);
/// The same for its name.
[[nodiscard]] std::string checked_name(const Json& deployment);

/// All inputs that have a name; the value is null when there is none.
[[nodiscard]] std::vector<std::pair<std::string, const Json*>> named_inputs(const Json& deployment);

/// A member of `options`, which Heat sends as null when there are none.
[[nodiscard]] const Json* option(const Json& deployment, const std::string& name);
[[nodiscard]] std::string option_text(const Json& deployment, const std::string& name);

/// Where a hook keeps its files, made with mode 0700: HEAT_<TOOL>_WORKING and HEAT_<TOOL>_OUTPUTS, by default
/// /var/lib/heat-config/heat-config-<tool> and /var/run/heat-config/heat-config-<tool>.
struct HookFolders {
  fs::path working;
  fs::path outputs;
};
[[nodiscard]] HookFolders make_folders(const std::string& tool, const HookWorld& world);

/// What became of a tool.
struct ToolRun {
  bool started = true;
  CommandResult result;
};

/// Runs a tool in this hook's own process group, so that both are killed together. Each line of its output is logged as
/// it comes. A tool that can't be started gives status 127 and a stderr that says what to do.
[[nodiscard]] ToolRun run_tool(Command command, const HookWorld& world);

/// The tool's output and status as an answer; bytes that are no UTF-8 are replaced.
[[nodiscard]] Json tool_answer(const CommandResult& result);

/// Adds the declared outputs that were written to `prefix`.<name>.
void add_outputs(Json& answer, const Json& deployment, const std::string& prefix, const FileReader& files);

/// What `hostname -f` says; empty when it fails.
[[nodiscard]] std::string full_host_name(const HookWorld& world);

}  // namespace hearth::agent
