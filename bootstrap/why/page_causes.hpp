// Why a page is slow, or a conductor answers nobody: who of those that it waits for takes long. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "bootstrap/why/causes/finding.hpp"

namespace hearth::bootstrap::why {

/// A process of this computer, as the kernel tells of it.
struct ProcessFacts {
  int pid = 0;
  char state = '?';   ///< proc(5): R, S, D, T, Z
  std::string waits;  ///< the kernel's function in which it waits; may be empty
};

struct PageFacts {
  std::string where;                    ///< the conductor's address
  bool is_here = false;                 ///< by its socket, on this computer
  std::optional<double> answered;       ///< seconds for the smallest answer; nullopt: none came
  bool hangs = false;                   ///< it took the request, and answered nothing until the patience was over
  double patience = 0;                  ///< seconds for which it was waited
  std::string fault;                    ///< why none came, in the client's words
  std::optional<ProcessFacts> process;  ///< where it runs on this computer
  std::optional<double> flush;          ///< seconds until the disk of its state had kept 4 KiB
  bool flush_hangs = false;             ///< it has not: `flush` is how long it was waited
  std::string flush_fault;              ///< why it kept them not
  Json pace = Json::object();           ///< GET /v1/hearth/pace
};

/// At least one: where nothing is slow, that says so with what was measured.
[[nodiscard]] std::vector<Finding> causes_of(const PageFacts& facts);
/// Where the conductor can keep nothing now, whatever is to change: the cause of all that waits for it.
[[nodiscard]] std::optional<Finding> unkept_cause(const PageFacts& facts);

}  // namespace hearth::bootstrap::why
