// What came of a watched boot, for people, programs and CI services. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "builder/vm/console_watch.hpp"
#include "builder/vm/guest_resources.hpp"

namespace hearth::builder::vm {

struct Checked {
  Verdict verdict;
  Duration after{};  ///< since the start
};

/// What came of a watched boot.
struct BootReport {
  bool passed = false;
  std::vector<Seen> seen;               ///< what was expected and came, with its time
  std::vector<Checked> checked;         ///< each thing that was to be asked, also what nobody came to ask
  bool is_all_seen = false;             ///< the console owes nothing
  bool gave_sign = false;               ///< of life: something expected, a prompt to log in, an answer
  bool is_out_of_time = false;          ///< it was ended by its deadline
  std::string missing;                  ///< the first expectation or check that did not come true; empty when passed
  std::string reason;                   ///< why not: a panic, the deadline, the machine's end; empty when passed
  std::vector<std::string> last_lines;  ///< of the console
  Duration took{};
  /// Of `image test`: 0 passed, 3 it came up and a check failed, 4 it gave no sign of life or not all of those
  /// expected.
  [[nodiscard]] int exit_code() const;
  /// For a person: the console line of each expectation with its time, then the reason and the last lines.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] Json json() const;
  /// JUnit's XML: a test case for each expectation and check, the console's last lines with each that failed. What
  /// nobody answered is an error there, no failure. `suite` is the image's name.
  [[nodiscard]] std::string junit(const std::string& suite) const;
};

}  // namespace hearth::builder::vm
