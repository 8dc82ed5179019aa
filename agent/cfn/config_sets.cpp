#include "agent/cfn/config_sets.hpp"

#include "agent/value/value.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr int k_deepest = 32;

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::input, message); }

void expand(const Json& sets, const Json& list, int depth, std::vector<std::string>& sections) {
  if (depth > k_deepest) refuse("the configSets refer to each other in a circle");
  if (list.is_string()) {
    sections.push_back(list.get<std::string>());
    return;
  }
  for (const Json& item : list) {
    if (item.is_string()) {
      sections.push_back(item.get<std::string>());
      continue;
    }
    const std::string name = text_member(item, "ConfigSet");
    if (name.empty() || item.size() != 1) refuse("invalid ConfigSets metadata");
    const Json* referenced = find_member(sets, name);
    if (referenced == nullptr) refuse(cat("Undefined ConfigSet '", name, "' referenced"));
    expand(sets, *referenced, depth + 1, sections);
  }
}

}  // namespace

std::vector<std::string> sections_to_apply(const Json& init, const std::string& selected) {
  const Json* sets = find_member(init, "configSets");
  if (!is_set(sets)) {
    if (!selected.empty()) refuse("Template has no configSets");
    return {"config"};
  }
  if (selected.empty() && find_member(*sets, "default") == nullptr) {
    refuse("Template has no default configSet, must specify");
  }
  std::vector<std::string> sections;
  for (const std::string& word : split(selected.empty() ? "default" : selected, ',')) {
    const std::string name(trim(word));
    const Json* set = find_member(*sets, name);
    if (set == nullptr) refuse(cat("Requested configSet '", name, "' not in configSets section"));
    expand(*sets, *set, 0, sections);
  }
  if (sections.empty()) refuse(cat("Requested configSet ", selected, " empty?"));
  return sections;
}

}  // namespace hearth::agent
