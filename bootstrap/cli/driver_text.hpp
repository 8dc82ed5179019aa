// What `hearth node drivers` prints: the table of driver_info keys beside what inventories call them. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"

namespace hearth::bootstrap {

/// Drivers, their pm_types, whose machines they switch. `room`: columns that there are, as of cli::table.
[[nodiscard]] std::string driver_list(std::size_t room = 0);
/// What one driver reads, and what every driver does. Throws Error(usage) with the nearest name for an unknown one.
[[nodiscard]] std::string driver_page(const std::string& driver, std::size_t room = 0);
/// The same as data; all drivers where none is named.
[[nodiscard]] Json drivers_json(const std::string& driver);
[[nodiscard]] std::vector<std::string> driver_names();

}  // namespace hearth::bootstrap
