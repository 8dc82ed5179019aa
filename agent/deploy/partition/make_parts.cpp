#include "agent/deploy/partition/make_parts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "agent/deploy/disk/disk_target.hpp"
#include "agent/deploy/disk/file_system.hpp"
#include "agent/deploy/partition/config_drive.hpp"
#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

void write_table(const Disk& disk, const PartLayout& layout) {
  DiskTarget(disk.name).begin(0);  // tables and boot sectors of before
  const TableBytes table = encode_parts(layout, random_hex);
  const Fd fd = Fd::open(disk.name, O_RDWR);
  write_at(fd, 0, table.front, disk.name);
  write_at(fd, table.back_sector * layout.sector, table.back, disk.name);
  if (::fsync(fd.get()) != 0) throw Error::from_errno("writing to", disk.name);
  reread_partitions(disk.name);
}

void make_swap(const std::string& device) {
  const std::string header = swap_header(DiskTarget(device).size(), random_bytes(16), "swap1");
  const Fd fd = Fd::open(device, O_RDWR);
  write_at(fd, 0, header, device);
  if (::fsync(fd.get()) != 0) throw Error::from_errno("writing to", device);
}

}  // namespace

std::string head_of(const std::string& device) {
  const Fd fd = Fd::open(device, O_RDONLY);
  std::string bytes(k_file_system_head, 0);
  const ssize_t got = ::pread(fd.get(), bytes.data(), bytes.size(), 0);
  if (got < 0) throw Error::from_errno("reading", device);
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

MadeParts make_parts(const Disk& disk, const PartitionWish& wish, bool drive, const FileSystemMaker& make_file_system) {
  const PartLayout layout = plan_parts(wish, disk.size, disk.logical_sector, drive);
  write_table(disk, layout);
  MadeParts made;
  for (const PlannedPart& part : layout.parts) {
    const std::string device = partition_path(disk.name, part.number);
    if (part.part == Part::root) made.root = device;
    if (part.part == Part::swap) make_swap(device);
    if (part.part == Part::ephemeral && !wish.preserve_ephemeral)
      make_file_system(wish.ephemeral_format, device, "ephemeral0");
    if (part.part != Part::esp) continue;
    make_file_system("vfat", device, "efi-part");
    made.esp = device;
    if (const auto found = find_file_system(head_of(device))) made.esp_uuid = found->uuid;
  }
  return made;
}

}  // namespace hearth::agent::deploy
