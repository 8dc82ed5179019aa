#include "agent/collect/run_report.hpp"

#include <algorithm>
#include <array>

#include "agent/collect/sources.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::size_t k_lines = 20;
constexpr std::size_t k_longest_line = 400;

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// What dib-run-parts says of a script that can't be started.
constexpr std::string_view k_not_started = " starting /";

/// dib-run-parts and our own agents say what they do; the reason is what the script says.
bool is_frame(std::string_view line) {
  const bool runs = holds(line, "dib-run-parts") && !holds(line, k_not_started);
  return trim(line).empty() || runs || holds(line, "(os-refresh-config)") || holds(line, "(os-collect-config)");
}

constexpr std::array<std::string_view, 6> k_secret_words = {"password", "passwd",  "secret",
                                                            "token",    "api_key", "apikey"};

/// "password=x", "token: x", '"secret": "x"': what stands behind the sign is covered.
std::string covered(std::string_view line) {
  const std::string lower = to_lower(line);
  std::size_t end = 0;
  for (const std::string_view word : k_secret_words) {
    for (std::size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
      const std::size_t sign = lower.find_first_of("=: ", at);
      if (sign != std::string::npos) end = end == 0 ? sign + 1 : std::min(end, sign + 1);
    }
  }
  return end == 0 ? std::string(line) : cat(line.substr(0, end), " ***");
}

/// A line for a person: no control characters, not longer than one looks at, whole characters.
std::string plain_line(const std::string& line) {
  std::string text;
  for (const char c : line) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
  text = covered(trim(text));
  if (text.size() <= k_longest_line) return text;
  std::size_t end = k_longest_line;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return cat(text.substr(0, end), "…");
}

std::vector<std::string> last_lines(const std::string& said) {
  std::vector<std::string> lines = split(said, '\n');
  std::erase_if(lines, [](const std::string& line) { return trim(line).empty(); });
  if (lines.size() > k_lines) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(k_lines));
  for (std::string& line : lines) line = plain_line(line);
  return lines;
}

std::string reason_in(const std::string& said) {
  const std::vector<std::string> lines = split(said, '\n');
  const auto last = std::find_if(lines.rbegin(), lines.rend(), [](const std::string& line) { return !is_frame(line); });
  if (last == lines.rend()) return "";
  const std::size_t start = holds(*last, "dib-run-parts") ? last->find(k_not_started) : std::string::npos;
  return plain_line(start == std::string::npos ? *last : last->substr(start + 1));
}

struct Way {
  std::string_view source;
  std::optional<int> (*post)(const SourceContext&, const std::string& report);
};
constexpr std::array<Way, 3> k_ways = {
    {{"cfn", post_cfn_report}, {"request", post_request_report}, {"heat", post_heat_report}}};

}  // namespace

std::string open_step(const std::string& said) {
  std::string open;
  for (const std::string& line : split(said, '\n')) {
    if (!holds(line, "dib-run-parts")) continue;
    const std::size_t running = line.find("Running /");
    if (running != std::string::npos) open = line.substr(line.rfind('/') + 1);
    if (!open.empty() && holds(line, cat(open, " completed"))) open.clear();
  }
  return std::string(trim(open));
}

Json report_json(const RunReport& report) {
  const bool running = report.state == RunReport::State::running;
  Json json;
  json["state"] = running ? "running" : report.status == 0 ? "ok" : "failed";
  json["seconds"] = report.seconds;
  if (!running) json["status"] = report.status;
  if (report.state == RunReport::State::ended && report.status == 0) return json;
  json["step"] = open_step(report.said);
  json["why"] = reason_in(report.said);
  json["lines"] = last_lines(report.said);
  return json;
}

void RunReporter::send(const RunReport& report) noexcept {
  for (const Way& way : k_ways) {
    if (refused_.count(way.source) > 0) continue;
    try {
      const std::optional<int> status = way.post(context_, python_json(report_json(report)));
      if (!status) continue;
      if (*status < 400 || *status >= 500 || *status == 429) return;
      refused_.insert(way.source);
      context_.log.debug(cat("The metadata server of ", way.source, " takes no reports of runs."));
    } catch (const std::exception& error) {
      context_.log.debug(cat("The run could not be reported: ", error.what()));
    }
  }
}

LongRunWatch::LongRunWatch(std::chrono::seconds first, std::function<void(std::int64_t)> act)
    : thread_([this, first, act = std::move(act)] { watch(first, act); }) {}

LongRunWatch::~LongRunWatch() {
  {
    const std::lock_guard guard(lock_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LongRunWatch::watch(std::chrono::seconds first, const std::function<void(std::int64_t)>& act) {
  std::int64_t seconds = first.count();
  std::chrono::seconds pause = first;
  std::unique_lock guard(lock_);
  while (!changed_.wait_for(guard, pause, [this] { return ending_; })) {
    guard.unlock();
    act(seconds);
    guard.lock();
    pause = std::chrono::seconds(300);
    seconds += 300;
  }
}

}  // namespace hearth::agent
