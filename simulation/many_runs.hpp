// A site played many times, by as many processes as there are processors: each plays every so manieth run. A run that
// ends its process has its place among the results, and the rest are played all the same.
#pragma once

#include <functional>

#include "simulation/report.hpp"

namespace hearth::simulation {

struct ManyRuns {
  std::uint64_t runs = 100;
  unsigned processes = 1;
  /// `directory`: of all runs, removed with whatever a process that was killed has left in it.
  std::function<Played(std::uint64_t run, const std::string& directory)> play;
  std::function<void(const RunResult&)> take;          ///< each, in the order in which they end
  std::function<void(std::uint64_t done)> progress{};  ///< about once a second; may be empty
  std::string parent = "/tmp";                         ///< where that directory is made
};

/// Fewer than `asked` where so many bytes of memory (0: nobody knows) are not enough. Throws Error where they are too
/// few for one.
[[nodiscard]] unsigned fitting_processes(unsigned asked, std::size_t machines, std::uint64_t memory);

/// Throws Error where a signal ends it.
void play_all(const ManyRuns& wish);

}  // namespace hearth::simulation
