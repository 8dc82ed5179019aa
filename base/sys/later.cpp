#include "base/sys/later.hpp"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/sys/blocked_signals.hpp"

namespace hearth {

class Later::Watch {
 public:
  Watch(std::chrono::milliseconds moment, std::function<std::optional<std::chrono::milliseconds>()> say)
      : say_(std::move(say)) {
    const BlockedSignals blocked;
    thread_ = std::thread([this, moment] { watch(moment); });
  }
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
  void watch(std::optional<std::chrono::milliseconds> pause) {
    std::unique_lock lock(mutex_);
    while (pause && !over_.wait_for(lock, *pause, [this] { return is_over_; })) pause = say_();
  }

  std::function<std::optional<std::chrono::milliseconds>()> say_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

Later::Later(std::chrono::milliseconds moment, std::function<std::optional<std::chrono::milliseconds>()> say) {
  try {
    watch_ = std::make_unique<Watch>(moment, std::move(say));
  } catch (const std::system_error&) {
    watch_.reset();
  }
}

Later::~Later() = default;

}  // namespace hearth
