// All that happened, in order: its digest is what two runs must have in common, its lines are for people and for the
// timeline.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace hearth::simulation {

struct TraceLine {
  Duration at{};  ///< since the beginning
  std::string kind;
  std::string who;
  std::string what;
};

class Trace {
 public:
  enum class Keep : std::uint8_t { nothing, lines };
  /// `directory` is another in each run: it is told as DIR.
  Trace(Keep keep, std::string directory) : keep_(keep), directory_(std::move(directory)) {}
  void note(Duration at, std::string_view kind, std::string_view who, std::string_view what);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// FNV-1a of all lines, 64 bits in hexadecimal.
  [[nodiscard]] std::string digest() const;
  [[nodiscard]] const std::vector<TraceLine>& lines() const { return lines_; }

 private:
  void note_told(Duration at, std::string_view kind, std::string_view who, std::string_view what);
  void mix(std::string_view text);
  Keep keep_;
  std::string directory_;
  std::uint64_t sum_ = 0xcbf29ce484222325U;
  std::uint64_t count_ = 0;
  std::vector<TraceLine> lines_;
};

/// "  12.345678 power  node3: off".
[[nodiscard]] std::string line_text(const TraceLine& line);

}  // namespace hearth::simulation
