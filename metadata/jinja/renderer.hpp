// Renders Jinja templates as TripleO's process-templates and tripleo-common do: Jinja2's defaults, no autoescape, names
// that are not set print as nothing. Limits: 16 MB of output, 200,000 turns of loops, includes ten deep.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "metadata/model/mark.hpp"
#include "metadata/model/value.hpp"

namespace hearth::metadata::jinja {

/// A template by the name in `include`, and the name under which its errors are reported; nothing when there is none.
using Loader = std::function<std::optional<std::pair<std::string, std::string>>(const std::string& name)>;

struct RenderRequest {
  std::string text{};
  std::string name{};  ///< as errors name it
  std::vector<std::pair<std::string, Value>> variables{};
  Loader load{};
};

/// Throws Fault; `sources` names its marks.
[[nodiscard]] std::string render(const RenderRequest& request, Sources& sources);

}  // namespace hearth::metadata::jinja
