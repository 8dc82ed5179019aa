// LaterSync: what was written into a file is made durable on a thread of its own, many writes by one flush. A disk that
// others keep busy takes 10 ms and more for each, and who writes has others to serve meanwhile.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/path.hpp"

namespace hearth {

class LaterSync {
 public:
  /// `news`: from the thread, when what is told below has changed. Start it when no rights are to be given up any more.
  LaterSync(fs::path file, std::function<void()> news);
  LaterSync(const LaterSync&) = delete;
  LaterSync& operator=(const LaterSync&) = delete;
  /// What was written is flushed yet.
  ~LaterSync() = default;

  /// Something was written, and is in the file as other processes see it.
  void wrote();
  /// How many times that was said.
  [[nodiscard]] std::uint64_t written() const;
  /// Up to which of these all is durable.
  [[nodiscard]] std::uint64_t kept() const;
  /// Why nothing is durable; empty when all is well. A flush that takes long ends yet, mostly.
  [[nodiscard]] std::string trouble() const;
  /// The disk has refused: what was written may be there or not, and no flush would tell. Nothing is durable any more.
  [[nodiscard]] bool is_lost() const;
  /// The longest flush since this was asked last.
  [[nodiscard]] std::chrono::steady_clock::duration longest();

 private:
  using Time = std::chrono::steady_clock::time_point;
  void work(const std::stop_token& stop);
  /// Empty where it is flushed.
  [[nodiscard]] std::string attempt() const;

  fs::path file_;
  std::function<void()> news_;
  mutable std::mutex mutex_;
  std::condition_variable_any asked_;
  std::uint64_t written_ = 0;
  std::uint64_t kept_ = 0;
  std::string refusal_;
  Time begun_{};  ///< of the flush that is under way; none: not set
  std::chrono::steady_clock::duration longest_{};
  std::jthread thread_;  ///< ends before all that it uses
};

}  // namespace hearth
