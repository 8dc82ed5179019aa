// pm_type: which driver a machine is managed by, and what its pm_* keys are called there: of the table of drivers
// (power/driver_keys.hpp). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "bootstrap/power/driver_keys.hpp"

namespace hearth::bootstrap {

struct DriverRow : InventoryNames {
  std::string_view driver;  ///< Ironic's name of it
  bool supported = true;    ///< else the machine is switched by hand
};

/// Nothing for an unknown pm_type.
[[nodiscard]] const DriverRow* driver_of(std::string_view pm_type);
/// By the driver's own name.
[[nodiscard]] const DriverRow* driver_named(std::string_view driver);
/// Those of driver_sheets(), and those of others that Hearth has none for.
[[nodiscard]] const std::vector<DriverRow>& driver_table();

/// "pm_addr" as this driver's driver_info has it: "ipmi_address"; nothing when the driver has no such key.
[[nodiscard]] std::optional<std::string> driver_key(const DriverRow& row, std::string_view pm_key);

/// What tells one machine from another by its management: "192.0.2.5:623"; empty when nothing does.
[[nodiscard]] std::string management_id(const DriverRow& row, const Json& driver_info);

}  // namespace hearth::bootstrap
