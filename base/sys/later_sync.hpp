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
#include "base/sys/fd.hpp"

namespace hearth {

class LaterSync {
 public:
  /// `news`: from the thread, when what is told below has changed. Start it when no rights are to be given up any more.
  /// The file is open from now on, or this throws: what a flush needs is there whatever else the process has open. And
  /// what the kernel could not write, it tells one who has had the file open then, and others only if nobody was told.
  LaterSync(fs::path file, std::function<void()> news);
  LaterSync(const LaterSync&) = delete;
  LaterSync& operator=(const LaterSync&) = delete;
  /// What was written is flushed yet; where that hangs, so does this (end()).
  ~LaterSync() = default;
  /// The same, and for a flush that hangs nobody waits longer than it takes until trouble() tells of it: then it
  /// counts as refused, and this is not to be destroyed.
  void end();

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
  [[nodiscard]] std::string silence() const;

  fs::path file_;
  Fd fd_;
  std::function<void()> news_;
  mutable std::mutex mutex_;
  std::condition_variable_any asked_;
  std::condition_variable flushed_;
  std::uint64_t written_ = 0;
  std::uint64_t kept_ = 0;
  std::string refusal_;
  bool has_ended_ = false;
  Time begun_{};  ///< of the flush that is under way; none: not set
  std::chrono::steady_clock::duration longest_{};
  std::jthread thread_;  ///< ends before all that it uses
};

}  // namespace hearth
