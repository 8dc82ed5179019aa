// pm_type: which driver a machine is managed by, and what its pm_* keys are called there. A table; pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"

namespace hearth::bootstrap {

struct DriverRow {
  std::string_view driver;                  ///< Ironic's name of it
  std::vector<std::string_view> types;      ///< pm_types that mean it
  std::string_view suffix;                  ///< so does every pm_type that ends like this; empty = none
  std::string_view prefix;                  ///< of its own keys: "ipmi" for ipmi_address; empty = none
  std::vector<std::string_view> mandatory;  ///< pm_* keys that must be there
  /// How two entries are known to be one machine: by address and port, by address and system, by two keys, or not.
  enum class Identity { none, address, system, domain } identity = Identity::none;
  bool supported = true;  ///< else the machine is switched by hand
};

/// Nothing for an unknown pm_type.
[[nodiscard]] const DriverRow* driver_of(std::string_view pm_type);
/// By the driver's own name.
[[nodiscard]] const DriverRow* driver_named(std::string_view driver);
[[nodiscard]] const std::vector<DriverRow>& driver_table();

/// "pm_addr" as this driver's driver_info has it: "ipmi_address"; nothing when the driver has no such key.
[[nodiscard]] std::optional<std::string> driver_key(const DriverRow& row, std::string_view pm_key);

/// What tells one machine from another by its management: "192.0.2.5:623"; empty when nothing does.
[[nodiscard]] std::string management_id(const DriverRow& row, const Json& driver_info);

}  // namespace hearth::bootstrap
