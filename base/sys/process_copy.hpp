// A copy of this process that goes on with a function: for work that is to fail alone.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <utility>

#include "base/sys/fd.hpp"
#include "base/sys/process.hpp"

namespace hearth {

/// Destroying it kills its process group.
class ProcessCopy {
 public:
  /// Of a process that has one thread only. The copy is in a process group of its own, runs `body`, exits with its
  /// result, and is killed with its starter. Its output goes to these two descriptors; signals act as by default.
  [[nodiscard]] static ProcessCopy start(const std::function<int()>& body, const Fd& out, const Fd& err);
  ProcessCopy(ProcessCopy&& other) noexcept : pid_(std::exchange(other.pid_, -1)), end_(std::move(other.end_)) {}
  ProcessCopy& operator=(ProcessCopy&&) = delete;
  ~ProcessCopy();

  /// Readable when it has ended.
  [[nodiscard]] const Fd& end() const { return end_; }
  /// How it ended, once; nothing while it runs.
  [[nodiscard]] std::optional<ExitStatus> ended();
  /// To its process group.
  void signal(int number) const;

 private:
  ProcessCopy(pid_t pid, Fd end) : pid_(pid), end_(std::move(end)) {}
  pid_t pid_ = -1;
  Fd end_;
};

}  // namespace hearth
