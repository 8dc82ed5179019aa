// What a rehearsal runs, as values: the network's commands, the services', the steps of an operator. Pure.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "bootstrap/rehearse/bmc.hpp"
#include "bootstrap/rehearse/door.hpp"
#include "bootstrap/rehearse/fault.hpp"
#include "bootstrap/site/site_file.hpp"

namespace hearth::bootstrap {

enum class SeedKind {
  process,  ///< the services of a seed as processes of this computer
  machine,  ///< the seed's image in a virtual machine
};

struct RehearsalSettings {
  SiteFile site;
  fs::path hearth;  ///< this program
  fs::path work;    ///< where logs, disks and state are kept
  SeedKind seed = SeedKind::process;
  std::string accelerator = "tcg";
  std::vector<InjectedFault> faults;
  bool inspect = true;
  unsigned boots_at_once = 2;
  bool keep = false;     ///< all goes on when the steps have ended, until somebody ends it
  int page = -1;         ///< a listening socket of this computer's loopback that leads to the conductor; -1 = none
  std::string way_back;  ///< "hearth rehearse SITE.yaml [--output DIR]", for words to the person
  Duration limit = std::chrono::minutes(60);         ///< of the whole
  Duration seed_patience = std::chrono::minutes(2);  ///< until the seed's services answer
};

/// Where the machines' management answers: the last address of the network that is neither the seed's nor a pool's.
[[nodiscard]] std::string bmc_address(const SiteFile& site);
constexpr std::uint16_t k_bmc_port = 8443;
constexpr std::uint16_t k_conductor_port = 6385;
/// In the rehearsal's folder: the socket of the door, and the key that machines let in.
constexpr const char* k_door = "door";
constexpr const char* k_ssh_key = "ssh-key";

/// Each machine's BMC, in their order, and the rehearsal's own way to all of them. `passwords`: of machines whose entry
/// has none.
[[nodiscard]] BmcPlace bmc_place(const RehearsalSettings& settings, const std::function<std::string()>& passwords);
/// What the rehearsal's import reads: the operator's inventory, with these BMCs.
[[nodiscard]] Json rehearsed_inventory(const RehearsalSettings& settings, const BmcPlace& bmc);
[[nodiscard]] fs::path inventory_file(const RehearsalSettings& settings);
/// Who is reached through the door.
[[nodiscard]] DoorHosts door_hosts(const SiteFile& site);

/// Names of the machines' taps, in their order, then the seed's.
[[nodiscard]] std::vector<std::string> tap_names(const SiteFile& site);
constexpr const char* k_bridge = "br0";

/// In a network namespace with nothing in it: a bridge with the addresses of management and, where it is a process, the
/// seed; a tap for each machine.
[[nodiscard]] std::vector<std::vector<std::string>> network_commands(const RehearsalSettings& settings);

/// The services of a seed that is a process.
[[nodiscard]] std::vector<std::string> seed_service_command(const RehearsalSettings& settings);

/// One thing that an operator does, with the words to show for it.
struct Step {
  std::string title;
  std::vector<std::string> argv;
  bool tells_events = false;  ///< it prints the conductor's events itself
  unsigned again = 0;         ///< how often it may be run again when it fails
  bool each_machine = false;  ///< behind its words stand the machines' names that are not active yet
};
[[nodiscard]] std::vector<Step> operator_steps(const RehearsalSettings& settings);
/// The one of them that imports the inventory.
[[nodiscard]] Step inventory_step(const RehearsalSettings& settings);

/// Whether a step that failed may end otherwise when it is run again: not where each machine that has an error is one
/// that no fault befell, and of which the inventory has no mistake.
[[nodiscard]] bool may_end_otherwise(const std::vector<std::string>& failed, const std::set<std::string>& disturbed,
                                     const std::vector<InjectedFault>& mistakes);

/// What a person types to deploy once more at a rehearsal that is kept, whose seed is a process. `state`: its
/// node_state, as it is called where that is typed.
[[nodiscard]] std::string deploy_again(const RehearsalSettings& settings, const std::string& state);

/// The state directories of conductor and stack engine; with a seed that is a machine, the steps find tokens there.
[[nodiscard]] fs::path node_state(const RehearsalSettings& settings);
[[nodiscard]] fs::path stacks_state(const RehearsalSettings& settings);
/// Where the operator reaches it.
[[nodiscard]] std::string conductor_url();

/// "available -> deploying" → "deploying": the state that an event of the kind state tells.
[[nodiscard]] std::optional<std::string> state_told(const Json& event);

/// A machine that no server of the stack wanted: available, and nothing went wrong with it.
[[nodiscard]] bool is_spare(const Json& node);
/// Whether all of the site's machines are there, active or spare, and not all of them spare.
[[nodiscard]] bool all_are_well(const Json& nodes, std::size_t machines);

}  // namespace hearth::bootstrap
