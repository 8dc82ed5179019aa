// Work that is tried in a forked copy of this process first: whatever it costs, it costs the copy, which has an end of
// processor time, of time between two breaths, and of memory. The copy dies with the thread that made it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "base/clock.hpp"
#include "base/sys/fd.hpp"

namespace hearth {

struct TrialLimits {
  Duration processor = std::chrono::seconds(30);  ///< in all, whole seconds
  Duration stretch = std::chrono::seconds(3);     ///< processor time between two breaths
  Duration wall = std::chrono::seconds(120);
  std::uint64_t memory = std::uint64_t{1} << 30U;  ///< bytes beyond what the process has at its beginning
};

enum class TrialEnd : std::uint8_t {
  answered,   ///< it returned
  failed,     ///< it threw
  processor,  ///< the others: it was ended
  stretch,
  memory,
  wall,
  died
};

struct TrialOutcome {
  TrialEnd end = TrialEnd::died;
  std::string text{};    ///< what the work returned, the story of what it threw, or how it died
  Duration processor{};  ///< what it took
};

class Trial {
 public:
  /// Called now and then by the work.
  using Breath = std::function<void()>;

  /// `work` is called in the copy. It must not rely on other threads, and must touch no file, socket or database that
  /// the process has open: they are closed there. Throws Error where there can be no copy.
  Trial(const TrialLimits& limits, const Clock& clock, const std::function<std::string(const Breath&)>& work);
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  /// Kills what still runs.
  ~Trial();

  /// Readable when take() has something to do.
  [[nodiscard]] int descriptor() const { return pipe_.get(); }
  /// Takes what there is, without waiting; true when the work has ended.
  [[nodiscard]] bool take();
  /// Ends what runs for longer than it may; true when it has ended, by this or by itself.
  [[nodiscard]] bool end_if_late();
  /// Once it has ended.
  [[nodiscard]] const TrialOutcome& outcome() const { return outcome_; }

 private:
  void reap();

  const Clock& clock_;
  MonotonicTime latest_;
  Fd pipe_;
  pid_t pid_ = -1;
  std::string read_;
  TrialOutcome outcome_;
};

}  // namespace hearth
