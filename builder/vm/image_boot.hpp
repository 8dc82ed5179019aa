// Starting an image: by hand on the terminal, or watched, to prove that it comes up.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/sys/process.hpp"
#include "builder/vm/console_watch.hpp"
#include "builder/vm/guest_checks.hpp"
#include "builder/vm/qemu_machine.hpp"

namespace hearth::vm {

/// What came of a watched boot.
struct BootReport {
  bool passed = false;
  std::vector<Seen> seen;               ///< what was expected and came, with its time
  std::vector<Seen> checked;            ///< checks that have passed, with what came
  std::string missing;                  ///< the expectation or check that did not come true; empty when passed
  std::string reason;                   ///< why not: a panic, the deadline, the machine's end; empty when passed
  std::vector<std::string> last_lines;  ///< of the console
  Duration took{};
  /// For a person: the console line of each expectation with its time, then the reason and the last lines.
  [[nodiscard]] std::string text() const;
};

/// Starts the image with its console on this terminal; returns QEMU's exit code when it ends (Ctrl-A x ends it).
/// `scratch` is an existing directory for the firmware's variables.
int boot_image(QemuMachine machine, const fs::path& scratch, CommandRunner& runner);

using GuestChecks = std::vector<std::unique_ptr<GuestCheck>>;

/// Starts the image and watches its console until every expectation was seen in order and then every check has passed,
/// a sign of failure shows, the machine ends or the deadline passes. Each check gets a port of the loopback. The
/// machine is killed in any case. Throws Error only when QEMU can't be started.
[[nodiscard]] BootReport test_image(QemuMachine machine, const std::vector<std::string>& expectations,
                                    const GuestChecks& checks, const Deadline& deadline, const fs::path& scratch,
                                    const Clock& clock);

}  // namespace hearth::vm
