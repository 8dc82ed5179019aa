#include <algorithm>

#include <boost/filesystem/directory.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/disk/file_system_maker.hpp"

namespace hearth::builder {

namespace {

std::vector<std::string> mkfs_argv(const FileSystemJob& job) {
  const FileSystem& file_system = job.file_system;
  std::vector<std::string> argv = {"mkfs.vfat", "--invariant", "-i", replace_all(file_system.uuid, "-", ""),
                                   "-n", file_system.label, "-S", std::to_string(job.sector_size),
                                   cat("--offset=", job.extent.offset / job.sector_size)};
  argv.insert(argv.end(), file_system.options.begin(), file_system.options.end());
  argv.insert(argv.end(), {job.image.string(), std::to_string(job.extent.length / 1024)});
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
    const fs::file_type type = entry.symlink_status().type();
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
  FatFiller(const FileSystemJob& job, CommandRunner& runner)
      : runner_(runner), env_(maker_environment(job.epoch)), image_(cat(job.image.string(), "@@", job.extent.offset)) {}

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

void make_vfat(const FileSystemJob& job, CommandRunner& runner) {
  run_checked(runner, Command{.argv = mkfs_argv(job), .env = maker_environment(job.epoch)});
  if (!job.source.empty()) FatFiller(job, runner).fill(job.source, "::/");
}

}  // namespace hearth::builder
