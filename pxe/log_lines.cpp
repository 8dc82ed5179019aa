#include "pxe/log_lines.hpp"

#include "base/text.hpp"

namespace hearth::pxe {

namespace {

constexpr std::size_t k_longest = 200;

/// Text from outside: printable ASCII only.
std::string tame(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, k_longest)) out.push_back(c >= ' ' && c <= '~' ? c : '?');
  if (text.size() > k_longest) out += "...";
  return out;
}

}  // namespace

std::string log_line(const RequestRecord& record) {
  std::string line = cat(record.protocol, ' ', to_text(record.client));
  if (!record.mac.empty()) line += cat(" (", record.mac, record.node.empty() ? "" : ", ", tame(record.node), ')');
  line += cat(' ', tame(record.what), ": ", tame(record.outcome));
  if (record.bytes > 0) line += cat(", ", human_bytes(record.bytes));
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(record.took).count();
  if (record.took != Duration::zero()) line += cat(" in ", ms, " ms");
  return line;
}

void LoggedRequests::record(const RequestRecord& record) noexcept {
  logger_.log(record.good ? LogLevel::info : LogLevel::warning, log_line(record));
}

std::vector<std::string> relay_notes(const Site& site) {
  std::vector<std::string> notes;
  for (const Network& network : site.networks) {
    if (network.subnet.contains(network.server)) continue;
    notes.push_back(cat("network ", to_text(network.subnet), ": this server has no address in it, and hears of its ",
                        "machines only where a DHCP relay there asks ", to_text(network.server),
                        " (a switch's ip helper-address)"));
  }
  return notes;
}

}  // namespace hearth::pxe
