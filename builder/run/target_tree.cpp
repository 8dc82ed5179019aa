#include "builder/run/target_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::builder {

namespace {

void write_plain(const fs::path& path, const std::string& text, mode_t mode) {
  const Fd fd = Fd::open(path.string(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode);
  write_all(fd, text, path.string());
  ::fchmod(fd.get(), mode);
}

/// Whether root/a/b is a directory of the tree itself. A link may lead out of it: /tmp -> /somewhere is the host's.
bool is_own_directory(const fs::path& root, const fs::path& below) {
  fs::path path = root;
  for (const fs::path& part : below) {
    path /= part;
    if (!fs::is_directory(fs::symlink_status(path))) return false;
  }
  return true;
}

void empty_directory(const fs::path& directory) {
  for (const std::string& name : RealFileSystem().list(directory)) fs::remove_all(directory / name);
}

/// Truncates the regular files below; never follows links.
void empty_files(const fs::path& directory) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
    const fs::file_status status = entry.symlink_status();
    if (status.type() == fs::regular_file) fs::resize_file(entry.path(), 0);
  }
}

}  // namespace

bool has_root_content(const fs::path& root) {
  for (const std::string& name : RealFileSystem().list(root)) {
    if (name != "lost+found" && name != "tmp") return true;
  }
  return false;
}

void lend_resolv_conf(const fs::path& root) {
  const fs::path file = root / "etc/resolv.conf";
  if (!is_own_directory(root, "etc")) return;
  if (fs::exists(fs::symlink_status(file))) fs::rename(file, root / "etc/resolv.conf.ORIG");
  const std::string host = RealFileSystem().read("/etc/resolv.conf").value_or("");
  write_plain(file, host, 0777);
}

void take_back_resolv_conf(const fs::path& root) {
  const fs::path file = root / "etc/resolv.conf";
  const fs::path original = root / "etc/resolv.conf.ORIG";
  if (!is_own_directory(root, "etc")) return;
  if (fs::is_symlink(fs::symlink_status(file))) {
    fs::remove(original);
    return;
  }
  fs::remove(file);
  if (fs::exists(fs::symlink_status(original))) fs::rename(original, file);
}

void tidy_tree(const fs::path& root) {
  if (is_own_directory(root, "tmp")) empty_directory(root / "tmp");
  if (is_own_directory(root, "var/log")) empty_files(root / "var/log");
  if (!is_own_directory(root, "root")) return;
  for (const std::string& name : RealFileSystem().list(root / "root")) {
    const fs::path file = root / "root" / name;
    if (file.extension() == ".log" && !fs::is_directory(fs::symlink_status(file))) fs::remove(file);
  }
}

}  // namespace hearth::builder
