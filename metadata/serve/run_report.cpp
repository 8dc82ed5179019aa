#include "metadata/serve/run_report.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::metadata {

namespace {

constexpr std::size_t k_longest = 500;
constexpr std::size_t k_most_lines = 20;

std::int64_t count_in(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_integer()) return 0;
  constexpr std::int64_t k_year = 366LL * 24 * 3600;
  return std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, k_year);
}

/// It is shown on terminals: no control characters, of which Unicode has some, too; and cut between characters only.
std::string short_text(const Json& value) {
  if (!value.is_string()) return "";
  const std::string whole = value.get<std::string>();
  std::string_view rest = whole;
  std::string text;
  while (!rest.empty()) {
    const DecodedCharacter next = decode_utf8(rest);
    if (text.size() + next.length > k_longest) break;
    const bool is_control = next.value < 0x20 || (next.value >= 0x7F && next.value < 0xA0);
    text += is_control ? std::string_view(" ") : rest.substr(0, next.length);
    rest.remove_prefix(next.length);
  }
  return text;
}

std::string where_and_why(const RunReport& report) {
  return cat(report.step.empty() ? "" : cat(" in ", report.step), " (exit code ", report.status, ", after ",
             report.seconds, " s)", report.why.empty() ? "" : cat(": ", report.why));
}

}  // namespace

std::optional<RunReport> read_run_report(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const std::string state = short_text(member_or_null(json, "state"));
  RunReport report;
  if (state == "ok")
    report.state = RunReport::State::ok;
  else if (state == "failed")
    report.state = RunReport::State::failed;
  else if (state != "running")
    return std::nullopt;
  report.status = count_in(json, "status");
  report.seconds = count_in(json, "seconds");
  report.step = short_text(member_or_null(json, "step"));
  report.why = short_text(member_or_null(json, "why"));
  const auto lines = json.find("lines");
  if (lines == json.end() || !lines->is_array()) return report;
  for (const Json& line : *lines) {
    if (report.lines.size() < k_most_lines) report.lines.push_back(short_text(line));
  }
  return report;
}

std::string report_text(const RunReport& report, std::int64_t now) {
  const std::int64_t ago = report.at == 0 ? 0 : std::max<std::int64_t>(now - report.at, 0);
  const std::string why = report.why.empty() ? "" : cat(": ", report.why);
  switch (report.state) {
    case RunReport::State::running:
      return cat("a run of its hooks goes on for ", report.seconds + ago, " s",
                 report.step.empty() ? "" : cat(", in ", report.step), why);
    case RunReport::State::ok: return cat("its last run went well, ", ago, " s ago");
    case RunReport::State::failed: break;
  }
  return cat("its last run failed ", ago, " s ago", where_and_why(report));
}

std::string failure_of(const std::string& server, const RunReport& report) {
  return cat(server, "'s last run failed", where_and_why(report));
}

std::string last_known(const std::string& server, std::int64_t polled, const std::optional<RunReport>& report,
                       std::int64_t now) {
  if (polled == 0) {
    return cat(server,
               " has not asked for its metadata since this service started: its machine does not run, or has no "
               "agent, network or DNS, or another clock or certificate (hearth-agent doctor says which, hearth node "
               "boot-log what "
               "the network saw of it)");
  }
  return cat(server, " last asked ", std::max<std::int64_t>(now - polled, 0), " s ago",
             report ? cat("; ", report_text(*report, now)) : "");
}

}  // namespace hearth::metadata
