#include "base/sys/first_start.hpp"

#include "base/error.hpp"

namespace hearth {

FirstStart::FirstStart(fs::path folder) : folder_(fs::absolute(std::move(folder))) {
  boost::system::error_code hidden;
  const fs::file_status status = fs::symlink_status(folder_, hidden);
  if (status.type() != fs::file_not_found) {
    is_first_ = status.type() == fs::directory_file && fs::is_empty(folder_, hidden) && !hidden;
    return;
  }
  is_first_ = true;
  for (fs::path at = folder_; !at.empty() && !fs::exists(fs::symlink_status(at, hidden)) && at != at.root_path();
       at = at.parent_path())
    missing_.push_back(at);
}

void FirstStart::hold() {
  if (is_first_) held_ = FileLock::try_acquire(folder_);
}

void FirstStart::take_away() const {
  boost::system::error_code hidden;
  if (fs::symlink_status(folder_, hidden).type() == fs::directory_file) {
    const std::optional<FileLock> folder = held_ ? std::nullopt : FileLock::try_acquire(folder_);
    if (!held_ && !folder) return;
    const fs::path lock_file = folder_ / "lock";
    std::optional<FileLock> lock;
    if (fs::exists(lock_file, hidden) && !(lock = FileLock::try_acquire(lock_file))) return;
    std::vector<fs::path> entries;
    for (const auto& entry : fs::directory_iterator(folder_)) entries.push_back(entry.path());
    for (const fs::path& entry : entries) fs::remove_all(entry, hidden);
  }
  for (const fs::path& made : missing_) {
    if (!fs::remove(made, hidden) && hidden) return;  // one in which somebody has laid down something stays
  }
}

FirstStart::~FirstStart() {
  if (!is_first_) return;
  try {
    take_away();
  } catch (const std::exception&) {  // what kept it from starting is told, and counts
  }
}

}  // namespace hearth
