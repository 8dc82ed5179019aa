// The metadata of thin pools. The kernel writes it in as many steps as its clock makes it, so that the same maps lie in
// other blocks every time; dumped and restored by thin-provisioning-tools they lie in the same ones.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/path.hpp"
#include "base/sys/process.hpp"
#include "builder/disk/layout/placement.hpp"

namespace hearth::builder {

/// Where a physical volume keeps pools' metadata, in bytes from its beginning: by the head of the volume (see
/// lvm_metadata.hpp) and its id. Metadata in several pieces is left out.
[[nodiscard]] std::vector<Extent> thin_metadata_places(std::string_view head, std::string_view physical_id);

/// Writes the metadata of every pool on the finished disk `raw` anew. Only physical volumes on plain partitions are
/// seen. Does nothing where there are no pools; where the tools are missing, `say` is told.
void settle_thin_pools(const fs::path& raw, const DiskLayout& layout, const Placement& placement,
                       const fs::path& scratch, CommandRunner& runner,
                       const std::function<void(std::string_view)>& say);

}  // namespace hearth::builder
