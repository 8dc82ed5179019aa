#include "base/net/wait_notice.hpp"

#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/log.hpp"
#include "base/text.hpp"

namespace hearth {

class WaitNotice::Watch {
 public:
  Watch(std::string text, std::chrono::milliseconds moment)
      : thread_([this, text = std::move(text), moment] { watch(text, moment); }) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    over_.notify_one();
    thread_.join();
  }

 private:
  void watch(const std::string& text, std::chrono::milliseconds moment) {
    std::unique_lock lock(mutex_);
    if (!over_.wait_for(lock, moment, [this] { return is_over_; }))
      std::fputs(cat(shown_text(text), "\n").c_str(), stderr);
  }

  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;  // last: it uses what stands above
};

WaitNotice::WaitNotice(std::string text, std::chrono::milliseconds moment) {
  try {
    watch_ = std::make_unique<Watch>(std::move(text), moment);
  } catch (const std::system_error&) {
    watch_.reset();  // no thread is to be had: then it is waited for without a word
  }
}

WaitNotice::~WaitNotice() = default;

}  // namespace hearth
