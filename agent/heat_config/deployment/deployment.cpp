#include "agent/heat_config/deployment/deployment.hpp"

#include <algorithm>

#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

/// Shorter values would mask half of every text ("1", "no").
constexpr std::size_t k_shortest_secret = 4;

bool holds_action(const Json& part, const std::string& action) {
  const Json* actions = find_member(part, "actions");
  return actions != nullptr && actions->is_array() &&
         std::find(actions->begin(), actions->end(), Json(action)) != actions->end();
}

const Json* value_of_input(const Json& deployment, const std::string& name) {
  for (const Json& input : list_member(deployment, "inputs")) {
    if (text_member(input, "name") == name) return find_member(input, "value");
  }
  return nullptr;
}

}  // namespace

Json with_text_inputs(Json deployment) {
  const Json* inputs = find_member(deployment, "inputs");
  if (inputs == nullptr || !inputs->is_array()) return deployment;
  for (Json& input : deployment["inputs"]) {
    const Json* value = find_member(input, "value");
    if (value == nullptr || value->is_string() || text_member(input, "type") != "String") continue;
    input["value"] = python_text(*value);
  }
  return deployment;
}

std::optional<Json> resolve_component(Json deployment) {
  if (text_member(deployment, "group") != "component") return deployment;
  const Json* action = value_of_input(deployment, "deploy_action");
  const Json* config = find_member(deployment, "config");
  const Json* parts = config == nullptr ? nullptr : find_member(*config, "configs");
  if (action == nullptr || !action->is_string() || parts == nullptr || !parts->is_array()) return std::nullopt;
  for (const Json& part : *parts) {
    if (!holds_action(part, action->get<std::string>())) continue;
    const Json* part_config = find_member(part, "config");
    Json chosen = part_config == nullptr ? Json("") : *part_config;
    deployment["group"] = text_member(part, "tool");
    deployment["config"] = std::move(chosen);
    return deployment;
  }
  return std::nullopt;
}

std::string hook_name(const std::string& group) {
  std::string name;
  for (const char c : group) {
    const bool kept =
        (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    if (kept) name.push_back(c);
  }
  return name;
}

bool is_hookless_group(const std::string& group) {
  return group.empty() || group == "os-apply-config" || group == "Heat::Ungrouped";
}

bool is_safe_id(const std::string& id) {
  return !id.empty() && id.front() != '.' && id.find('/') == std::string::npos && id.find('\0') == std::string::npos;
}

SecretMask::SecretMask(const Json& deployment) {
  const Json* inputs = find_member(deployment, "inputs");
  if (inputs == nullptr || !inputs->is_array()) return;
  for (const Json& input : *inputs) {
    const Json* value = find_member(input, "value");
    if (value == nullptr || value->is_null() || !is_secret_name(text_member(input, "name"))) continue;
    const std::string text = value->is_string() ? value->get<std::string>() : python_json(*value);
    for (std::string& line : split_lines(text)) {
      if (line.size() >= k_shortest_secret) secrets_.push_back(std::move(line));
    }
  }
  std::sort(secrets_.begin(), secrets_.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
}

std::string SecretMask::apply(std::string text) const {
  for (const std::string& secret : secrets_) text = replace_all(std::move(text), secret, "***");
  return text;
}

bool SecretMask::is_secret_name(const std::string& name) {
  const std::string lower = to_lower(name);
  for (const char* word : {"pass", "pw", "secret", "token", "key", "cred", "cert", "private", "deploy_signal_id"}) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return false;
}

void MaskingLogger::log(LogLevel level, std::string_view text) noexcept {
  try {
    log_.log(level, mask_.apply(std::string(text)));
  } catch (...) {  // out of memory: the line is lost, the work goes on
  }
}

}  // namespace hearth::agent
