// Where the status page finds the stacks: the seam. HeatStacks asks a Heat API; a process that holds an engine of its
// own can give them directly.
//
//     {"stacks": [{"name", "id", "status", "reason",
//                  "resources": [{"name", "type", "status", "reason", "stack", "nested", "required_by": [NAME…]}],
//                  "events": [{"at", "resource", "status", "reason"}]}]}    or {"error": "why there are none"}
#pragma once

#include <functional>

#include "base/json.hpp"

namespace hearth::bootstrap {

class StackSource {
 public:
  virtual ~StackSource() = default;
  /// Calls `tell` on the conductor's thread, at once or later.
  virtual void look(std::function<void(const Json&)> tell) = 0;
};

}  // namespace hearth::bootstrap
