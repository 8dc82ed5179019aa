#include "builder/disk/guest/thin_metadata.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/byte_order.hpp"
#include "base/crc.hpp"
#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/disk/file_system_maker.hpp"
#include "builder/disk/layout/lvm_metadata.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_thin_metadata_sector = 512;
constexpr std::size_t k_thin_head = std::size_t{1} << 20U;
constexpr std::size_t k_most_metadata = std::size_t{256} << 20U;

/// The text's settings by their full names: "vg/logical_volumes/pool_tmeta/segment1/stripes".
std::map<std::string, std::string> settings_of(std::string_view text) {
  std::map<std::string, std::string> settings;
  std::vector<std::string> path;
  std::string pending;  // a list may go over several lines
  for (const std::string& whole : split_lines(text)) {
    pending += std::string(trim(std::string_view(whole).substr(0, whole.find('#'))));
    if (pending.ends_with('[') || pending.ends_with(',')) continue;
    const std::string line = std::exchange(pending, "");
    if (line == "}" && !path.empty()) {
      path.pop_back();
    } else if (line.ends_with('{')) {
      path.emplace_back(trim(std::string_view(line).substr(0, line.size() - 1)));
    } else if (const std::size_t at = line.find(" = "); at != std::string::npos) {
      settings[cat(join(path, "/"), "/", line.substr(0, at))] = line.substr(at + 3);
    }
  }
  return settings;
}

class Group {
 public:
  Group(std::string_view text, std::string_view physical_id) : settings_(settings_of(text)) {
    for (const auto& [name, value] : settings_) {
      const std::vector<std::string> parts = split(name, '/');
      group_ = parts[0];
      if (parts.size() == 4 && parts[1] == "physical_volumes" && parts[3] == "id" &&
          value == cat("\"", physical_id, "\""))
        physical_ = parts[2];
    }
  }

  [[nodiscard]] std::vector<Extent> metadata_places() const {
    std::vector<Extent> places;
    for (const auto& [name, value] : settings_) {
      const std::vector<std::string> parts = split(name, '/');
      const bool pool =
          parts.size() == 5 && parts[1] == "logical_volumes" && parts[4] == "type" && value == "\"thin-pool\"";
      if (!pool) continue;
      const std::string metadata = text(cat(group_, "/logical_volumes/", parts[2], "/segment1/metadata"));
      if (const std::optional<Extent> place = place_of(metadata)) places.push_back(*place);
    }
    return places;
  }

 private:
  std::string text(const std::string& name) const {
    const auto found = settings_.find(name);
    return found == settings_.end() ? "" : replace_all(found->second, "\"", "");
  }
  std::uint64_t number(const std::string& name) const { return parse_number(text(name)).value_or(0); }

  std::optional<Extent> place_of(const std::string& volume) const {
    const std::string base = cat(group_, "/logical_volumes/", volume);
    const std::uint64_t extent = number(cat(group_, "/extent_size")) * k_thin_metadata_sector;
    const std::vector<std::string> stripe =
        split(replace_all(replace_all(text(cat(base, "/segment1/stripes")), "[", ""), "]", ""), ',');
    if (number(cat(base, "/segment_count")) != 1 || stripe.size() != 2 || trim(stripe[0]) != physical_)
      return std::nullopt;
    const std::uint64_t begin =
        number(cat(group_, "/physical_volumes/", physical_, "/pe_start")) * k_thin_metadata_sector;
    return Extent{begin + parse_number(trim(stripe[1])).value_or(0) * extent,
                  number(cat(base, "/segment1/extent_count")) * extent};
  }

  std::map<std::string, std::string> settings_;
  std::string group_, physical_;
};

std::string read_block(const fs::path& file, std::uint64_t offset, std::size_t count) {
  const Fd fd = Fd::open(file.string(), O_RDONLY);
  std::string bytes(count, '\0');
  if (::pread(fd.get(), bytes.data(), count, static_cast<off_t>(offset)) < 0) {
    throw Error::from_errno("reading", file.string());
  }
  return bytes;
}

