// How a value came about: value ← function ← parameter ← file or command line. It is read from the expressions once
// more, so that values carry nothing for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "metadata/compile/request.hpp"

namespace hearth::metadata {

struct Origin {
  std::string what;              ///< "get_param who", "parameter_defaults", "the template"
  std::string place{};           ///< "env.yaml:2:6", "-P who"; empty where it stands nowhere
  std::optional<Value> value{};  ///< of a function; nothing where it waits or can't be told
  std::vector<Origin> from{};
};

/// Of what `keys` name inside a resource's properties: {"input_values", "who"}; items of lists by name or number.
[[nodiscard]] Origin property_origin(const Sources& sources, Resource& resource, const std::vector<std::string>& keys);
/// Of what `keys` name inside its metadata.
[[nodiscard]] Origin metadata_origin(const Sources& sources, Resource& resource, const std::vector<std::string>& keys);
/// Places at which nothing stands that something else stands behind.
[[nodiscard]] std::vector<std::string> first_places(const Origin& origin);
/// A line each, indented by what they stand behind.
[[nodiscard]] std::vector<std::string> origin_lines(const Origin& origin);
[[nodiscard]] Value origin_document(const Origin& origin);

}  // namespace hearth::metadata
