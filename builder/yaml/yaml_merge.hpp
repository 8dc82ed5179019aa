// YAML as PyYAML reads it: yaml-cpp knows aliases, not merge keys ("<<: *defaults"), which people's files have.
// Source: https://yaml.org/type/merge.html. For .cpp files only.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

namespace hearth::builder {

/// Parses; what "<<" names is added to its mapping, and the mapping's own keys win. Throws YAML::Exception with its
/// place, for a "<<" that names no mapping too; of a bracket or quote that nothing closes the place where it was
/// opened.
[[nodiscard]] YAML::Node load_yaml(const std::string& text);

}  // namespace hearth::builder
