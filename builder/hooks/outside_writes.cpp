#include "builder/hooks/outside_writes.hpp"

#include <sys/stat.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/sandbox/sandbox.hpp"

namespace hearth::builder {

namespace {

constexpr std::int64_t k_nanoseconds = 1'000'000'000;

template <class Files>
void add_file(Files& files, const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  if (S_ISDIR(status.st_mode)) {
    for (const std::string& name : RealFileSystem().list(path)) add_file(files, path / name);
    return;
  }
  files[path.string()] = {status.st_mtim.tv_sec * k_nanoseconds + status.st_mtim.tv_nsec,
                          static_cast<std::uint64_t>(status.st_size)};
}

}  // namespace

OutsideWrites::Files OutsideWrites::look() const {
  Files files;
  for (const std::string& name : RealFileSystem().list(written_)) {
    if (is_beside(name, image_)) add_file(files, written_ / name);
  }
  return files;
}

std::string OutsideWrites::changed() {
  Files now = look();
  std::string found;
  for (const auto& [path, status] : now) {
    const auto before = seen_.find(path);
    if (found.empty() && (before == seen_.end() || before->second != status)) found = path;
  }
  for (const auto& [path, status] : seen_) {
    if (found.empty() && now.count(path) == 0) found = path;
  }
  seen_ = std::move(now);
  return found.empty() ? "" : found.substr(written_.string().size() + 1);
}

}  // namespace hearth::builder
