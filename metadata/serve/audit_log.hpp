// The audit log: one JSON line for each answered request but those that cost nothing (304), without secrets.
#pragma once

#include "base/clock.hpp"
#include "base/net/http_server.hpp"
#include "base/sys/fd.hpp"

namespace hearth::metadata {

class AuditLog final : public AccessLog {
 public:
  /// Appends to the file (mode 0640). Throws Error when it can't be opened.
  AuditLog(const std::string& path, const Clock& clock);
  void record(const AccessRecord& record) noexcept override;

 private:
  Fd file_;
  const Clock& clock_;
};

/// The line, without its end.
[[nodiscard]] std::string audit_line(const AccessRecord& record, std::int64_t unix_seconds);

}  // namespace hearth::metadata
