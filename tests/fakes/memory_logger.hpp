// A Logger that keeps its records as "LEVEL TEXT".
#pragma once

#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/text.hpp"

namespace hearth::fakes {

class MemoryLogger final : public Logger {
 public:
  std::vector<std::string> lines;
  void log(LogLevel level, std::string_view text) noexcept override {
    lines.push_back(cat(log_level_name(level), " ", text));
  }
  [[nodiscard]] std::string all() const { return join(lines, "\n"); }
  [[nodiscard]] bool holds(std::string_view part) const { return all().find(part) != std::string::npos; }
};

}  // namespace hearth::fakes
