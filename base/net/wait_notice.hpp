// Nobody waits without knowing for what.
#pragma once

#include <chrono>
#include <string>

#include "base/sys/later.hpp"

namespace hearth {

/// Lives as long as something is waited for: says on standard error what, once that takes longer than a moment.
class WaitNotice {
 public:
  explicit WaitNotice(std::string text, std::chrono::milliseconds moment = std::chrono::seconds(1));

 private:
  Later later_;
};

}  // namespace hearth
