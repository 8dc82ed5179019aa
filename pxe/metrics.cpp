#include "pxe/metrics.hpp"

#include <fcntl.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::pxe {

namespace {

constexpr std::uint64_t k_largest = std::uint64_t{64} << 20U;

/// A JSON string. What clients send may be no UTF-8: other bytes become "?".
std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, 500)) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c >= ' ' && c <= '~' ? c : '?');
  }
  return out + '"';
}

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

void Metrics::record(const RequestRecord& record) noexcept {
  {
    const std::lock_guard lock(mutex_);
    Sums& sums = sums_[{record.protocol, record.good}];
    ++sums.requests;
    sums.bytes += record.bytes;
    sums.seconds += seconds(record.took);
  }
  next_.record(record);
}

std::string Metrics::text() const {
  const std::lock_guard lock(mutex_);
  std::string requests = "# TYPE hearth_pxe_requests_total counter\n";
  std::string bytes = "# TYPE hearth_pxe_bytes_total counter\n";
  std::string took = "# TYPE hearth_pxe_seconds_total counter\n";
  for (const auto& [key, sums] : sums_) {
    const std::string labels = cat("{protocol=\"", key.first, "\",outcome=\"", key.second ? "good" : "bad", "\"} ");
    requests += cat("hearth_pxe_requests_total", labels, sums.requests, '\n');
    bytes += cat("hearth_pxe_bytes_total", labels, sums.bytes, '\n');
    took += cat("hearth_pxe_seconds_total", labels, fixed(sums.seconds, 3), '\n');
  }
  return requests + bytes + took;
}

std::string event_line(const RequestRecord& record, WallTime time) {
  return cat("{\"time\":", fixed(seconds(time.time_since_epoch()), 3), ",\"protocol\":", json_text(record.protocol),
             ",\"client\":", json_text(to_text(record.client)), ",\"mac\":", json_text(record.mac),
             ",\"node\":", json_text(record.node), ",\"what\":", json_text(record.what),
             ",\"outcome\":", json_text(record.outcome), ",\"good\":", record.good ? "true" : "false",
             ",\"bytes\":", record.bytes, ",\"seconds\":", fixed(seconds(record.took), 6), "}\n");
}

EventFile::EventFile(fs::path path, const Clock& clock, Logger& logger, RequestLog& next)
    : path_(std::move(path)), clock_(clock), logger_(logger), next_(next) {
  file_ = Fd::open(path_.string(), O_WRONLY | O_CREAT | O_APPEND, 0640);
  size_ = fs::file_size(path_);
}

void EventFile::write(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (size_ >= k_largest) {
    fs::rename(path_, path_.string() + ".1");
    file_ = Fd::open(path_.string(), O_WRONLY | O_CREAT | O_APPEND, 0640);
    size_ = 0;
  }
  write_all(file_, line, path_.string());
  size_ += line.size();
  broken_ = false;
}

void EventFile::record(const RequestRecord& record) noexcept {
  try {
    write(event_line(record, clock_.wall()));
  } catch (const std::exception& error) {  // a full disk must not stop a boot
    if (!broken_) logger_.error(cat("events are not kept: ", error.what()));
    broken_ = true;
  }
  next_.record(record);
}

}  // namespace hearth::pxe
