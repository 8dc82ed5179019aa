// Where a hook that fails says it did: programs name the merged copy that they run, the caller knows his element's
// file.
#pragma once

#include <string>
#include <vector>

#include "builder/plan/hook_tree.hpp"

namespace hearth::builder {

/// The line with "elements/web/install.d/50-web:6:" in the place of "DIRECTORY/install.d/50-web: line 6:" of bash, or
/// of the mere path, where one of `merged` is DIRECTORY. Below `start` paths are told from there.
[[nodiscard]] std::string with_elements_places(std::string line, const HookTree& hooks,
                                               const std::vector<std::string>& merged, const fs::path& start);

}  // namespace hearth::builder
