// Limits of processor time for tests: they hold on a busy machine, too, and a sanitizer's slowness is allowed for.
#pragma once

#include <ctime>

namespace hearth::fakes {

/// Seconds that this process has computed since it was made, as a build without sanitizers would have.
class ProcessorTime {
 public:
  [[nodiscard]] double seconds() const {
    return static_cast<double>(std::clock() - began_) / static_cast<double>(CLOCKS_PER_SEC) / k_slower;
  }

 private:
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr double k_slower = 10;
#else
  static constexpr double k_slower = 1;
#endif
  std::clock_t began_ = std::clock();
};

}  // namespace hearth::fakes
