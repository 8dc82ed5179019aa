// Nobody waits in silence: what a command waits for, a line at a time, on a terminal and in a log alike.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/clock.hpp"

namespace hearth::bootstrap {

class WaitLines {
 public:
  /// `moment`: how long it is silent at first.
  WaitLines(const Clock& clock, std::function<void(const std::string&)> tell, Duration moment = std::chrono::seconds(2))
      : clock_(clock), tell_(std::move(tell)), next_(clock.now() + moment), since_(clock.now()) {}

  /// Whether a look is worth asking anybody for what is waited for.
  [[nodiscard]] bool is_due() const { return clock_.now() >= next_; }
  /// Tells it where it is due, and another thing than was told last, or the same for long; empty is nothing to tell.
  void look(const std::string& what);
  /// Something else was told just now.
  void told() { next_ = clock_.now() + k_pause; }

 private:
  static constexpr Duration k_pause = std::chrono::seconds(10);  ///< between two lines
  static constexpr Duration k_again = std::chrono::seconds(60);  ///< until the same is told again

  const Clock& clock_;
  std::function<void(const std::string&)> tell_;
  MonotonicTime next_;
  MonotonicTime since_;  ///< when what is waited for was told first
  std::optional<MonotonicTime> last_told_{};
  std::string last_;  ///< without times and counts
};

}  // namespace hearth::bootstrap
