// A volume group that was just made in a guest, with the ids and times that lvm_metadata.hpp gives it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "builder/guestfs/guest.hpp"

namespace hearth::builder {

/// Takes the group down, rewrites the head of each of its `devices`, and starts it again.
void fix_lvm_ids(Guest& guest, const std::string& group, const std::vector<std::string>& devices, std::string_view seed,
                 std::int64_t epoch);

}  // namespace hearth::builder
