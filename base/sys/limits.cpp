#include "base/sys/limits.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>

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

}  // namespace hearth
