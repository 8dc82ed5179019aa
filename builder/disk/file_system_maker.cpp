#include "builder/disk/file_system_maker.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

std::vector<NeededProgram> programs_of(const DiskFileSystem& file_system) {
  if (file_system.is_ext()) return {{"mke2fs", "e2fsprogs"}};
  if (file_system.is_fat()) return {{"mkfs.vfat", "dosfstools"}, {"mmd", "mtools"}, {"mcopy", "mtools"}};
  if (file_system.type == "btrfs") return {{"mkfs.btrfs", "btrfs-progs"}};
  if (file_system.type == "xfs") return {{"mkfs.xfs", "xfsprogs"}};
  return {};
}

}  // namespace

std::vector<NeededProgram> programs_for(const DiskLayout& layout) {
  std::vector<NeededProgram> needed;
  for (const DiskFileSystem& file_system : layout.file_systems) {
    for (const NeededProgram& program : programs_of(file_system)) {
      if (std::find(needed.begin(), needed.end(), program) == needed.end()) needed.push_back(program);
    }
  }
  return needed;
}

void require_programs(const std::vector<NeededProgram>& programs, const Environment& env) {
  std::vector<std::string> missing;
  std::vector<std::string> packages;
  for (const NeededProgram& needed : programs) {
    if (find_program(needed.program, env)) continue;
    missing.push_back(needed.program);
    if (std::find(packages.begin(), packages.end(), needed.package) == packages.end())
      packages.push_back(needed.package);
  }
  if (missing.empty()) return;
  throw Error(ErrorKind::not_found, cat("not installed: ", join(missing, ", ")))
      .hint(cat("Install (as root): apt-get install ", join(packages, " ")));
}

Environment maker_environment(std::int64_t epoch) {
  const Environment current = current_environment();
  const auto path = current.find("PATH");
  const std::string standard = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  return {{"PATH", path == current.end() ? standard : cat(path->second, ":/usr/sbin:/sbin")},
          {"LC_ALL", "C"},
          {"TZ", "UTC"},
          {"SOURCE_DATE_EPOCH", std::to_string(epoch)},
          {"E2FSPROGS_FAKE_TIME", std::to_string(epoch)},
          {"MTOOLS_SKIP_CHECK", "1"}};
}

void make_file_system(const FileSystemJob& job, CommandRunner& runner) {
  const DiskFileSystem& file_system = job.file_system;
  try {
    if (file_system.is_ext()) return make_ext(job, runner);
    if (file_system.is_fat()) return make_vfat(job, runner);
    if (file_system.type == "swap") return make_swap(job);
    if (file_system.type == "btrfs") return make_btrfs(job, runner);
    if (file_system.type == "xfs") return make_xfs(job, runner);
  } catch (Error& error) {
    throw error.during(cat("making the ", file_system.type, " file system ", file_system.name));
  }
  throw Error(ErrorKind::unsupported, cat("file systems of type ", file_system.type, " can't be made in user space"));
}

}  // namespace hearth::builder
