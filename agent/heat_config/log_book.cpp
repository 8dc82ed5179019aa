#include "agent/heat_config/log_book.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::uint64_t k_longest_log = std::uint64_t{16} << 20U;
constexpr std::uint64_t k_all_logs = std::uint64_t{256} << 20U;

void rotate(const fs::path& file, RealFileSystem& files) {
  const std::optional<FileStatus> status = files.status(file);
  if (status && status->size > k_longest_log) fs::rename(file, cat(file.string(), ".1"));
}

/// A machine that lives for years has thousands of deployments.
void remove_oldest(const fs::path& directory, RealFileSystem& files) {
  std::vector<std::pair<std::int64_t, fs::path>> logs;
  std::uint64_t size = 0;
  for (const std::string& name : files.list(directory)) {
    if (!name.ends_with(".log") && !name.ends_with(".log.1")) continue;
    const std::optional<FileStatus> status = files.status(directory / name);
    if (!status || status->type != FileStatus::Type::regular) continue;
    size += status->size;
    logs.emplace_back(status->modified, directory / name);
  }
  std::sort(logs.begin(), logs.end());
  for (const auto& [modified, path] : logs) {
    if (size <= k_all_logs) return;
    size -= files.status(path).value_or(FileStatus{}).size;
    files.remove(path);
  }
}

}  // namespace

void DirectoryLogBook::open(const std::string& name) {
  name_ = name;
  file_ = Fd();
  RealFileSystem files;
  files.make_directories(directory_, 0700);
  const fs::path path = directory_ / cat(name, ".log");
  rotate(path, files);
  remove_oldest(directory_, files);
  file_ = Fd::open(path.string(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0600);
}

void DirectoryLogBook::append(const std::string& name, std::string_view line) noexcept {
  try {
    if (name != name_) open(name);
    if (!file_) return;
    const std::string text = cat(line, "\n");
    [[maybe_unused]] const ssize_t written = ::write(file_.get(), text.data(), text.size());
  } catch (...) {  // the log of a deployment is a help, not a condition
  }
}

}  // namespace hearth::agent
