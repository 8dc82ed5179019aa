#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/disk/copy/sparse_copy.hpp"
#include "builder/disk/file_system_maker.hpp"
#include "builder/disk/xfs/xfs_finish.hpp"
#include "builder/disk/xfs/xfs_tree.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_share = 16;

bool has_data_option(const std::vector<std::string>& options) {
  return std::any_of(options.begin(), options.end(), [](const std::string& each) { return each.starts_with("-d"); });
}

std::vector<std::string> mkfs_xfs_argv(const FileSystemJob& job, const fs::path& file, std::uint64_t largest) {
  const DiskFileSystem& file_system = job.file_system;
  std::vector<std::string> argv = {"mkfs.xfs", "-q",
                                   "-f",       "-K",
                                   "-L",       file_system.label,
                                   "-m",       cat("uuid=", file_system.uuid),
                                   "-s",       cat("size=", job.sector_size)};
  if (!job.source.empty()) argv.insert(argv.end(), {"-p", "prototype"});
  // Four groups by default, and no file can be larger than one.
  if (largest > job.extent.length / k_share && !has_data_option(file_system.options)) {
    argv.insert(argv.end(), {"-d", "agcount=2"});
  }
  argv.insert(argv.end(), file_system.options.begin(), file_system.options.end());
  argv.push_back(file.string());
  return argv;
}

XfsNode empty_tree(const fs::path& directory) {
  XfsNode root;
  root.path = directory;
  root.status.st_mode = S_IFDIR | 0755U;
  return root;
}

}  // namespace

std::optional<std::string> xfs_obstacle(const DiskFileSystem& file_system, const fs::path& source) {
  if (std::optional<std::string> obstacle = xfs_obstacle(file_system.options)) return obstacle;
  return source.empty() ? std::nullopt : xfs_obstacle(read_xfs_tree(source));
}

/// mkfs.xfs can't write at an offset: it fills a sparse file of the partition's size, whose data is then copied in.
void make_xfs(const FileSystemJob& job, CommandRunner& runner) {
  const TempDir scratch = TempDir::create(job.scratch, "xfs-");
  const fs::path links = scratch.path() / "links";
  fs::create_directory(links);
  const XfsNode root = job.source.empty() ? empty_tree(links) : read_xfs_tree(job.source);
  std::optional<std::string> obstacle = xfs_obstacle(job.file_system.options);
  if (!obstacle) obstacle = xfs_obstacle(root);
  if (obstacle) {
    throw Error(ErrorKind::unsupported, cat("user space can't make this XFS: ", *obstacle))
        .hint("--disk-maker guestfs makes it.");
  }
  const fs::path file = scratch.path() / "file-system";
  create_sparse_file(file, job.extent.length);
  if (!job.source.empty()) RealFileSystem().write(links / "prototype", xfs_prototype(root, links), {});
  try {
    run_checked(runner, Command{.argv = mkfs_xfs_argv(job, file, largest_file(root)),
                                .env = maker_environment(job.epoch),
                                .cwd = links});
  } catch (Error& error) {
    throw error.hint("XFS needs 300 MiB at least, and room for its log; give a larger --image-size.");
  }
  finish_xfs(file, root, job.epoch);
  copy_sparse(file, job.image, job.extent.offset);
}

}  // namespace hearth::builder
