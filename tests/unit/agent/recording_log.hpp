// A Logger that keeps its lines as "LEVEL text".
#pragma once

#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/text.hpp"

namespace hearth::agent {

class RecordingLog final : public Logger {
 public:
  std::vector<std::string> lines;
  void log(LogLevel level, std::string_view text) noexcept override {
    lines.push_back(cat(log_level_name(level), " ", text));
  }
};

}  // namespace hearth::agent
