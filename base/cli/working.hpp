// Nobody waits without knowing for what: the live line of a command that works by itself for a while, and has no steps
// to tell (those are base/progress.hpp's).
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/environment.hpp"

namespace hearth::cli {

/// Lives as long as the command is at this work: once that takes longer than a moment, standard error says what it is
/// and for how long, where it is a terminal; else nothing. In a thread of its own, so not for what makes namespaces.
/// What else is told meanwhile is written over the line, which is drawn again below.
class Working {
 public:
  explicit Working(const std::string& what, std::chrono::milliseconds moment = std::chrono::seconds(1));
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;
  ~Working();

 private:
  class Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace hearth::cli
