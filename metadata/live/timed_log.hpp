// Log records with the time: "LEVEL 2026-11-24T08:13:00Z TEXT", for servers whose standard error nobody else dates.
#pragma once

#include "base/clock.hpp"
#include "base/log.hpp"

namespace hearth::metadata::live {

class TimedLogger final : public Logger {
 public:
  TimedLogger(Logger& inner, const Clock& clock) : inner_(inner), clock_(clock) {}
  void log(LogLevel level, std::string_view text) noexcept override;

 private:
  Logger& inner_;
  const Clock& clock_;
};

}  // namespace hearth::metadata::live
