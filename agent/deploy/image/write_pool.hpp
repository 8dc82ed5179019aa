// Threads that turn what was fetched into what stands on the disk. Jobs are independent of each other; a job that fails
// ends the whole.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "agent/deploy/disk/disk_target.hpp"
#include "agent/deploy/disk/inflate.hpp"
#include "agent/deploy/image/source.hpp"

namespace hearth::agent::deploy {

/// What a thread keeps between jobs.
struct Workbench {
  Buffer out{std::size_t{16} << 20U};  ///< as large as the largest block of a frames file
  FrameInflater zstd;
};

class WritePool {
 public:
  using Job = std::function<void(Workbench&)>;

  /// `threads` 0 = as many as this process may use, at most eight.
  explicit WritePool(unsigned threads = 0);
  WritePool(const WritePool&) = delete;
  WritePool& operator=(const WritePool&) = delete;
  /// Jobs that have not begun are dropped.
  ~WritePool();

  /// So many jobs may wait, if that is more than there may now: where what they hold is in memory in any case.
  void let_wait(std::size_t jobs);
  /// Waits while too many jobs are waiting. Throws what a job before has thrown.
  void add(Job job);
  /// From within a job, what is left of it: comes after all jobs that wait, so that these are not held up by it.
  void follow(Job job);
  /// Until all jobs are done. Throws what one of them has thrown.
  void finish();

 private:
  void run();
  [[nodiscard]] std::size_t waiting() const { return jobs_.size() + later_.size(); }
  void rethrow();

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::deque<Job> later_;
  std::size_t limit_;
  std::size_t running_ = 0;
  bool ending_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

/// Writes disk contents: stretches of zeros are not written but made zero by the disk.
void write_data(DiskTarget& disk, std::uint64_t offset, std::string_view bytes);

}  // namespace hearth::agent::deploy
