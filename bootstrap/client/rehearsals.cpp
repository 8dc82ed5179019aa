#include "bootstrap/client/rehearsals.hpp"

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/lock.hpp"

namespace hearth::bootstrap {

namespace {

/// One that is not ours to look into is none.
std::optional<RehearsalPlace> rehearsal_in(const fs::path& folder) {
  boost::system::error_code hidden;
  if (!fs::exists(folder / k_rehearsal_lock, hidden)) return std::nullopt;
  try {
    const std::time_t changed = fs::last_write_time(folder, hidden);
    return RehearsalPlace{folder, !FileLock::try_acquire(folder / k_rehearsal_lock).has_value(), changed};
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

fs::path rehearsed_state(const fs::path& folder) { return folder / "node"; }

std::vector<RehearsalPlace> rehearsals_at(const fs::path& folder) {
  std::vector<RehearsalPlace> found;
  if (const auto here = rehearsal_in(folder)) found.push_back(*here);
  for (const std::string& name : RealFileSystem().list(folder)) {
    if (const auto below = rehearsal_in(folder == "." ? fs::path(name) : folder / name)) found.push_back(*below);
  }
  return found;
}

std::optional<RehearsalPlace> rehearsal_of(const fs::path& state) {
  const fs::path folder = state.parent_path().empty() ? fs::path(".") : state.parent_path();
  return rehearsed_state(folder).filename() == state.filename() ? rehearsal_in(folder) : std::nullopt;
}

}  // namespace hearth::bootstrap
