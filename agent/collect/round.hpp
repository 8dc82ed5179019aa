// One round of os-collect-config: ask the sources, store what they have, run the command if anything changed, and only
// when that succeeded mark the changes as seen. A failed round is thus repeated whole.
#pragma once

#include <string>
#include <vector>

#include "agent/collect/cache.hpp"
#include "agent/collect/source.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

/// What all sources have, in the order of `names`.
[[nodiscard]] std::vector<Collected> collect_all(const std::vector<std::string>& names, const SourceContext& context);

/// The report of --print: one JSON object, document name to content, with a newline at the end.
[[nodiscard]] std::string report(const std::vector<Collected>& documents);

/// The documents of a round, stored.
struct StoredRound {
  std::vector<std::string> paths;    ///< for OS_CONFIG_FILES
  std::vector<std::string> changed;  ///< names
};
/// Documents with a name that is no safe file name are refused, with an error message. Throws Error when the disk
/// fails.
[[nodiscard]] StoredRound store_round(const std::vector<Collected>& documents, Cache& cache, const fs::path& backup,
                                      Logger& log);

/// Runs `command` by /bin/sh with the round's files in OS_CONFIG_FILES, its output untouched, and commits the changes
/// if it succeeds. Returns its status as a shell gives it. `before` are words that go before the shell's.
int apply_round(const std::string& command, const StoredRound& round, Cache& cache, CommandRunner& runner, Logger& log,
                const std::vector<std::string>& before = {});

}  // namespace hearth::agent
