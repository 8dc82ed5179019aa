#include "builder/fetch/known_answers.hpp"

#include "base/clock.hpp"
#include "base/redaction.hpp"
#include "base/sys/file.hpp"
#include "base/sys/lock.hpp"
#include "builder/fetch/redactions.hpp"

namespace hearth::builder::fetch {

namespace {

constexpr const char* k_known = "known.lock";
constexpr Duration k_lock_time = std::chrono::seconds(5);
constexpr Duration k_lock_step = std::chrono::milliseconds(20);

/// An earlier version of this program kept signed URLs whole.
bool holds_secret(const FetchKey& key, const Fetched& fetched) {
  const auto in_url = [](const std::string& url) {
    const std::size_t mark = url.find('?');
    const std::string query = mark == std::string::npos ? "" : url.substr(mark + 1);
    return without_credentials(url) != url || without_secret_values(query) != query;
  };
  return in_url(key.url) || (!is_redacted(fetched) && in_url(find_header(fetched.headers, "location").value_or("")));
}

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
  std::erase_if(known.fetches, [](const auto& entry) { return holds_secret(entry.first, entry.second); });
  known.notes.clear();
  known.settings.clear();
  RealFileSystem().write(directory / k_known, lock_text(known), {.mode = 0644});
}

}  // namespace hearth::builder::fetch
