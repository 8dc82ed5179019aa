// Counters of what the boot servers did, in Prometheus' text format, and the record of each request as a JSON line.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/log.hpp"
#include "base/path.hpp"
#include "base/sys/fd.hpp"
#include "pxe/serve/request_log.hpp"

namespace hearth::pxe {

/// Counts records, then hands them on. Called from several threads.
class Metrics final : public RequestLog {
 public:
  explicit Metrics(RequestLog& next) : next_(next) {}
  void record(const RequestRecord& record) noexcept override;
  /// hearth_pxe_requests_total{protocol="tftp",outcome="good"} …, bytes and seconds likewise.
  [[nodiscard]] std::string text() const;

 private:
  struct Sums {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;
    double seconds = 0;
  };
  RequestLog& next_;
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, bool>, Sums> sums_;  ///< by protocol and whether it went well
};

/// {"time":1700000000.123,"protocol":"tftp","client":"192.0.2.7","mac":…,"what":…,"outcome":…,"good":true,…}
[[nodiscard]] std::string event_line(const RequestRecord& record, WallTime time);

/// Appends each record to a file, which is started anew when it has grown to 64 MiB (one older one is kept), then hands
/// it on. Called from several threads.
class EventFile final : public RequestLog {
 public:
  EventFile(fs::path path, const Clock& clock, Logger& logger, RequestLog& next);
  void record(const RequestRecord& record) noexcept override;

 private:
  void write(const std::string& line);

  const fs::path path_;
  const Clock& clock_;
  Logger& logger_;
  RequestLog& next_;
  std::mutex mutex_;
  Fd file_;
  std::uint64_t size_ = 0;
  bool broken_ = false;  ///< said once
};

}  // namespace hearth::pxe
