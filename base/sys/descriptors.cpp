#include "base/sys/descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace hearth {

void allow_descriptors(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, std::max<rlim_t>(limit.rlim_cur, wanted));
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace hearth
