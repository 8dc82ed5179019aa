// The seed's virtual machine on this computer: started, stopped, asked.
#pragma once

#include <functional>
#include <optional>

#include "base/json.hpp"
#include "base/sys/process.hpp"
#include "bootstrap/seed/seed_plan.hpp"

namespace hearth::bootstrap {

class SeedControl {
 public:
  /// Its files are in `home`: monitor, console, pid.
  SeedControl(fs::path home, CommandRunner& runner, Clock& clock)
      : home_(std::move(home)), runner_(runner), clock_(clock) {}

  [[nodiscard]] bool is_up() const;
  /// Makes a tap in `bridge` and starts the machine. Throws Error: no such bridge, no right to, up already.
  void start(SeedMachine machine, const std::string& bridge);
  /// Waits until the console says that the services answer; what it says of Hearth on the way goes to `tell`. Throws
  /// Error when the machine ends, or at the deadline.
  void wait_until_ready(const Deadline& deadline, const std::function<void(const std::string&)>& tell);
  /// Asks its system to end, and pulls the plug after `patience`; with zero patience at once. Removes its tap. Whether
  /// it was up.
  bool stop(Duration patience, const std::string& tap);
  /// Connects this terminal with its console until Ctrl-] is typed. Throws Error when it is down.
  void console();

 private:
  [[nodiscard]] std::string console_since(std::uint64_t offset) const;

  fs::path home_;
  CommandRunner& runner_;
  Clock& clock_;
};

/// The lines of a console that boot-stack writes, and of the services that ended, from `text`; for a person. Pure.
[[nodiscard]] std::vector<std::string> seed_lines(std::string_view text);
/// The name of the seed's tap: short enough for an interface, and the site's own.
[[nodiscard]] std::string seed_tap(const SeedCards& cards);

}  // namespace hearth::bootstrap
