// Nobody waits without knowing for what. In a thread of its own: whoever waits for a server waits within a call.
#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace hearth {

/// Lives as long as something is waited for: says on standard error what, once that takes longer than a moment.
class WaitNotice {
 public:
  explicit WaitNotice(std::string text, std::chrono::milliseconds moment = std::chrono::seconds(1));
  WaitNotice(const WaitNotice&) = delete;
  WaitNotice& operator=(const WaitNotice&) = delete;
  ~WaitNotice();

 private:
  class Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace hearth
