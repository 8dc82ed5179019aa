#include <algorithm>
#include <boost/filesystem/directory.hpp>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/disk/copy/sparse_copy.hpp"
#include "builder/disk/file_system_maker.hpp"

namespace hearth::builder {

namespace {

std::vector<std::string> mkfs_vfat_argv(const FileSystemJob& job, const fs::path& file) {
  const DiskFileSystem& file_system = job.file_system;
  std::vector<std::string> argv = {"mkfs.vfat", "--invariant",     "-i", replace_all(file_system.uuid, "-", ""),
                                   "-n",        file_system.label, "-S", std::to_string(job.sector_size)};
  argv.insert(argv.end(), file_system.options.begin(), file_system.options.end());
  argv.push_back(file.string());
  return argv;
}

struct Members {
  std::vector<fs::path> directories;
  std::vector<fs::path> files;
};

/// What a directory holds, sorted; FAT has neither links nor devices.
Members list(const fs::path& directory) {
  Members members;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    const fs::file_type type = fs::symlink_status(entry.path()).type();
    if (type == fs::directory_file) {
      members.directories.push_back(entry.path());
    } else if (type == fs::regular_file) {
      members.files.push_back(entry.path());
    } else {
      throw Error(ErrorKind::input, cat("a FAT file system can't hold ", entry.path().string(),
                                        ", which is a symbolic link or a special file"));
    }
  }
  std::sort(members.directories.begin(), members.directories.end());
  std::sort(members.files.begin(), members.files.end());
  return members;
}

/// Fills a FAT file system directory by directory, in sorted order, so that equal trees give equal bytes.
class FatFiller {
 public:
  FatFiller(const fs::path& image, std::int64_t epoch, CommandRunner& runner)
      : runner_(runner), env_(maker_environment(epoch)), image_(image.string()) {}

  void fill(const fs::path& directory, const std::string& target) {
    const Members members = list(directory);
    copy(members.files, target);
    for (const fs::path& each : members.directories) {
      const std::string inner = cat(target, each.filename().string());
      run_checked(runner_, Command{.argv = {"mmd", "-i", image_, inner}, .env = env_});
      fill(each, cat(inner, "/"));
    }
  }

 private:
  /// One mcopy for all files of a directory.
  void copy(const std::vector<fs::path>& files, const std::string& target) {
    if (files.empty()) return;
    std::vector<std::string> argv = {"mcopy", "-i", image_};
    for (const fs::path& file : files) argv.push_back(file.string());
    argv.push_back(target);
    run_checked(runner_, Command{.argv = argv, .env = env_});
  }

  CommandRunner& runner_;
  Environment env_;
  std::string image_;
};

}  // namespace

/// mkfs.vfat has an --offset, but chooses the kind of FAT and the cluster size by the size of the whole disk file; so
/// it works on a sparse file of the partition's size, whose data is then copied in.
void make_vfat(const FileSystemJob& job, CommandRunner& runner) {
  const TempDir scratch = TempDir::create(job.scratch, "fat-");
  const fs::path file = scratch.path() / "file-system";
  create_sparse_file(file, job.extent.length);
  run_checked(runner, Command{.argv = mkfs_vfat_argv(job, file), .env = maker_environment(job.epoch)});
  if (!job.source.empty()) FatFiller(file, job.epoch, runner).fill(job.source, "::/");
  copy_sparse(file, job.image, job.extent.offset);
}

}  // namespace hearth::builder
