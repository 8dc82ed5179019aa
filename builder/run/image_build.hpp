// `hearth image create` from outside: checks everything that can be checked, starts the sandbox, waits, and passes on
// how it ended. Ctrl-C and SIGTERM kill the sandbox, and with it every process and mount of the build.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "builder/hooks/hook_environment.hpp"
#include "builder/report/build_log.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

/// Where log lines go besides NAME.d/build.log.
enum class Verbosity {
  progress,   ///< progress on stderr only
  log,        ///< the stamped log on stdout, as disk-image-create prints it
  plain_log,  ///< the same without stamps
  json,       ///< progress on stdout, an event a line (JsonProgress); notes and errors on stderr
};

/// What a build has to know of others that run beside it.
struct BuildNeighbours {
  std::set<std::string> branches = {};                  ///< see LayerPolicy
  std::function<void(const std::string&)> stored = {};  ///< see LayerPolicy
  std::function<void(const std::string&)> ends = {};    ///< see LayerPolicy
  std::optional<std::uint64_t> memory = {};  ///< bytes for the work area, 0: on disk; nothing = by what is free
  std::string until = {};                    ///< see LayerPolicy: no outputs are written then
};

/// Builds; returns the exit code. Throws Error for what is refused before the first hook runs.
int build_image(const ImageRequest& request, const Installation& installation, Verbosity verbosity,
                const BuildNeighbours& neighbours = {});

/// Memory that work areas may take without pushing others out.
[[nodiscard]] std::uint64_t memory_for_tmpfs();

}  // namespace hearth::builder
