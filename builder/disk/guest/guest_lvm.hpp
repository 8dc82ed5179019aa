// Volumes in a guest by libguestfs' own calls: a volume group that was just made gets the ids and times that
// lvm_metadata.hpp gives it, and all are let go at the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "builder/disk/layout/layout.hpp"
#include "builder/guestfs/guest.hpp"

namespace hearth::builder {

/// Takes the group down, rewrites the head of each of its `devices`, and starts it again.
void fix_lvm_ids(Guest& guest, const std::string& group, const std::vector<std::string>& devices, std::string_view seed,
                 std::int64_t epoch);

/// Lets go of all volumes of a disk.
void take_down_volumes(Guest& guest, const Volumes& volumes);

}  // namespace hearth::builder
