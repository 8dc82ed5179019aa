// Serial consoles of machines, by IPMI's serial over LAN: what ipmitool's session carries is at a socket of the file
// system, for its owner and root alone. Several may look on at once; who comes later sees the last of what was before.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/path.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

/// Where a node's console is when it is on.
[[nodiscard]] fs::path console_socket(const fs::path& state, const std::string& uuid);
/// Whether its driver and its console_interface have one.
[[nodiscard]] bool has_console(const Node& node);
/// Why it can't be switched on, in Ironic's words; empty when it can.
[[nodiscard]] std::string console_fault(const Node& node);

/// Of a console that is on.
struct ConsoleSession {
  bool is_up = false;  ///< it carries what is typed now; what is typed while there is none is lost
  std::string fault;   ///< why the last one did not come up
};

class Consoles {
 public:
  /// `pause`: between a session that has ended and the next.
  Consoles(fs::path state, Logger& log, std::chrono::milliseconds pause = std::chrono::seconds(5));
  Consoles(const Consoles&) = delete;
  Consoles& operator=(const Consoles&) = delete;
  /// Closes them all, within a second.
  ~Consoles();
  /// Of these nodes, which have all those whose console is on: opens those that are on, closes the others; one whose
  /// BMC is reached otherwise by now is opened anew. To be called again and again. A session that the BMC ends is begun
  /// anew after a pause, which grows where none lasts: BMCs lock accounts whose password is wrong.
  void follow(const std::vector<const Node*>& among);
  [[nodiscard]] ConsoleSession session(const std::string& uuid) const;

 private:
  class Line;
  /// Once, till it is another one.
  void tell(const Node& node, const std::string& fault);
  fs::path state_;
  Logger& log_;
  const std::chrono::milliseconds pause_;
  std::map<std::string, std::unique_ptr<Line>> lines_;
  std::map<std::string, std::string> told_;  ///< why one has no session
};

}  // namespace hearth::bootstrap
