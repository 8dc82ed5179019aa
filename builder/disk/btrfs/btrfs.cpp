#include <optional>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/disk/btrfs/btrfs_ids.hpp"
#include "builder/disk/copy/sorted_copy.hpp"
#include "builder/disk/copy/sparse_copy.hpp"
#include "builder/disk/file_system_maker.hpp"

namespace hearth::builder {

/// mkfs.btrfs can't write at an offset: it fills a sparse file of the partition's size, whose data is then copied in.
void make_btrfs(const FileSystemJob& job, CommandRunner& runner) {
  const TempDir scratch = TempDir::create(job.scratch, "btrfs-");
  const fs::path file = scratch.path() / "file-system";
  create_sparse_file(file, job.extent.length);
  const DiskFileSystem& file_system = job.file_system;
  std::vector<std::string> argv = {"mkfs.btrfs", "-q", "-f", "-K", "-L", file_system.label, "-U", file_system.uuid};
  std::optional<SortedCopy> copy;
  if (!job.source.empty()) copy.emplace(SortedCopy::of(job.source, job.scratch));
  if (copy) argv.insert(argv.end(), {"--rootdir", copy->path().string()});
  argv.insert(argv.end(), file_system.options.begin(), file_system.options.end());
  argv.push_back(file.string());
  run_checked(runner, Command{.argv = argv, .env = maker_environment(job.epoch)});
  // It silently makes a file larger that is too small for what it copies (metadata is kept twice).
  if (const std::uint64_t needed = fs::file_size(file); needed > job.extent.length) {
    throw Error(ErrorKind::input, cat("the btrfs file system ", file_system.name, " needs ", human_bytes(needed),
                                      ", its place has ", human_bytes(job.extent.length)))
        .hint("Make the disk larger (--image-size) or the partition.");
  }
  normalise_btrfs(file, btrfs_ids(file_system.uuid), job.epoch);
  copy_sparse(file, job.image, job.extent.offset);
}

}  // namespace hearth::builder
