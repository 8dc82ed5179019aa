#include "builder/boot/boot_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

std::string read_present(const TreeReader& tree, const std::string& path) {
  if (std::optional<std::string> bytes = tree.read(path)) return std::move(*bytes);
  throw Error(ErrorKind::not_found, cat(path, " is not in the image, or leads nowhere there"));
}

}  // namespace

void stamp_time(const fs::path& path, std::int64_t epoch) {
  const timespec time{.tv_sec = epoch, .tv_nsec = 0};
  const std::array<timespec, 2> times = {time, time};
  ::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW);
}

void write_in_tree(const fs::path& tree, const std::string& path, std::string_view bytes, std::int64_t epoch) {
  const fs::path target = make_directories_in_tree(tree, fs::path(path).parent_path()) / fs::path(path).filename();
  RealFileSystem().write(target, bytes, {.mode = 0644, .uid = 0, .gid = 0});
  stamp_time(target, epoch);
  for (fs::path up = target.parent_path(); up != tree && up.has_parent_path(); up = up.parent_path()) {
    if (fs::equivalent(up, tree)) break;
    stamp_time(up, epoch);
  }
}

KernelBytes read_kernel(const fs::path& tree, const DiskLayout& layout) {
  const KernelEntry entry = find_kernels(tree, layout).current;
  const TreeReader files(tree);
  const std::string name = files.host_path(entry.kernel).value_or(entry.kernel).filename().string();
  const std::size_t dash = name.find('-');
  return {.kernel = read_present(files, entry.kernel),
          .initrd = entry.initrd.empty() ? "" : read_present(files, entry.initrd),
          .version = dash == std::string::npos ? "" : name.substr(dash + 1)};
}

std::string read_loader_file(const fs::path& tree, const fs::path& path, const char* package) {
  if (auto bytes = TreeReader(tree).read(path)) return *bytes;
  if (auto bytes = RealFileSystem().read(path)) return *bytes;
  throw Error(ErrorKind::not_found, cat("the boot loader's file is not there: ", path.string()))
      .hint(cat("Install (as root): apt-get install ", package, "; or let the image have it: -p ", package));
}

std::string os_release_field(const fs::path& tree, const std::string& field, std::string fallback) {
  for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    const std::optional<std::string> text = TreeReader(tree).read(path);
    for (const std::string& line : split_lines(text.value_or(""))) {
      if (line.starts_with(cat(field, "="))) return replace_all(line.substr(field.size() + 1), "\"", "");
    }
  }
  return fallback;
}

}  // namespace hearth::builder
