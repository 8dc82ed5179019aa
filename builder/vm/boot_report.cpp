#include "builder/vm/boot_report.hpp"

#include <algorithm>

#include "base/cli/junit.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace hearth::builder::vm {

namespace {

double seconds_of(Duration duration) { return std::chrono::duration<double>(duration).count(); }

const char* name_of(Verdict::Outcome outcome) {
  switch (outcome) {
    case Verdict::Outcome::passed: return "passed";
    case Verdict::Outcome::failed: return "failed";
    case Verdict::Outcome::unanswered: return "unanswered";
    case Verdict::Outcome::skipped: return "skipped";
  }
  return "";
}

cli::JunitCase::Outcome junit_outcome(Verdict::Outcome outcome) {
  using Outcome = cli::JunitCase::Outcome;
  switch (outcome) {
    case Verdict::Outcome::passed: return Outcome::passed;
    case Verdict::Outcome::failed: return Outcome::failed;
    case Verdict::Outcome::unanswered: return Outcome::error;
    case Verdict::Outcome::skipped: return Outcome::skipped;
  }
  return Outcome::error;
}

/// Before a check's name.
const char* mark_of(const Verdict& verdict) {
  if (verdict.outcome == Verdict::Outcome::unanswered) return "NO ANSWER  ";
  return verdict.failed() ? "FAILED  " : "";
}

std::string seconds_text(Duration duration) { return fixed(seconds_of(duration), 1); }

/// What a machine says makes no line of the report.
std::string indented(const std::string& said) { return replace_all(said, "\n", "\n        | "); }

/// The machine came up and told what is wrong: its console has nothing to add.
bool has_answered(const BootReport& report) {
  return report.is_all_seen && std::any_of(report.checked.begin(), report.checked.end(), [](const Checked& each) {
           return each.verdict.outcome == Verdict::Outcome::passed;
         });
}

}  // namespace

int BootReport::exit_code() const {
  constexpr int k_check_failed = 3;
  constexpr int k_no_sign = 4;
  if (passed) return 0;
  return is_all_seen && gave_sign ? k_check_failed : k_no_sign;
}

std::string BootReport::text() const {
  std::string out;
  for (const Seen& each : seen) out += cat("  ", seconds_text(each.after), " s  ", trim(each.line), "\n");
  for (const auto& [verdict, after] : checked) {
    out += cat("  ", seconds_text(after), " s  ", mark_of(verdict), one_line(verdict.name),
               verdict.told.empty() ? "" : cat(": ", indented(verdict.told)), "\n");
  }
  if (passed) return cat(out, "passed after ", seconds_text(took), " s\n");
  const bool is_silent = is_all_seen && !gave_sign;
  const bool is_by_check = is_all_seen && gave_sign && !missing.empty();
  out += cat("failed after ", seconds_text(took), " s: ", is_silent ? "the machine gave no sign of life: " : "",
             is_by_check ? cat(one_line(missing), ": ") : "", indented(reason), "\n");
  if (is_out_of_time) out += "  --timeout SECONDS gives it longer\n";
  if (!is_all_seen) out += cat("  not seen: ", one_line(missing), "\n");
  for (const auto& [verdict, after] : checked) {
    if (verdict.outcome == Verdict::Outcome::failed && verdict.name != missing)
      out += cat("  failed, too: ", one_line(verdict.name), "\n");
  }
  if (has_answered(*this)) return out;
  out += "  last lines of the console:\n";
  for (const std::string& line : last_lines) out += cat("    ", line, "\n");
  return out;
}

Json BootReport::json() const {
  Json signs = Json::array();
  for (const Seen& sign : seen)
    signs.push_back({{"expected", sign.expected}, {"line", sign.line}, {"seconds", seconds_of(sign.after)}});
  Json checks = Json::array();
  for (const auto& [verdict, after] : checked) {
    checks.push_back({{"check", verdict.name},
                      {"result", name_of(verdict.outcome)},
                      {"told", verdict.told},
                      {"seconds", seconds_of(after)}});
  }
  return {
      {"passed", passed},       {"seen", std::move(signs)}, {"checked", std::move(checks)}, {"missing", missing},
      {"gave_sign", gave_sign}, {"reason", reason},         {"seconds", seconds_of(took)},  {"last_lines", last_lines}};
}

std::string BootReport::junit(const std::string& suite) const {
  using Outcome = cli::JunitCase::Outcome;
  std::vector<cli::JunitCase> cases;
  const std::string console = join(last_lines, "\n");  // services show each case by itself
  Duration before{};                                   // services add the times up
  const auto since = [&](Duration after) {
    const Duration own = std::max(after - before, Duration::zero());
    before = std::max(before, after);
    return seconds_of(own);
  };
  for (const Seen& sign : seen) {
    cases.push_back({cat("console ", sign.expected), since(sign.after), Outcome::passed, "", "", "", ""});
  }
  if (!is_all_seen) {
    cases.push_back({cat("console ", missing), since(took), gave_sign ? Outcome::failed : Outcome::error, "console",
                     reason, reason, console});
  }
  for (const auto& [verdict, after] : checked) {
    cases.push_back({verdict.name, since(after), junit_outcome(verdict.outcome), "check", verdict.told, verdict.told,
                     verdict.failed() ? console : ""});
  }
  return cli::junit_xml(suite, cases, seconds_of(took));
}

}  // namespace hearth::builder::vm
