// All drivers, what each reads of a node's driver_info, and what inventories call it: one table. Drivers take defaults
// from it, validation what is missing or can't be, inventories (inventory/drivers.hpp) pm_types and what is misspelt;
// `hearth node drivers` and Ironic's /v1/drivers/NAME/properties tell it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

struct DriverKey {
  std::string name;
  std::string help;
  std::string fallback = {};  ///< what holds where a node says nothing; empty = nothing
  bool required = false;
  bool port = false;                     ///< a number from 1 to 65535
  bool number = false;                   ///< a whole one
  std::vector<std::string> values = {};  ///< all that it may be; empty = anything
};

/// What inventories call a driver and its keys.
struct InventoryNames {
  std::vector<std::string_view> types;      ///< pm_types that mean it
  std::string_view suffix;                  ///< so does every pm_type that ends like this; empty = none
  std::string_view prefix;                  ///< of its own keys: "ipmi" for ipmi_address; empty = none
  std::vector<std::string_view> mandatory;  ///< pm_* keys that must be there
  /// How two entries are known to be one machine: by address and port, by address and system, by two keys, or not.
  enum class Identity { none, address, system, domain } identity = Identity::none;
};

struct DriverSheet {
  std::string driver;   ///< Ironic's name of it
  std::string summary;  ///< whose machines, and how they are reached
  InventoryNames inventory;
  std::vector<DriverKey> keys;
};

/// Those of all_drivers(), in the order in which people look for them.
[[nodiscard]] const std::vector<DriverSheet>& driver_sheets();
/// What is read of every node, whatever its driver.
[[nodiscard]] const std::vector<DriverKey>& common_driver_keys();
/// Null for a driver that is not there.
[[nodiscard]] const DriverSheet* driver_sheet(std::string_view driver);

/// A node's value of a key of any driver, else the table's. A key that no table has is a mistake of ours (throws).
[[nodiscard]] std::string driver_setting(const Node& node, std::string_view key);

/// What the table asks for and the node lacks, or has in another form; a line each, beginning with the key.
[[nodiscard]] std::vector<std::string> driver_key_faults(const Node& node, std::string_view driver);

/// Why a text is no address of a BMC, behind the text; empty of one. A URL of http or https, a name, or an address.
[[nodiscard]] std::string bmc_address_fault(const std::string& address);
/// What is wrong with one value of a key that the driver reads, or any node has; empty where nothing is.
[[nodiscard]] std::string driver_value_fault(std::string_view driver, std::string_view key, const std::string& value);

/// Whether it is a key of a BMC (K_g) in hexadecimal digits: of one to 20 bytes.
[[nodiscard]] bool is_kg_key(std::string_view hex);

/// Ironic's /v1/drivers/NAME/properties: what each key means, as a text.
[[nodiscard]] Json driver_properties(std::string_view driver);

/// The key that was probably meant, where this one looks like the driver's own but is read by nobody; else empty.
[[nodiscard]] std::string meant_driver_key(std::string_view driver, std::string_view key);

}  // namespace hearth::bootstrap
