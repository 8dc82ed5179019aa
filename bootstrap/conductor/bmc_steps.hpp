// Steps of a cleaning, service or deployment that a machine's BMC does, by Redfish: BIOS settings, RAID, firmware. What
// they may ask for (pure), and how they go on: by rounds, each of which asks or tells the BMC one thing and says what
// is to come. What a round leaves is durable before the next begins, so that the next conductor goes on there.
#pragma once

#include <string>

#include "bootstrap/conductor/settings.hpp"
#include "bootstrap/power/driver.hpp"

namespace hearth::bootstrap {

/// Those that the node's machine has, in the form in which agents offer theirs. `kind`: clean, deploy, service; empty =
/// of any.
[[nodiscard]] Json bmc_steps(const Node& node, const std::string& kind = "");
[[nodiscard]] bool is_bmc_step(const Node& node, const Json& step);
/// What is wrong with what such a step is asked with, in Ironic's words; empty when nothing is.
[[nodiscard]] std::string bmc_step_fault(const Node& node, const std::string& kind, const Json& step);
/// Likewise of its arguments' names, for any step that says which it takes ("argsinfo").
[[nodiscard]] std::string arguments_fault(const std::string& kind, const Json& step, const Json& known);

/// What came of a round.
struct BmcRound {
  enum class Then {
    go_on,    ///< the next round at once
    wait,     ///< the next round after a while
    restart,  ///< the machine starts its ramdisk anew, then the next round
    done,
    failed,
  };
  Json at = Json::object();  ///< where it stands: the next round's
  Then then = Then::go_on;
  std::string news;        ///< for the node's events; empty = none
  std::string fault;       ///< of a step that failed
  Json firmware = Json();  ///< firmware_json(), where it was read
  Json raid = Json();      ///< raid_json(), likewise
};

/// One round, in a worker. `patience`: how long a task of the BMC may take. Throws PowerFault.
[[nodiscard]] BmcRound bmc_round(PowerDriver& driver, const Node& node, const Json& step, const Json& at, Stamp now,
                                 Seconds patience);

/// As a node's raid_config shows it: {logical_disks: [{id, name, controller, size_gb, raid_level}]}.
[[nodiscard]] Json raid_json(const RaidHardware& hardware);
/// What is kept of it with the node: raid_config, and of its root volume what Ironic keeps in the properties.
void keep_raid(Node& node, Json raid, Stamp now);

[[nodiscard]] Json bmc_round_json(const BmcRound& round);
[[nodiscard]] BmcRound bmc_round_from(const Json& json);

}  // namespace hearth::bootstrap
