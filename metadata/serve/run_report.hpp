// What a server's agent said of its last run: kept beside the time of its last poll, and told where people look for why
// a deployment does not end. An agent is not believed more than it must be: only known keys, short texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace hearth::metadata {

struct RunReport {
  enum class State { running, ok, failed };
  State state = State::running;
  std::int64_t status = 0;
  std::int64_t seconds = 0;
  std::string step;
  std::string why;
  std::vector<std::string> lines;
  std::int64_t at = 0;  ///< when it came in, Unix seconds
};

/// Ours, not Swift's: an answer that has this header is a server's document, whose holder may POST reports of its runs.
constexpr const char* k_takes_runs = "X-Hearth-Run-Reports";

/// Nothing for what is no report.
[[nodiscard]] std::optional<RunReport> read_run_report(const Json& json);

/// "its last run failed in 20-os-net-config after 3 s (exit code 1): ip: No such file or directory".
[[nodiscard]] std::string report_text(const RunReport& report, std::int64_t now);

/// "web's last run failed in 20-os-net-config (exit code 1, after 3 s): ip: No such file or directory", for a failed
/// one.
[[nodiscard]] std::string failure_of(const std::string& server, const RunReport& report);

/// "web last asked 20 s ago; its last run …"; `polled` 0 = never since the service started.
[[nodiscard]] std::string last_known(const std::string& server, std::int64_t polled,
                                     const std::optional<RunReport>& report, std::int64_t now);

}  // namespace hearth::metadata
