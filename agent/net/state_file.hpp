// What os-net-config keeps on disk while it works, in /var/lib/os-net-config/state.json: units that are being started,
// and the former contents of the files, until the new ones have proved good. A run that dies leaves it to the next one.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/net/change_plan.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent::net {

struct State {
  std::set<std::string> pending;     ///< their start has not been seen to succeed
  std::vector<FileChange> rollback;  ///< former contents; only while --check is deciding
};

[[nodiscard]] std::string state_path(const std::string& root);
/// Empty when there is none, or nothing readable.
[[nodiscard]] State load_state(const std::string& root, const FileReader& files);
/// Mode 0600. An empty state removes the file.
void save_state(const State& state, const std::string& root, FileSystem& files);

/// The present contents of the files that a plan changes.
[[nodiscard]] std::vector<FileChange> former_files(const std::vector<FileChange>& changes, const FileReader& files);
/// Writes what is to be there, removes what is not, makes folders.
void write_files(const std::vector<FileChange>& changes, FileSystem& files);

}  // namespace hearth::agent::net
