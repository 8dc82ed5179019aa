#include "builder/target/target_tree.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/filesystem/directory.hpp>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/mount.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_block = 512;  // of st_blocks

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
    const fs::file_status status = fs::symlink_status(entry.path());
    if (status.type() == fs::regular_file) fs::resize_file(entry.path(), 0);
  }
}

constexpr std::uint64_t k_notable_bytes = std::uint64_t{10} << 20U;

/// Bytes on disk of everything below `directory`, which are also added to `entries`, each with its path in the image.
std::uint64_t measure_usage(const fs::path& root, const fs::path& directory,
                            std::vector<std::pair<std::uint64_t, std::string>>& entries) {
  std::uint64_t total = 0;
  for (const std::string& name : RealFileSystem().list(directory)) {
    const fs::path path = directory / name;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) continue;
    std::uint64_t bytes = static_cast<std::uint64_t>(status.st_blocks) * k_block;
    if (S_ISDIR(status.st_mode)) bytes += measure_usage(root, path, entries);
    entries.emplace_back(bytes, path.string().substr(root.string().size()));
    total += bytes;
  }
  return total;
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

void renew_resolv_conf(const fs::path& root) {
  const fs::path file = root / "etc/resolv.conf";
  if (!is_own_directory(root, "etc") || fs::is_symlink(fs::symlink_status(file))) return;
  write_plain(file, RealFileSystem().read("/etc/resolv.conf").value_or(""), 0777);
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

void remove_placeholders(const fs::path& dev) {
  if (!fs::is_directory(fs::symlink_status(dev))) return;
  for (const std::string& name : RealFileSystem().list(dev)) {
    const fs::path file = dev / name;
    if (fs::symlink_status(file).type() == fs::regular_file && fs::file_size(file) == 0) fs::remove(file);
  }
}

void unbind_devices(const fs::path& dev) {
  for (const std::string& point :
       mount_points_below(RealFileSystem().read("/proc/self/mountinfo").value_or(""), dev.string())) {
    if (fs::symlink_status(point).type() == fs::character_file) ::umount2(point.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  }
}

void rebind_devices(const fs::path& dev) {
  if (!fs::is_directory(fs::symlink_status(dev))) return;
  for (const std::string& name : RealFileSystem().list(dev)) {
    const fs::path file = dev / name;
    const fs::path device = fs::path("/dev") / name;
    const bool is_empty = fs::symlink_status(file).type() == fs::regular_file && fs::file_size(file) == 0;
    if (is_empty && fs::status(device).type() == fs::character_file) bind_mount(device, file, Access::read_write);
  }
}

std::vector<std::string> usage_report(const fs::path& root, bool all) {
  std::vector<std::pair<std::uint64_t, std::string>> entries;
  const std::uint64_t total = measure_usage(root, root, entries);
  entries.emplace_back(total, "/");
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.first != b.first ? b.first < a.first : a.second < b.second; });
  std::vector<std::string> lines = {
      "=================================", all ? "Image size report" : "Image size report (files > 10MiB)",
      "================================="};
  for (const auto& [bytes, name] : entries) {
    if (all || bytes >= k_notable_bytes) lines.push_back(cat(human_bytes(bytes), "\t", name));
  }
  lines.emplace_back("===== end image size report =====");
  return lines;
}

void tidy_tree(const fs::path& root) {
  if (is_own_directory(root, "tmp")) empty_directory(root / "tmp");
  if (is_own_directory(root, "var/log")) empty_files(root / "var/log");
  if (!is_own_directory(root, "root")) return;
  std::vector<fs::path> logs;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / "root")) {
    if (entry.path().extension() == ".log" && fs::symlink_status(entry.path()).type() == fs::regular_file) {
      logs.push_back(entry.path());
    }
  }
  for (const fs::path& log : logs) fs::remove(log);
}

}  // namespace hearth::builder
