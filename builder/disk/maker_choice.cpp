#include "builder/disk/maker_choice.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

std::string_view name_of(DiskMaker maker) { return maker == DiskMaker::direct ? "direct" : "guestfs"; }

std::optional<DiskMaker> parse_disk_maker(std::string_view name) {
  if (name.empty() || name == "auto") return std::nullopt;
  if (name == "direct") return DiskMaker::direct;
  if (name == "guestfs") return DiskMaker::guestfs;
  throw Error(ErrorKind::usage, cat("there is no disk maker ", name)).hint("It is direct, guestfs or auto.");
}

MakerChoice choose_maker(const DiskLayout& layout, const std::optional<DiskMaker>& wanted,
                         const std::vector<std::string>& hooks) {
  require_makeable(layout);
  if (wanted == DiskMaker::direct) require_direct(layout);
  if (wanted) return {*wanted, "as asked for"};
  if (!layout.beyond_direct.empty()) return {DiskMaker::guestfs, join(layout.beyond_direct, "; ")};
  if (!hooks.empty()) return {DiskMaker::guestfs, cat("hooks that need a block device: ", join(hooks, ", "))};
  return {DiskMaker::direct, "user space can make all of it"};
}

}  // namespace hearth::builder
