#include "metadata/live/breakpoints.hpp"

#include <fnmatch.h>

#include "base/text.hpp"

namespace hearth::metadata::live {

std::vector<std::string> hooks_of(const Json& resources, const std::string& path) {
  std::vector<const Json*> level = {&resources};
  for (const std::string& name : split(path, '.')) {
    std::vector<const Json*> below;
    for (const Json* node : level) {
      if (!node->is_object()) continue;
      for (const auto& [pattern, child] : node->items()) {
        if (child.is_object() && ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) below.push_back(&child);
      }
    }
    level = std::move(below);
  }
  std::vector<std::string> hooks;
  for (const Json* node : level) {
    const auto found = node->find("hooks");
    if (found == node->end()) continue;
    for (const Json& hook : found->is_array() ? *found : Json::array({*found})) {
      if (hook.is_string()) hooks.push_back(hook.get<std::string>());
    }
  }
  return hooks;
}

}  // namespace hearth::metadata::live
