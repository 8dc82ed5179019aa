// Request records as log lines.
#pragma once

#include <string>

#include "base/log.hpp"
#include "pxe/serve/request_log.hpp"

namespace hearth::pxe {

/// "tftp 192.0.2.7 pxelinux.0: done, 42.0 KiB in 12 ms"; what the client sent is made printable and cut.
[[nodiscard]] std::string log_line(const RequestRecord& record);

/// Writes each record to a Logger: failures as warnings.
class LoggedRequests final : public RequestLog {
 public:
  explicit LoggedRequests(Logger& logger) : logger_(logger) {}
  void record(const RequestRecord& record) noexcept override;

 private:
  Logger& logger_;
};

}  // namespace hearth::pxe
