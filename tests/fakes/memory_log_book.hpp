// A LogBook whose pages are texts.
#pragma once

#include <map>

#include "agent/heat_config/log_book.hpp"
#include "base/text.hpp"

namespace hearth::fakes {

class MemoryLogBook final : public agent::LogBook {
 public:
  std::map<std::string, std::string> pages;
  void append(const std::string& name, std::string_view line) noexcept override { pages[name] += cat(line, "\n"); }
};

}  // namespace hearth::fakes
