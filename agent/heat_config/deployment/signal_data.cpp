#include "agent/heat_config/deployment/signal_data.hpp"

#include <algorithm>

#include "agent/heat_config/deployment/deployment.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::agent {

namespace {

constexpr int k_signal_data_cannot_start = 127;
constexpr int k_timed_out = 124;
constexpr int k_silent = 1;
/// Of what is no answer: a signal takes no more.
constexpr std::size_t k_kept_garbage = std::size_t{1} << 20U;

std::optional<Json> object_in(std::string_view text) {
  const Result<Json> parsed = parse_python_json(text, "answer");
  if (!parsed || !parsed->is_object()) return std::nullopt;
  return *parsed;
}

/// A hook's answer: all of its stdout, or, when a tool it ran printed into that first, its last line.
std::optional<Json> answer_in(const std::string& out) {
  if (std::optional<Json> whole = object_in(out)) return whole;
  const std::string_view text = trim(out);
  const std::size_t line = text.rfind('\n');
  if (line == std::string_view::npos) return std::nullopt;
  std::optional<Json> last = object_in(text.substr(line + 1));
  const bool is_answer = last && find_member(*last, "deploy_status_code") != nullptr;
  return is_answer ? last : std::nullopt;
}

bool reports_success(const Json& answer) {
  const Json* status = find_member(answer, "deploy_status_code");
  return status == nullptr || status->is_null() || python_text(*status) == "0";
}

/// A failed hook may not report success in its answer.
Json with_status(Json answer, int status, const std::string& err) {
  if (status == 0 || !reports_success(answer)) return answer;
  answer["deploy_status_code"] = status;
  if (text_member(answer, "deploy_stderr").empty()) answer["deploy_stderr"] = err;
  return answer;
}

std::string timeout_note(const std::string& hook) {
  return cat("The hook ", hook, " was stopped: it ran out of time.");
}

}  // namespace

std::string last_part(std::string_view text, std::size_t size) {
  std::size_t at = text.size() - std::min(size, text.size());
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U) ++at;
  return std::string(text.substr(at));
}

int json_status(const ExitStatus& status) {
  if (const auto* exited = std::get_if<Exited>(&status)) return exited->code;
  if (const auto* signaled = std::get_if<Signaled>(&status)) return -signaled->signal;
  return k_timed_out;
}

Json plain_answer(const std::string& out, const std::string& err, int status) {
  return {{"deploy_stdout", out}, {"deploy_stderr", err}, {"deploy_status_code", status}};
}

Json signal_data(const HookOutcome& outcome, bool config_is_empty) {
  if (outcome.error) return plain_answer("", *outcome.error, k_signal_data_cannot_start);
  const std::string out = replace_invalid_utf8(outcome.result.out);
  std::string err = replace_invalid_utf8(outcome.result.err);
  const int status = json_status(outcome.result.status);
  if (std::holds_alternative<TimedOut>(outcome.result.status)) err += timeout_note(outcome.hook);
  if (std::optional<Json> answer = answer_in(out)) return with_status(std::move(*answer), status, err);
  if (out.empty() && status == 0) {
    if (config_is_empty) return Json::object();
    return plain_answer("", cat("The hook ", outcome.hook, " ended without an answer.\n", err), k_silent);
  }
  return plain_answer(last_part(out, k_kept_garbage), last_part(err, k_kept_garbage), status);
}

}  // namespace hearth::agent
