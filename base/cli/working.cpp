#include "base/cli/working.hpp"

#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/clock.hpp"
#include "base/progress.hpp"
#include "base/progress_text.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {
constexpr std::chrono::milliseconds k_redrawn_each{200};
constexpr std::string_view k_wiped = "\r\x1b[K";
}  // namespace

class Working::Watch {
 public:
  Watch(const std::string& what, std::chrono::milliseconds moment, ProgressStyle style)
      : style_(style), step_{.name = clean_line(what)}, thread_([this, moment] { watch(moment); }) {}
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
  void watch(std::chrono::milliseconds moment) {
    const SystemClock clock;
    const MonotonicTime began = clock.now();
    std::unique_lock lock(mutex_);
    const auto is_over = [this] { return is_over_; };
    bool is_shown = false;
    for (std::size_t frame = 0; !over_.wait_for(lock, is_shown ? k_redrawn_each : moment, is_over); ++frame) {
      step_.elapsed = clock.now() - began;
      // The cursor goes back: what others write begins where the line does.
      const std::size_t columns = LiveLines(STDERR_FILENO).room().columns;
      show(cat(k_wiped, live_line(step_, frame, columns, style_), "\r"));
      is_shown = true;
    }
    if (is_shown) show(k_wiped);
  }

  /// A terminal that went away ends no work.
  static void show(std::string_view text) noexcept { (void)!::write(STDERR_FILENO, text.data(), text.size()); }

  ProgressStyle style_;
  RunningStep step_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;  // last: it uses what stands above
};

Working::Working(const std::string& what, std::chrono::milliseconds moment) {
  const Environment environment = current_environment();
  if (!is_live_terminal(STDERR_FILENO, environment)) return;
  try {
    watch_ = std::make_unique<Watch>(what, moment, progress_style(environment, true));
  } catch (const std::system_error&) {
    watch_.reset();  // no thread is to be had: then it is worked without a word
  }
}

Working::~Working() = default;

}  // namespace hearth::cli
