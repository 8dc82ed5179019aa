// The lease journal: text, one line a change, each with a check sum, so that a line torn by a crash is seen and left
// out. Written and read by the pure functions; the file behind it only grows until it is rewritten.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/path.hpp"
#include "base/sys/fd.hpp"
#include "pxe/dhcp/leases.hpp"

namespace hearth::pxe::dhcp {

/// "b 1700000000 52:54:00:00:00:01 192.0.2.100 6e31 SUM\n"; the host name is hexadecimal, "-" when there is none.
[[nodiscard]] std::string journal_line(const Lease& lease);

struct JournalContents {
  std::vector<Lease> leases;  ///< in the order of the file: a later one replaces an earlier one of the same address
  std::size_t damaged = 0;    ///< lines that are not whole
};
[[nodiscard]] JournalContents parse_journal(std::string_view text);

/// Writes lines to disk in the background. What must wait for its lines is run after they are durable; all that came
/// in meanwhile share one fdatasync(2). After a failure the file is begun anew from what was durable: a torn line must
/// not take the next one with it, and a failed fdatasync(2) may have dropped what was written.
class JournalWriter {
 public:
  /// Rewrites `path` from `leases` (atomically) and opens it for appending. Throws Error.
  JournalWriter(fs::path path, const std::vector<Lease>& leases);
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  using Failed = std::function<void(const std::string& reason)>;
  /// On the writer's thread: `then` when `lines` have become durable, else `failed`. Lines that failed are not kept:
  /// what they promised must not be promised to anybody.
  void append(std::string lines, std::function<void()> then, Failed failed = {});
  /// Replaces the file by these leases, behind everything appended so far.
  void rewrite(const std::vector<Lease>& leases);
  /// Bytes since it was last rewritten.
  [[nodiscard]] std::size_t grown() const;
  /// Why nothing becomes durable any more; empty while all is well.
  [[nodiscard]] std::string failure() const;

 private:
  struct Batch {
    std::string lines;
    std::string whole;  ///< non-empty: the new contents of the file, before `lines`
    std::vector<std::function<void()>> then;
    std::vector<Failed> failed;
  };
  void run();
  void write(const Batch& batch);
  void replace(const std::string& contents);
  static void tell(const Batch& batch, const std::string& failure);

  const fs::path path_;
  Fd file_;
  std::size_t durable_ = 0;  ///< bytes of the file that are
  bool suspect_ = false;     ///< behind them there may be anything: a torn line, pages that the kernel has given up
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  Batch waiting_;
  std::size_t grown_ = 0;
  std::string failure_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace hearth::pxe::dhcp
