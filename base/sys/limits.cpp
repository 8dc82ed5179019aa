#include "base/sys/limits.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>

#include "base/limits_hint.hpp"
#include "base/path.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth {

void allow_descriptors(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, std::max<rlim_t>(limit.rlim_cur, wanted));
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

unsigned usable_processors() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<unsigned>(CPU_COUNT(&set)) : 1;
}

std::uint64_t available_memory() {
  for (const std::string& line : split_lines(RealFileSystem().read("/proc/meminfo").value_or(""))) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() > 1 && words[0] == "MemAvailable:") return parse_number(words[1]).value_or(0) * 1024;
  }
  return 0;
}

std::string describe_unexpected(const std::exception& error) {
  if (const auto* const failed = dynamic_cast<const fs::filesystem_error*>(&error)) {
    const std::string place = failed->path1().string();
    return cat(place, place.empty() ? "" : ": ", failed->code().message());
  }
  const auto* const refused = dynamic_cast<const std::system_error*>(&error);
  const bool is_thread = refused != nullptr && (refused->code().value() == EAGAIN || refused->code().value() == ENOMEM);
  if (!is_thread && dynamic_cast<const std::bad_alloc*>(&error) == nullptr)
    return cat("internal error: ", error.what());
  return cat(is_thread ? "the system gives this process no further thread" : "out of memory", "\n  ", k_limits_hint);
}

}  // namespace hearth
