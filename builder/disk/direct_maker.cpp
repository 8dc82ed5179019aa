#include "builder/disk/direct_maker.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"
#include "builder/disk/copy/sparse_copy.hpp"
#include "builder/disk/file_system_maker.hpp"
#include "builder/disk/layout/partition_table.hpp"
#include "builder/disk/tree_view.hpp"

namespace hearth::builder {

namespace {

void stamp(const fs::path& path, std::int64_t epoch) {
  const timespec time{.tv_sec = epoch, .tv_nsec = 0};
  const std::array<timespec, 2> times = {time, time};
  if (::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) != 0) {
    throw Error::from_errno("setting the time of", path.string());
  }
}

/// Writes a small file of the image, stamped; nothing when there is nothing to write.
void write_config(const fs::path& tree, const char* path, const std::string& text, std::int64_t epoch) {
  const fs::path target = make_directories_in_tree(tree, fs::path(path).parent_path()) / fs::path(path).filename();
  RealFileSystem().write(target, text, {.mode = 0644, .uid = 0, .gid = 0});
  stamp(target, epoch);
  stamp(target.parent_path(), epoch);
}

void write_pieces(const fs::path& raw, const std::vector<DiskPiece>& pieces) {
  Fd fd = Fd::open(raw.string(), O_WRONLY);
  for (const DiskPiece& piece : pieces) {
    const ssize_t written =
        ::pwrite(fd.get(), piece.bytes.data(), piece.bytes.size(), static_cast<off_t>(piece.offset));
    if (written != static_cast<ssize_t>(piece.bytes.size())) throw Error::from_errno("writing", raw.string());
  }
  fd.close();
}

/// A mount point of an image is an empty directory of root's, readable by all.
void make_mount_point(const fs::path& tree, const std::string& point, std::int64_t epoch) {
  const TreeReader files(tree);
  fs::path walked = "/";
  for (const fs::path& part : fs::path(point).relative_path()) {
    walked /= part;
    if (files.exists(walked)) continue;
    const fs::path path = make_directories_in_tree(tree, walked);
    stamp(path, epoch);
    stamp(path.parent_path(), epoch);
  }
}

}  // namespace

TreeView part_of_tree(const fs::path& tree, const DiskLayout& layout, const DiskFileSystem& file_system,
                      const fs::path& scratch) {
  const fs::path root = make_directories_in_tree(tree, file_system.mount_point);
  std::vector<fs::path> hidden;
  for (const std::string& point : layout.mounts_below(file_system.mount_point)) {
    hidden.push_back(fs::path(point).lexically_relative(file_system.mount_point));
  }
  return TreeView::create(root, hidden, scratch);
}

void prepare_tree(const fs::path& tree, const DiskLayout& layout, std::int64_t epoch, FstabName by) {
  for (const DiskFileSystem* const each : all_file_systems(layout)) {
    if (each->holds_files()) make_mount_point(tree, each->mount_point, epoch);
  }
  write_config(tree, "/etc/fstab", fstab_text(layout, by), epoch);
  if (!layout.volumes.encrypted.empty()) write_config(tree, "/etc/crypttab", crypttab_text(layout), epoch);
  if (!layout.volumes.arrays.empty()) write_config(tree, "/etc/mdadm/mdadm.conf", mdadm_text(layout), epoch);
}

void fill_file_system(FileSystemJob job, const fs::path& tree, const DiskLayout& layout, CommandRunner& runner) {
  if (!job.file_system.holds_files()) return make_file_system(job, runner);
  const TreeView view = part_of_tree(tree, layout, job.file_system, job.scratch);
  job.source = view.path();
  std::vector<FilePiece> left_out;
  std::vector<FilePiece>* const wanted = job.left_out;
  if (wanted != nullptr) job.left_out = &left_out;
  make_file_system(job, runner);
  const std::string root = make_directories_in_tree(tree, job.file_system.mount_point).string();  // the view goes away
  for (FilePiece& piece : left_out) {
    piece.file = cat(root, std::string_view(piece.file.native()).substr(view.path().native().size()));
    wanted->push_back(std::move(piece));
  }
}

void write_partition_table(const fs::path& raw, const DiskLayout& layout, const Placement& placement) {
  write_pieces(raw, partition_table(layout, placement));
}

void make_disk(const fs::path& tree, const DiskLayout& layout, const Placement& placement, const fs::path& raw,
               const DirectOptions& options, CommandRunner& runner, std::vector<FilePiece>* left_out) {
  require_makeable(layout);
  require_direct(layout);
  create_sparse_file(raw, placement.disk_bytes);
  for (const DiskFileSystem& file_system : layout.file_systems) {
    fill_file_system({.file_system = file_system,
                      .extent = placement.of(file_system),
                      .sector_size = layout.sector_size,
                      .image = raw,
                      .source = "",
                      .scratch = options.scratch,
                      .epoch = options.epoch,
                      .left_out = left_out},
                     tree, layout, runner);
  }
  write_partition_table(raw, layout, placement);  // last: mkfs programs may clear what lies before them
}

}  // namespace hearth::builder
