// Runs the scripts of one directory in order, as dib-run-parts does. Their output is not touched: stdin, stdout and
// stderr are this process's. What it says itself goes to stderr, each line "dib-run-parts DATE TEXT".
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "agent/run_parts/order.hpp"
#include "base/clock.hpp"
#include "base/sys/process.hpp"

namespace hearth::agent {

struct RunPartsRequest {
  std::string directory;     ///< as the user wrote it; it appears in messages
  std::string name_pattern;  ///< RUN_PARTS_REGEX; empty = the usual one
  bool trace = false;        ///< also say what is passed over
  Deadline deadline = Deadline::never();
};

/// A script that has run, with its wall time.
struct ScriptTiming {
  std::string name;
  double seconds = 0;
};

/// Where run_parts says what it does: whole texts, without prefix and newline.
using Say = std::function<void(std::string_view)>;

/// "NAME DATE TEXT" lines on stderr, with the date as date(1) writes it.
[[nodiscard]] Say say_on_stderr(std::string name);

/// The scripts of a directory. Throws Error(input) for a bad pattern.
[[nodiscard]] Selection scripts_in(const std::string& directory, const std::string& name_pattern);

/// The profile table's lines, by name.
[[nodiscard]] std::vector<std::string> profile_table(const std::string& target, std::vector<ScriptTiming> timings);

/// Exit status of the run: that of the first script that fails, else 0 (128 + signal for a killed one).
[[nodiscard]] int run_parts(const RunPartsRequest& request, CommandRunner& runner, const Clock& clock, const Say& say);

}  // namespace hearth::agent
