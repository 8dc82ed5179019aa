// One run of os-refresh-config: the phase directories below a base, in order; the first failure calls the error
// handlers and ends the run.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

/// Runs the scripts of a directory until the deadline.
using RunDirectory = std::function<ExitStatus(const std::string& directory, const Deadline& deadline)>;

/// Runs directories by the dib-run-parts that PATH names, or by our own where there is none. `runner` must outlive it.
[[nodiscard]] RunDirectory run_directory_with(CommandRunner& runner, const Clock& clock, const Environment& env);

/// The base directory: OS_REFRESH_CONFIG_BASE_DIR, else the old place if only that exists, else the usual one.
struct BaseDirectory {
  std::string path;
  bool deprecated = false;  ///< the old place: worth a warning
};
[[nodiscard]] BaseDirectory base_directory(const Environment& env, const FileReader& files);

struct RefreshRequest {
  std::string base;
  std::optional<Duration> timeout;  ///< for the whole run; error handlers are not limited
};

/// All phases. Returns the exit status: 0, or 1 when a phase failed.
[[nodiscard]] int run_phases(const RefreshRequest& request, const RunDirectory& run, const FileReader& files,
                             const Clock& clock, Logger& log);

}  // namespace hearth::agent
