#include "bootstrap/cli/driver_text.hpp"

#include "base/cli/layout.hpp"
#include "base/cli/table.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "bootstrap/inventory/drivers.hpp"
#include "bootstrap/power/driver_keys.hpp"

namespace hearth::bootstrap {

namespace {

const DriverSheet& sheet_named(const std::string& driver) {
  if (const DriverSheet* sheet = driver_sheet(driver)) return *sheet;
  const std::optional<std::string> near = nearest(driver, driver_names());
  throw Error(ErrorKind::usage,
              cat("there is no driver '", driver, "'", near ? cat("; did you mean '", *near, "'?") : ""))
      .hint(cat("Drivers: ", join(driver_names(), ", ")));
}

std::vector<std::string> pm_types(const DriverSheet& sheet) {
  std::vector<std::string> types;
  const DriverRow* row = driver_named(sheet.driver);
  if (row == nullptr) return types;
  types.assign(row->types.begin(), row->types.end());
  if (!row->suffix.empty()) types.push_back(cat("…", row->suffix));
  return types;
}

/// What an inventory may call the key besides its own name; empty = nothing else.
std::string pm_name(const DriverSheet& sheet, const DriverKey& key) {
  const DriverRow* row = driver_named(sheet.driver);
  if (row == nullptr) return "";
  for (const char* pm : {"pm_addr", "pm_user", "pm_password", "pm_port", "pm_system_id", "pm_vm_name"}) {
    if (driver_key(*row, pm) == key.name) return pm;
  }
  return "";
}

std::string key_table(const DriverSheet& sheet, const std::vector<DriverKey>& keys, std::size_t room) {
  std::vector<cli::Row> rows;
  for (const DriverKey& key : keys) {
    const std::string choice = key.values.empty() ? "" : cat(" (", join(key.values, ", "), ")");
    rows.push_back({key.name, pm_name(sheet, key), key.required ? "required" : key.fallback, cat(key.help, choice)});
  }
  return rows.empty() ? "" : cli::table({"Key", "Inventory", "Default", "What"}, rows, room);
}

Json keys_json(const DriverSheet& sheet, const std::vector<DriverKey>& keys) {
  Json list = Json::array();
  for (const DriverKey& key : keys) {
    list.push_back({{"name", key.name},
                    {"inventory", pm_name(sheet, key)},
                    {"required", key.required},
                    {"default", key.fallback},
                    {"values", key.values},
                    {"help", key.help}});
  }
  return list;
}

Json sheet_json(const DriverSheet& sheet) {
  return {{"driver", sheet.driver},
          {"pm_types", pm_types(sheet)},
          {"summary", sheet.summary},
          {"driver_info", keys_json(sheet, sheet.keys)}};
}

}  // namespace

std::string driver_list(std::size_t room) {
  std::vector<cli::Row> rows;
  for (const DriverSheet& sheet : driver_sheets())
    rows.push_back({sheet.driver, join(pm_types(sheet), ", "), sheet.summary});
  return cat(cli::table({"Driver", "pm_type", "For"}, rows, room),
             "'hearth node drivers DRIVER' prints what one reads of driver_info.\n");
}

std::string driver_page(const std::string& driver, std::size_t room) {
  const DriverSheet& sheet = sheet_named(driver);
  const std::string head = cat(sheet.driver, ": ", sheet.summary);
  return cat(room == 0 ? head : cli::wrapped(head, room), "\npm_type in an inventory: ", join(pm_types(sheet), ", "),
             "\n\n", key_table(sheet, sheet.keys, room), sheet.keys.empty() ? "" : "\n", "Whatever the driver:\n",
             key_table(sheet, common_driver_keys(), room));
}

Json drivers_json(const std::string& driver) {
  Json sheets = Json::array();
  for (const DriverSheet& sheet : driver_sheets()) {
    if (driver.empty() || &sheet == &sheet_named(driver)) sheets.push_back(sheet_json(sheet));
  }
  return {{"drivers", sheets}, {"common", keys_json({}, common_driver_keys())}};
}

std::vector<std::string> driver_names() {
  std::vector<std::string> names;
  for (const DriverSheet& sheet : driver_sheets()) names.push_back(sheet.driver);
  return names;
}

}  // namespace hearth::bootstrap
