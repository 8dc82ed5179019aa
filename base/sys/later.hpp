// Something that is said once it has taken longer than a moment, from a thread of its own: whoever works or waits does
// so within a call.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace hearth {

class Later {
 public:
  /// `say` is called when `moment` is over, and as long as it tells a pause again behind that. Where no thread is to be
  /// had nothing is said.
  Later(std::chrono::milliseconds moment, std::function<std::optional<std::chrono::milliseconds>()> say);
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;
  /// Afterwards nothing is said any more.
  ~Later();

 private:
  class Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace hearth
