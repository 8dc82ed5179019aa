// What the fields of other projects' inventories mean, as one table a form: imports read by it, and refuse by name what
// it does not have; exports write by it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/inventory/listing.hpp"

namespace hearth::bootstrap {

/// The form's own code makes something of it.
inline constexpr std::string_view k_by_form = "=";
/// Nothing here has a use for it; an import tells its name.
inline constexpr std::string_view k_left_out = "-";

struct FormField {
  /// "spec.bmc.address", "interfaces[].mac_addr"; * stands for any one key. What is below a field belongs to it.
  std::string_view path;
  /// Our key ("name", "mac", "root_device.model", "extra.nid"), k_by_form or k_left_out.
  std::string_view own;
};

/// Of one machine of the form; the first that fits holds. Throws std::out_of_range for a form without a table.
[[nodiscard]] const std::vector<FormField>& form_fields(ListingFormat form);

/// Moves what the table has to our keys, on top of `made`, which the form's code took out of the entry; what it has not
/// stays under its path, which nobody knows. A machine's MACs come in the order of the file.
void apply_form_fields(ListingFormat form, ListingEntry& entry, Json made);

/// The other way: an entry in our keys → the form's, as far as the table says. `taken` collects the keys that it took.
[[nodiscard]] Json unapply_form_fields(ListingFormat form, const Json& entry, std::vector<std::string>& taken);

}  // namespace hearth::bootstrap
