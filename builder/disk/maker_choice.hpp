// Which maker makes a disk, and why: the direct one in user space wherever it can, else the guestfs maker.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "builder/disk/layout/layout.hpp"

namespace hearth::builder {

enum class DiskMaker { direct, guestfs };

[[nodiscard]] std::string_view name_of(DiskMaker maker);

/// "direct" or "guestfs"; empty or "auto" leaves the choice open. Throws Error(usage).
[[nodiscard]] std::optional<DiskMaker> parse_disk_maker(std::string_view name);

struct MakerChoice {
  DiskMaker maker = DiskMaker::direct;
  std::string reason;  ///< "software RAID array ([1].raid)", or why user space will do
};

/// Throws Error(unsupported) when the wanted maker can't make it, saying which one would; Error(input) or (unsupported)
/// when none can. `hooks` names hooks that need a real block device; empty = none.
[[nodiscard]] MakerChoice choose_maker(const DiskLayout& layout, const std::optional<DiskMaker>& wanted,
                                       const std::vector<std::string>& hooks = {});

}  // namespace hearth::builder
