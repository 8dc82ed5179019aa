// The audit log: one JSON line for each answered request but those that told nothing new (304), without secrets, with
// who asked. Each line ends with a digest of itself and all before it, so that no line can be changed, left out or put
// in without `hearth metadata audit` seeing where; whoever notes the last digest elsewhere sees also that the end is
// cut.
#pragma once

#include <string>

#include "base/clock.hpp"
#include "base/net/http_server.hpp"
#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth::metadata {

struct AuditLimits {
  std::size_t bytes = 16U << 20U;  ///< of a file; then it is FILE.1, and so on
  int former_files = 8;            ///< the oldest goes
};

class AuditLog final : public AccessLog {
 public:
  /// Appends to the file (mode 0640). Throws Error when it can't be opened.
  AuditLog(std::string path, const Clock& clock, AuditLimits limits = {});
  void record(const AccessRecord& record) noexcept override;

 private:
  void open(std::int64_t now);
  bool append(std::string line);
  void look_after(std::int64_t now);

  std::string path_;
  const Clock& clock_;
  AuditLimits limits_;
  Fd file_;
  std::string chain_;  ///< the last digest
  std::size_t size_ = 0;
  std::int64_t looked_ = 0;
  std::size_t missed_ = 0;  ///< lines that a full disk kept out, not told yet
};

/// The line, without its end and its digest.
[[nodiscard]] std::string audit_line(const AccessRecord& record, std::int64_t unix_seconds);

struct AuditVerdict {
  std::size_t files = 0;
  std::size_t lines = 0;
  std::size_t torn = 0;    ///< lines that a crash left unfinished
  std::size_t missed = 0;  ///< lines that a full disk kept out
  std::string digest;      ///< the last one
};

/// Looks at the file and those before it (FILE.1, …). Throws Error where the chain does not hold.
[[nodiscard]] AuditVerdict verify_audit(const std::string& path);

}  // namespace hearth::metadata
