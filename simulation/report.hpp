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

/// Times, by tenths of a second: as they are told. So many runs as there may be take no more memory than some.
class Spread {
 public:
  void add(double seconds);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Of the tenths, so that it is the same in whatever order they came.
  [[nodiscard]] double sum() const { return static_cast<double>(sum_tenths_) / 10; }
  /// What so large a share of all is no more than; 0 of none.
  [[nodiscard]] double at_share(double share) const;
  void add(const Spread& other);

 private:
  std::map<std::int64_t, std::uint64_t> tenths_;
  std::uint64_t count_ = 0;
  std::int64_t sum_tenths_ = 0;
};

/// All runs together, in whatever order they come.
struct Sums {
  void add(const RunResult& result);

  struct Bad {
    std::string why;
    std::string digest;
  };
  std::uint64_t runs = 0;
  std::map<std::uint64_t, Bad> bad;  ///< runs that broke a rule, or did not come to their end
  Spread converged;
  std::uint64_t boots = 0, waited = 0, no_room = 0, writes = 0, unfinished = 0, most_writers = 0, faults = 0;
  Duration waiting{}, writing{}, shared{};
  std::map<FaultKind, Spread> recoveries;
  std::map<std::string, Spread> up;
  std::map<std::string, std::uint64_t> retries, failures;
  std::uint64_t all_retries = 0, all_failures = 0;
};

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
[[nodiscard]] std::vector<WeakPoint> weak_points(const PlayedSite& site, const Sums& sums);

[[nodiscard]] Json report_json(const PlayedSite& site, const Sums& sums);
[[nodiscard]] std::string report_text(const PlayedSite& site, const Sums& sums);

}  // namespace hearth::simulation
