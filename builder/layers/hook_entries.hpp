// What the merged hooks hold, as a step sees it that only lists a directory or goes through a link: neither opens the
// entry itself, so no watch tells of it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "builder/plan/hook_tree.hpp"

namespace hearth::builder {

/// Of a phase or environment.d: most edits are of these, which count by their contents where they are run.
[[nodiscard]] bool is_of_scripts(const std::string& directory);

/// What lies at a path of the merged hooks, a link itself; empty for a directory of all elements.
[[nodiscard]] fs::path hook_entry(const HookTree& hooks, const std::string& path);

/// What `ls -l` tells of it: of a file mode and size, of a link its text.
[[nodiscard]] std::string look_of_entry(const fs::path& entry);

/// What `test` tells of it (-x, -s, -L): of nearly all files nothing.
[[nodiscard]] std::string told_of_entry(const fs::path& entry);
[[nodiscard]] bool is_link(const fs::path& path);

struct HookLink {
  std::string text;
  std::string to;  ///< a path among the hooks; empty where it leads elsewhere, nowhere, or to another link
};

/// All links among the hooks, but scripts, by their paths there; `names` tells what a directory holds.
[[nodiscard]] std::map<std::string, HookLink> links_among(
    const HookTree& hooks, const std::function<std::vector<std::string>(const std::string&)>& names);

}  // namespace hearth::builder
