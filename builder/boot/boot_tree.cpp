#include "builder/boot/boot_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr int k_most_links = 40;  // as Linux has it

bool is_link(const fs::path& path) { return fs::symlink_status(path).type() == fs::symlink_file; }

}  // namespace

fs::path resolve_in_tree(const fs::path& tree, const std::string& path) {
  std::string guest = GuestPath(path).text();
  for (int links = 0; links < k_most_links; ++links) {
    fs::path walked = "/";
    bool followed = false;
    const fs::path relative = fs::path(guest).relative_path();
    for (auto part = relative.begin(); part != relative.end(); ++part) {
      const fs::path here = walked / *part;
      if (!is_link(GuestPath(here.string()).in(tree))) {
        walked = here;
        continue;
      }
      const fs::path target = fs::read_symlink(GuestPath(here.string()).in(tree));
      fs::path next = target.is_absolute() ? target : walked / target;
      while (++part != relative.end()) next /= *part;
      guest = GuestPath(next.string()).text();
      followed = true;
      break;
    }
    if (!followed) return GuestPath(guest).in(tree);
  }
  throw Error(ErrorKind::input, cat("too many symbolic links at ", path, " of the image"));
}

void stamp_time(const fs::path& path, std::int64_t epoch) {
  const timespec time{.tv_sec = epoch, .tv_nsec = 0};
  const std::array<timespec, 2> times = {time, time};
  ::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW);
}

void write_in_tree(const fs::path& tree, const std::string& path, std::string_view bytes, std::int64_t epoch) {
  const fs::path target = GuestPath(path).in(tree);
  RealFileSystem files;
  files.make_directories(target.parent_path(), 0755);
  files.write(target, bytes, {.mode = 0644, .uid = 0, .gid = 0});
  stamp_time(target, epoch);
  for (fs::path up = target.parent_path(); up != tree && up.has_parent_path(); up = up.parent_path()) {
    if (fs::equivalent(up, tree)) break;
    stamp_time(up, epoch);
  }
}

KernelBytes read_kernel(const fs::path& tree, const DiskLayout& layout) {
  const KernelEntry entry = find_kernels(tree, layout).current;
  const fs::path kernel = resolve_in_tree(tree, entry.kernel);
  const std::string name = kernel.filename().string();
  const std::size_t dash = name.find('-');
  return {.kernel = read_file(kernel),
          .initrd = entry.initrd.empty() ? "" : read_file(resolve_in_tree(tree, entry.initrd)),
          .version = dash == std::string::npos ? "" : name.substr(dash + 1)};
}

std::string read_loader_file(const fs::path& tree, const fs::path& path, const char* package) {
  RealFileSystem files;
  if (auto bytes = files.read(GuestPath(path.string()).in(tree))) return *bytes;
  if (auto bytes = files.read(path)) return *bytes;
  throw Error(ErrorKind::not_found, cat("the boot loader's file is not there: ", path.string()))
      .hint(cat("Install (as root): apt-get install ", package, "; or let the image have it: -p ", package));
}

std::string os_release_field(const fs::path& tree, const std::string& field, std::string fallback) {
  for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    const std::optional<std::string> text = RealFileSystem().read(resolve_in_tree(tree, path));
    for (const std::string& line : split_lines(text.value_or(""))) {
      if (line.starts_with(cat(field, "="))) return replace_all(line.substr(field.size() + 1), "\"", "");
    }
  }
  return fallback;
}

}  // namespace hearth::builder
