// An inventory in another project's form, by the tables that its import reads by (form_fields.hpp). Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "bootstrap/inventory/listing.hpp"

namespace hearth::bootstrap {

/// Forms that can be written.
[[nodiscard]] const std::vector<std::string>& export_form_names();

/// `nodes` as inventory_entry() has them, with passwords or without. `lost` gets the keys that the form has no place
/// for. Throws std::out_of_range for a form that is none of export_form_names().
[[nodiscard]] std::string render_inventory(const Json& nodes, ListingFormat form, std::set<std::string>& lost);

}  // namespace hearth::bootstrap
