// A machine of the inventory, as a value: what is known of it, the state it is in, and the work under way.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/uuid.hpp"
#include "bootstrap/node/job.hpp"
#include "bootstrap/node/states.hpp"

namespace hearth::bootstrap {

/// "2026-11-20T23:31:40.498302+00:00"; null for 0.
[[nodiscard]] Json stamp_json(Stamp stamp);
[[nodiscard]] Stamp parse_stamp(std::string_view text);

enum class Power { unknown, off, on };
/// "power on", "power off"; null where it is not known.
[[nodiscard]] Json power_json(Power power);

struct Port {
  std::string uuid;
  std::string address;  ///< lower case, with colons
  std::string physical_network;
  std::string group;  ///< UUID of the port group it belongs to; empty = none
  bool pxe_enabled = true;
  bool is_smartnic = false;
  Json local_link_connection = Json::object();
  Json extra = Json::object();
  Stamp created = 0, updated = 0;
};

/// A network card's address for a port list: "aa:bb:…".
[[nodiscard]] Port new_port(std::string address, Stamp now);

/// How what is overheard of a machine begins where it is told as the last that was heard of it.
constexpr std::string_view k_in_vain = "it asks in vain: ";

/// What a person is to do at the machine, for nodes without power management.
struct Instruction {
  std::string action;  ///< "power-on-network", "power-on-disk", "power-off", "reset"; empty = nothing
  std::string text;
  Stamp since = 0;
  Stamp deadline = 0;
  Stamp reminded = 0;
};

struct Node {
  std::string uuid;
  std::string name;
  std::string driver;
  State state = State::enroll;
  std::optional<State> target;
  Power power = Power::unknown;
  std::string target_power;  ///< "power on", "power off", "rebooting"; empty = none
  std::string last_error;
  bool maintenance = false;
  std::string maintenance_reason;
  std::string fault;
  std::string instance_uuid;
  std::string allocation;   ///< UUID of the allocation that holds it; empty = none
  std::string boot_device;  ///< "pxe", "disk", …; empty = not set
  bool boot_device_persistent = false;
  std::vector<std::string> traits;
  std::vector<Port> ports;
  Json driver_info = Json::object();
  Json properties = Json::object();
  Json instance_info = Json::object();
  Json extra = Json::object();
  Json raid_config = Json::object();         ///< as its machine's volumes were, when they were changed last
  Json target_raid_config = Json::object();  ///< as they are to be
  Json progress;                             ///< of the image being written, as the agent told it last; not kept
  Json internal = Json::object();            ///< driver_internal_info: the conductor's own
  Json fields = Json::object();              ///< further fields that people may set: k_free_fields
  Job job;
  Instruction instruction;
  Power observed = Power::unknown;  ///< what the network told of a machine without power management
  Stamp seen = 0;                   ///< when something was last heard from it
  std::string seen_how;
  Stamp created = 0, updated = 0, provision_updated = 0, inspection_started = 0, inspection_finished = 0;

  [[nodiscard]] const Port* port(std::string_view address) const;
  [[nodiscard]] bool has_mac(std::string_view address) const { return port(address) != nullptr; }
  /// The name, or the UUID of a nameless one.
  [[nodiscard]] const std::string& title() const { return name.empty() ? uuid : name; }
  /// Of driver_info, properties, …: text in any form that people write it ("1", 1), or the fallback.
  [[nodiscard]] std::string info(std::string_view key, std::string fallback = "") const;
  [[nodiscard]] std::optional<std::string> capability(std::string_view key) const;
  void set_capability(std::string_view key, std::string_view value);
  /// "uefi", "bios", as people or its BMC said; empty: nobody did.
  [[nodiscard]] std::string boot_mode() const;
  [[nodiscard]] bool boots_uefi() const { return boot_mode() == "uefi"; }
};

/// What the last_error of a node begins with whose management an import has changed, and which does not answer so.
inline constexpr std::string_view k_other_refuses = "its management, as it was changed, does not do: ";
/// In a node's internal, kept: a service has taken its machine out of its own system, and did not bring it back.
inline constexpr const char* k_out_of_system = "out_of_its_system";
/// In a node's internal, kept: the machine of its failed deployment is to be switched off yet (PowerWatch does it).
inline constexpr const char* k_power_off_wanted = "power_off_wanted";
/// Likewise: whose the machine is since it was given away (`hearth seed handover`).
inline constexpr const char* k_given_to = "given_to";
inline constexpr const char* k_given_for_good = "given_for_good";  ///< it does not come back, and can be forgotten
/// Empty: it is ours.
[[nodiscard]] std::string given_to(const Node& node);
/// Whether a person, or the conductor beside any job, has yet to switch its machine.
[[nodiscard]] bool is_to_be_switched(const Node& node);

/// Whether machines of this driver are managed by Redfish, or may be.
[[nodiscard]] bool speaks_redfish(std::string_view driver);
/// Which of Ironic's implementations of "bios", "raid", "firmware" the node has: "redfish" or "no-raid" …
[[nodiscard]] std::string step_interface(const Node& node, std::string_view interface);

/// Fields of a node that are kept as they are given, with what a new node has.
struct FreeField {
  std::string_view name;
  std::string_view initial;  ///< JSON
};
[[nodiscard]] const std::vector<FreeField>& free_fields();

/// Text of a scalar; the fallback for null, lists and objects.
[[nodiscard]] std::string text_of(const Json& value, std::string fallback = "");
[[nodiscard]] std::string text_in(const Json& object, std::string_view key, std::string fallback = "");

/// "k:v,k2:v2" taken apart, in order; items without ":" are left out.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> parse_capabilities(std::string_view text);
[[nodiscard]] std::string capabilities_text(const std::vector<std::pair<std::string, std::string>>& items);

/// The whole record, as it is stored. Secrets are in it.
[[nodiscard]] Json node_record(const Node& node);
[[nodiscard]] Node node_from_record(const Json& record);

/// "rack C, slot 10", where both are told of a machine ("x_seed" of an entry, or of a node's extra); else empty.
[[nodiscard]] std::string rack_place(const Json& told);

}  // namespace hearth::bootstrap
