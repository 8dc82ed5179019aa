#include "metadata/live/breakpoints.hpp"

#include <fnmatch.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

constexpr std::size_t k_most_patterns = 300;

bool is_pattern(const std::string& name) { return name.find_first_of("*?[\\") != std::string::npos; }

}  // namespace

Breakpoints::Breakpoints(const Json& resources) : top_(read(resources)) {}

std::unique_ptr<Breakpoints::Level> Breakpoints::read(const Json& node) {
  auto level = std::make_unique<Level>();
  for (const auto& [name, child] : node.items()) {
    if (name == "hooks") {
      for (const Json& hook : child.is_array() ? child : Json::array({child})) {
        if (hook.is_string()) level->hooks.push_back(hook.get<std::string>());
      }
    }
    if (!child.is_object()) continue;
    if (is_pattern(name) && ++patterns_ > k_most_patterns) {
      throw Error(ErrorKind::input,
                  cat("more than ", k_most_patterns, " names with wildcards below resources in the resource_registry"))
          .hint("a pattern that is shorter says the same for many resources");
    }
    (is_pattern(name) ? level->patterns : level->named)[name] = read(child);
  }
  return level;
}

std::vector<std::string> Breakpoints::hooks_of(const std::string& path) const {
  std::vector<const Level*> levels = {top_.get()};
  for (const std::string& name : split(path, '.')) {
    std::vector<const Level*> below;
    for (const Level* level : levels) {
      const auto named = level->named.find(name);
      if (named != level->named.end()) below.push_back(named->second.get());
      for (const auto& [pattern, child] : level->patterns) {
        if (::fnmatch(pattern.c_str(), name.c_str(), 0) == 0) below.push_back(child.get());
      }
    }
    levels = std::move(below);
  }
  std::vector<std::string> hooks;
  for (const Level* level : levels) hooks.insert(hooks.end(), level->hooks.begin(), level->hooks.end());
  return hooks;
}

}  // namespace hearth::metadata::live
