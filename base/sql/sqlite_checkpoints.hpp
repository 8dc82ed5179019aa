// SQLite's write-ahead log is moved into the database on a thread of its own, by a connection of its own, so that no
// commit has to wait for it: a commit costs one flush, and not now and then three and a thousand scattered pages.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

struct sqlite3;

namespace hearth::sql::detail {

class Checkpoints {
 public:
  /// Takes them over for `handle`, which is open on the file `path`. `handle` must outlive this object.
  Checkpoints(sqlite3* handle, std::string path);
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;
  /// Waits for a checkpoint that runs.
  ~Checkpoints();

 private:
  static int committed(void* self, sqlite3* handle, const char* database, int pages);
  void ask();
  void work(const std::stop_token& stop);
  void checkpoint() const;

  sqlite3* handle_;
  std::string path_;
  std::mutex mutex_;
  std::condition_variable_any asked_;
  bool wanted_ = false;
  std::jthread thread_;  ///< begun when there is something to do first
};

}  // namespace hearth::sql::detail
