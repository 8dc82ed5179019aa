// What the boot servers log: request records, and networks of which they may hear nothing.
#pragma once

#include <string>
#include <vector>

#include "base/log.hpp"
#include "pxe/boot/site.hpp"
#include "pxe/serve/request_log.hpp"

namespace hearth::pxe {

/// "tftp 192.0.2.7 pxelinux.0: done, 42.0 KiB in 12 ms"; what the client sent is made printable and cut.
[[nodiscard]] std::string log_line(const RequestRecord& record);

/// A line for each network in which this server has no address: what has to be there for it to hear anything of it.
[[nodiscard]] std::vector<std::string> relay_notes(const Site& site);

/// Writes each record to a Logger: failures as warnings.
class LoggedRequests final : public RequestLog {
 public:
  explicit LoggedRequests(Logger& logger) : logger_(logger) {}
  void record(const RequestRecord& record) noexcept override;

 private:
  Logger& logger_;
};

}  // namespace hearth::pxe
