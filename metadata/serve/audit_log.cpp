#include "metadata/serve/audit_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/json.hpp"
#include "base/text.hpp"

namespace hearth::metadata {

std::string audit_line(const AccessRecord& record, std::int64_t unix_seconds) {
  Json line = Json::object();
  line["time"] = unix_seconds;
  line["listener"] = record.listener;
  line["peer"] = record.request.peer;
  line["method"] = record.request.method;
  line["target"] = without_secrets(record.request.target);
  line["status"] = record.status;
  line["bytes"] = record.bytes;
  line["microseconds"] = std::chrono::duration_cast<std::chrono::microseconds>(record.took).count();
  return format_json(line, {.ascii = true, .lossy = true});
}

AuditLog::AuditLog(const std::string& path, const Clock& clock)
    : file_(Fd::open(path, O_WRONLY | O_APPEND | O_CREAT, 0640)), clock_(clock) {}

void AuditLog::record(const AccessRecord& record) noexcept {
  if (record.status == 304) return;
  try {
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(clock_.wall().time_since_epoch()).count();
    const std::string line = cat(audit_line(record, now), "\n");
    (void)!::write(file_.get(), line.data(), line.size());  // a full disk must not end the service
  } catch (const std::exception&) {                         // nor must a lack of memory
  }
}

}  // namespace hearth::metadata
