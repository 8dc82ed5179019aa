#include "builder/fetch/known_answers.hpp"

#include "base/clock.hpp"
#include "base/sys/file.hpp"
#include "base/sys/lock.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr const char* k_known = "known.lock";
constexpr Duration k_lock_time = std::chrono::seconds(5);
constexpr Duration k_lock_step = std::chrono::milliseconds(20);

}  // namespace

Lock known_answers(const fs::path& directory) {
  const std::optional<std::string> text = RealFileSystem().read(directory / k_known);
  const Result<Lock, ParseError> read = parse_lock(text.value_or(""), k_known);
  return read ? *read : Lock{};
}

void change_known_answers(const fs::path& directory, const std::function<void(Lock&)>& change) {
  SystemClock clock;
  const fs::path name = directory / "known.lock.lock";
  std::optional<FileLock> lock = FileLock::try_acquire(name);
  for (Duration waited{}; !lock && waited < k_lock_time; waited += k_lock_step) {
    clock.sleep(k_lock_step);
    lock = FileLock::try_acquire(name);
  }
  if (!lock) return;
  Lock known = known_answers(directory);
  change(known);
  known.notes.clear();
  known.settings.clear();
  RealFileSystem().write(directory / k_known, lock_text(known), {.mode = 0644});
}

}  // namespace hearth::builder::fetch
