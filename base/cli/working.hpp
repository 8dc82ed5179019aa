// Nobody waits without knowing for what: the live line of a command that works by itself for a while, and has no steps
// to tell (those are base/progress.hpp's).
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/sys/later.hpp"

namespace hearth::cli {

/// Lives as long as the command is at this work: once that takes longer than a moment, standard error says what it is
/// and for how long, where it is a terminal; else nothing. In a thread of its own, so not for what makes namespaces.
/// What is printed or told meanwhile stands above the line.
class Working {
 public:
  explicit Working(const std::string& what, std::chrono::milliseconds moment = std::chrono::seconds(1));
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;
  ~Working();

 private:
  std::optional<Later> later_;
};

}  // namespace hearth::cli
