#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/disk/file_system_maker.hpp"
#include "builder/disk/sparse_copy.hpp"

namespace hearth::builder {

/// mkfs.btrfs can't write at an offset: it fills a sparse file of the partition's size, whose data is then copied in.
void make_btrfs(const FileSystemJob& job, CommandRunner& runner) {
  const TempDir scratch = TempDir::create(job.scratch, "btrfs-");
  const fs::path file = scratch.path() / "file-system";
  create_sparse_file(file, job.extent.length);
  const DiskFileSystem& file_system = job.file_system;
  std::vector<std::string> argv = {"mkfs.btrfs", "-q", "-f", "-K", "-L", file_system.label, "-U", file_system.uuid};
  if (!job.source.empty()) argv.insert(argv.end(), {"--rootdir", job.source.string()});
  argv.insert(argv.end(), file_system.options.begin(), file_system.options.end());
  argv.push_back(file.string());
  run_checked(runner, Command{.argv = argv, .env = maker_environment(job.epoch)});
  copy_sparse(file, job.image, job.extent.offset);
}

}  // namespace hearth::builder
