// Templates of os-apply-config, rendered by pure functions (base/mustache.hpp has the dialect).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "agent/apply/root.hpp"
#include "base/mustache.hpp"

namespace hearth::agent {

/// Gives the text of partial `name`; nothing when there is none (it renders as nothing).
using PartialLoader = std::function<std::optional<std::string>(const std::string& name)>;

/// A variable that was to be inserted and is not in the metadata, or null. It renders as nothing.
struct MissingKey {
  std::string name;
  std::string partial;  ///< the partial that names it; empty = the template itself
  std::size_t line;
};
using MissingReport = std::function<void(const MissingKey&)>;

/// Throws Error(input) when a partial does not parse or partials nest deeper than 100 levels. `missing`, where given,
/// is told of each variable without a value; sections ask whether there is one, and are not.
[[nodiscard]] std::string render_mustache(const MustacheTemplate& parsed, const MetadataRoot& root,
                                          const PartialLoader& partials, const MissingReport& missing = {});

}  // namespace hearth::agent
