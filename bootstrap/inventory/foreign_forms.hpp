// Inventories that are written otherwise than instackenv.json: bifrost's, Ironic's own `baremetal create` files, CSV,
// and scripts of nova's enrolment command. Each becomes entries with instackenv's keys. (machine_forms.hpp has others.)
#pragma once

#include <string_view>

#include "bootstrap/inventory/listing.hpp"

namespace hearth::bootstrap {

/// {"driver", "driver_info", "properties", "ports": [{"address"}]}; entries with pm_type stay as they are.
void from_ironic_form(ListingEntry& entry);
/// name → {"driver", "driver_info", "nics": [{"mac"}], "properties": {cpu_arch, ram, cpus, disk_size}, …}.
void from_bifrost_form(const std::string& name, ListingEntry& entry);
/// Without a header: pm_type,pm_addr,pm_user,pm_password,mac, or the 17 and more columns of bifrost's. With one: ours,
/// Tinkerbell's hardware.csv or NetBox' devices. Quotes as in RFC 4180. `form` = any: by the first line.
[[nodiscard]] Result<std::vector<ListingEntry>> read_csv_listing(std::string_view text, std::string_view source,
                                                                 ListingFormat form = ListingFormat::any);
/// Whether a column of ours says where a machine stands: "rack", "slot", "location".
[[nodiscard]] bool is_place(std::string_view column);
/// "[words] HOST CPUS MEMORY_MB DISK_GB MAC" with --pm_user, --pm_address, --pm_password before or behind; # comments.
[[nodiscard]] Result<std::vector<ListingEntry>> read_enrol_lines(std::string_view text, std::string_view source);

}  // namespace hearth::bootstrap