/// thin_restore 1.x leaves what was in its memory where a node of a tree has no entries. A node is {checksum, flags,
/// own number, entries, room for entries, size of a value, keys …, values …}, sealed with a salt of its own (the
/// kernel's dm-btree-internal.h).
void clear_unused(std::string& metadata) {
  constexpr std::size_t block_size = 4096, head = 32, key = 8;
  constexpr std::uint32_t salt = 121107;
  const auto sum = [](std::string_view block) { return ~crc32c(block.substr(4)) ^ salt; };
  const auto clear = [](std::string& block, std::size_t from, std::size_t to) {
    if (from < to && to <= block.size())
      std::fill_n(block.begin() + static_cast<std::ptrdiff_t>(from), to - from, '\0');
  };
  for (std::size_t at = 0; at + block_size <= metadata.size(); at += block_size) {
    std::string block = metadata.substr(at, block_size);
    if (get_le(block, 0, 4) != sum(block)) continue;
    const std::size_t entries = get_le(block, 16, 4), room = get_le(block, 20, 4), value = get_le(block, 24, 4);
    const std::size_t values = head + room * key;
    if (entries > room || values + room * value > block_size) continue;
    clear(block, head + entries * key, values);
    clear(block, values + entries * value, block_size);
    put_le(block, 0, sum(block), 4);
    metadata.replace(at, block_size, block);
  }
}

void settle(const fs::path& raw, const Extent& place, const fs::path& scratch, CommandRunner& runner) {
  const TempDir work = TempDir::create(scratch, "thin-");
  const fs::path file = work.path() / "metadata";
  const fs::path text = work.path() / "text";
  const Environment env = maker_environment(0);
  RealFileSystem().write(file, read_block(raw, place.offset, place.length), {});
  run_checked(runner, Command{.argv = {"thin_dump", "-o", text.string(), file.string()}, .env = env});
  RealFileSystem().write(file, std::string(place.length, '\0'), {});
  run_checked(runner, Command{.argv = {"thin_restore", "-q", "-i", text.string(), "-o", file.string()}, .env = env});
  Fd disk = Fd::open(raw.string(), O_WRONLY);
  std::string bytes = read_file(file);
  clear_unused(bytes);
  if (::pwrite(disk.get(), bytes.data(), bytes.size(), static_cast<off_t>(place.offset)) !=
      static_cast<ssize_t>(bytes.size())) {
    throw Error::from_errno("writing", raw.string());
  }
  disk.close();
}

}  // namespace

std::vector<Extent> thin_metadata_places(std::string_view head, std::string_view physical_id) {
  return Group(lvm_text(head), physical_id).metadata_places();
}

void settle_thin_pools(const fs::path& raw, const DiskLayout& layout, const Placement& placement,
                       const fs::path& scratch, CommandRunner& runner,
                       const std::function<void(std::string_view)>& say) {
  const std::vector<LogicalVolume>& volumes = layout.volumes.logical;
  const bool any = std::any_of(volumes.begin(), volumes.end(),
                               [](const LogicalVolume& each) { return each.kind == LogicalVolume::Kind::thin_pool; });
  if (!any) return;
  if (!find_program("thin_dump", maker_environment(0)) || !find_program("thin_restore", maker_environment(0))) {
    say("thin-provisioning-tools is not installed: thin pools will differ from build to build");
    return;
  }
  for (const PhysicalVolume& physical : layout.volumes.physical) {
    for (std::size_t i = 0; i < layout.partitions.size(); ++i) {
      if (layout.partitions[i].name != physical.base) continue;
      const Extent& partition = placement.partitions[i];
      const std::string head =
          read_block(raw, partition.offset, std::min<std::uint64_t>(k_thin_head, partition.length));
      for (Extent place : thin_metadata_places(head, physical.uuid)) {
        if (place.length == 0 || place.length > k_most_metadata || place.end() > partition.length) continue;
        place.offset += partition.offset;
        say("writing a thin pool's metadata anew");
        settle(raw, place, scratch, runner);
      }
    }
  }
}

}  // namespace hearth::builder
