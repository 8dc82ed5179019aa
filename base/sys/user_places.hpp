// Where a user's own things go: by the environment and, where that says nothing, by the system's list of users.
#pragma once

#include "base/path.hpp"
#include "base/sys/process.hpp"

namespace hearth {

/// HOME; where it is not set or no absolute path, what the list of users has for this user, else "/". Need not be
/// there.
[[nodiscard]] fs::path home_directory(const Environment& env);

/// For what can be made again: XDG_CACHE_HOME where it is an absolute path (the XDG Base Directory Specification
/// ignores others), else .cache in the home directory.
[[nodiscard]] fs::path cache_directory(const Environment& env);

/// For what a user has settled: XDG_CONFIG_HOME likewise, else .config in the home directory.
[[nodiscard]] fs::path config_directory(const Environment& env);

/// For what has to stay: XDG_STATE_HOME likewise, else .local/state in the home directory.
[[nodiscard]] fs::path kept_state_directory(const Environment& env);

/// TMPDIR, else /tmp. Throws Error(not_found) when it is no directory: temporary files don't silently go elsewhere.
[[nodiscard]] fs::path temporary_directory(const Environment& env);

}  // namespace hearth
