// A finding: one cause of what a person asks about, in a sentence, with what shows it and what to do next. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace hearth::bootstrap::why {

struct Finding {
  std::string cause;                  ///< one sentence, with its full stop
  std::vector<std::string> evidence;  ///< a line each, as it was seen
  std::string next;                   ///< what to do; a command line where there is one
};

/// The first in full, and what else was found behind it.
[[nodiscard]] std::string findings_text(const std::vector<Finding>& findings);
/// Such a text with no line wider than `room` (0: any), but for words that are; what goes on stands below its line.
[[nodiscard]] std::string wrapped_findings(const std::string& text, std::size_t room);
/// [{"cause", "evidence": [], "next"}], the true cause first.
[[nodiscard]] Json findings_json(const std::vector<Finding>& findings);

}  // namespace hearth::bootstrap::why
