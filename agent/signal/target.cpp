#include "agent/signal/target.hpp"

#include <array>

#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::array<const char*, 2> k_trimmed = {"deploy_stdout", "deploy_stderr"};

KeystoneCredentials credentials_of(const Json& deployment) {
  return {input_text(deployment, "deploy_auth_url"), input_text(deployment, "deploy_user_id"),
          input_text(deployment, "deploy_password"), input_text(deployment, "deploy_project_id")};
}

std::size_t length_of(const Json& data, const char* name) {
  const Json* text = find_member(data, name);
  return text != nullptr && text->is_string() ? text->get_ref<const std::string&>().size() : 0;
}

/// Cuts at least `count` bytes from the left, never inside a character.
void cut_left(std::string& text, std::size_t count) {
  std::size_t at = std::min(count, text.size());
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U) ++at;
  text.erase(0, at);
}

}  // namespace

std::string input_text(const Json& deployment, const std::string& name) {
  std::string text;
  for (const Json& input : list_member(deployment, "inputs")) {
    const Json* input_name = find_member(input, "name");
    const Json* value = find_member(input, "value");
    if (input_name == nullptr || *input_name != name) continue;
    text = value == nullptr || value->is_null() ? "" : python_text(*value);
  }
  return text;
}

std::vector<SignalTarget> signal_targets(const Json& deployment) {
  std::vector<SignalTarget> targets;
  const std::string url = input_text(deployment, "deploy_signal_id");
  if (!url.empty()) {
    targets.emplace_back(UrlSignal{url, input_text(deployment, "deploy_signal_verb") == "PUT" ? "PUT" : "POST"});
  }
  const std::string region = input_text(deployment, "deploy_region_name");
  const std::string queue = input_text(deployment, "deploy_queue_id");
  if (!queue.empty()) {
    targets.emplace_back(ZaqarSignal{credentials_of(deployment), region, queue});
  } else if (!input_text(deployment, "deploy_auth_url").empty()) {
    targets.emplace_back(HeatSignal{credentials_of(deployment), region, input_text(deployment, "deploy_stack_id"),
                                    input_text(deployment, "deploy_resource_name")});
  }
  return targets;
}

std::string signal_body(Json data, std::size_t limit) {
  std::string body = python_json(data);
  while (body.size() > limit) {
    const std::size_t excess = body.size() - limit;
    std::size_t total = 0;  // in bytes of the body: one of a text may be six there (\u00e9)
    for (const char* name : k_trimmed) total += length_of(data, name) > 0 ? python_json(data[name]).size() : 0;
    if (total == 0) return body;  // what is too long are the outputs: those can't be cut
    for (const char* name : k_trimmed) {
      const std::size_t length = length_of(data, name);
      if (length > 0) cut_left(data[name].get_ref<std::string&>(), excess * length / total + 1);
    }
    body = python_json(data);
  }
  return body;
}

}  // namespace hearth::agent
