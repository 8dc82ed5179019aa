// What many runs of a site say of it: how long it takes, what costs most, and where it is weakest. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "simulation/world.hpp"

namespace hearth::simulation {

/// One run, as it comes from the process that played it.
struct RunResult {
  std::uint64_t run = 0;
  std::string broken;  ///< the rule that did not hold; empty: all did
  std::string digest;
  std::uint64_t faults = 0;
  std::uint64_t events = 0;
  double seconds = 0;  ///< simulated
  Tally tally;
};

[[nodiscard]] RunResult result_of(std::uint64_t run, const Played& played);
/// One line, without its end.
[[nodiscard]] std::string line_of(const RunResult& result);
/// Throws Error where it is none.
[[nodiscard]] RunResult parse_result(std::string_view line);

/// What was played.
struct PlayedSite {
  std::string file;
  std::uint64_t seed = 1;
  double years = 1;
  std::string faults;  ///< as it was asked for
  std::size_t machines = 0;
  std::uint64_t pool = 0;         ///< addresses
  std::uint64_t without_own = 0;  ///< machines that need one of them
  std::uint64_t image_bytes = 0;
  std::uint64_t link = 0;
  std::vector<std::string> notes;
  std::string replay;  ///< the command that plays one run again, to which its number is added
};

struct WeakPoint {
  std::string kind;  ///< "address-pool"
  std::string text;
  std::string advice;
};

/// The gravest first.
[[nodiscard]] std::vector<WeakPoint> weak_points(const PlayedSite& site, const std::vector<RunResult>& results);

[[nodiscard]] Json report_json(const PlayedSite& site, const std::vector<RunResult>& results);
[[nodiscard]] std::string report_text(const PlayedSite& site, const std::vector<RunResult>& results);
/// Runs that broke a rule, or did not come to their end.
[[nodiscard]] std::size_t bad_runs(const std::vector<RunResult>& results);

}  // namespace hearth::simulation
