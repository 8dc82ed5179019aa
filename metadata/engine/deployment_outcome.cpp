#include "metadata/engine/deployment_outcome.hpp"

#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

std::string plain_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? "None" : format_json(value, {.lossy = true});
}

bool is_success(const Json& code) {
  const std::string text = code.is_null() ? "" : plain_text(code);
  return text.empty() || text == "0";
}

/// The value of `key` under either of its two names.
Json either(const Json& signal, const char* ours, const char* aws) {
  const auto found = signal.find(ours);
  if (found != signal.end()) return *found;
  const auto other = signal.find(aws);
  return other == signal.end() ? Json() : *other;
}

bool only_keys(const Json& signal, const std::vector<std::string>& allowed) {
  for (const auto& [key, value] : signal.items()) {
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end()) return false;
  }
  return true;
}

}  // namespace

DeploymentOutcome deployment_outcome(const Json& outputs, const Json& signal) {
  DeploymentOutcome outcome;
  outcome.output_values = Json::object();
  std::vector<std::string> reasons;
  outcome.note = "failed";
  const auto code = signal.find("deploy_status_code");
  if (code != signal.end() && !is_success(*code)) {
    reasons.push_back(cat("deploy_status_code : Deployment exited with non-zero status code: ", plain_text(*code)));
    outcome.note = cat("failed (", plain_text(*code), ")");
  }
  for (const Json& output : outputs) {
    const std::string name = output.value("name", "");
    const auto found = signal.find(name);
    if (found == signal.end()) continue;
    outcome.output_values[name] = *found;
    if (output.value("error_output", false)) reasons.push_back(cat(name, " : ", plain_text(*found)));
  }
  for (const char* name : {"deploy_stdout", "deploy_stderr", "deploy_status_code"}) {
    const auto found = signal.find(name);
    outcome.output_values[name] = found == signal.end() ? Json() : *found;
  }
  outcome.failed = !reasons.empty();
  outcome.reason = outcome.failed ? join(reasons, ", ") : "Outputs received";
  if (!outcome.failed) outcome.note = "succeeded";
  return outcome;
}

std::optional<WaitSignal> parse_wait_signal(const Json& signal, std::size_t number) {
  if (!signal.is_object()) return std::nullopt;
  if (!only_keys(signal, {"status", "reason", "data", "id"}) &&
      !only_keys(signal, {"Status", "Reason", "Data", "UniqueId"})) {
    return std::nullopt;
  }
  WaitSignal out{std::to_string(number), "SUCCESS", cat("Signal ", number, " received"), Json()};
  if (const Json id = either(signal, "id", "UniqueId"); !id.is_null()) out.id = plain_text(id);
  if (const Json status = either(signal, "status", "Status"); !status.is_null()) out.status = plain_text(status);
  if (const Json reason = either(signal, "reason", "Reason"); !reason.is_null()) out.reason = plain_text(reason);
  out.data = either(signal, "data", "Data");
  if (out.status != "SUCCESS" && out.status != "FAILURE") return std::nullopt;
  return out;
}

}  // namespace hearth::metadata::live
