// The log of an engine of which copies try requests: a copy logs nothing. What would be said there, the original says;
// and another thread of the original may hold the log's lock at the moment of the copy, in which nobody gives it back.
#pragma once

#include "base/log.hpp"

namespace hearth::metadata::live {

class TrialLogger final : public Logger {
 public:
  explicit TrialLogger(Logger& real) : real_(real) {}
  /// This process is a copy.
  void detach() { detached_ = true; }
  void log(LogLevel level, std::string_view text) noexcept override {
    if (!detached_) real_.log(level, text);
  }

 private:
  Logger& real_;
  bool detached_ = false;
};

}  // namespace hearth::metadata::live
