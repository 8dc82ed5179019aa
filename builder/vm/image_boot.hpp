// Starting an image: by hand on the terminal, or watched, to prove that it comes up.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/sys/process.hpp"
#include "builder/vm/boot_report.hpp"
#include "builder/vm/guest_checks.hpp"
#include "builder/vm/qemu_machine.hpp"

namespace hearth::builder::vm {

/// Starts the image with its console on this terminal; returns QEMU's exit code when it ends (Ctrl-A x ends it).
/// `scratch` is an existing directory for the firmware's variables.
int boot_image(QemuMachine machine, const fs::path& scratch, CommandRunner& runner);

/// With nobody who can log in to a system that has come up: its ssh server may make its keys at first.
struct SshPatience {
  Duration until_told = std::chrono::seconds(15);
  Duration whole = std::chrono::seconds(60);
};

using GuestChecks = std::vector<std::unique_ptr<GuestCheck>>;

/// Is told what is waited for: as soon as it is, and again now and then.
using TellWait = std::function<void(const std::string& line)>;

/// Starts the image and watches its console until every expectation was seen in order and then every check is done, one
/// after the other whether it has passed or not, a sign of failure shows, the machine ends or the deadline passes. Each
/// check gets a port of the loopback. The machine is killed in any case. Throws Error only when QEMU can't be started.
[[nodiscard]] BootReport test_image(QemuMachine machine, const std::vector<std::string>& expectations,
                                    const GuestChecks& checks, const Deadline& deadline, const fs::path& scratch,
                                    const Clock& clock, const SshPatience& patience = {}, const TellWait& tell = {});

}  // namespace hearth::builder::vm
