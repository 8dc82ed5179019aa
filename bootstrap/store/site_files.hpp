// What a seed has in files only, and whoever follows it needs alike: keys, tokens, images. The one that serves tells of
// them in the database; one that waits compares its own.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/path.hpp"

namespace hearth::bootstrap {

/// By name, below the directory: of a key or a token a mark that follows from it and tells nothing of it, of what
/// machines get its size.
[[nodiscard]] Json site_files(const fs::path& directory);

struct FileDifferences {
  std::vector<std::string> keys;    ///< without which machines and people would be refused
  std::vector<std::string> images;  ///< which machines would ask for in vain
};
/// Of what the serving one has told, what `own` lacks or has otherwise; and keys that only `own` has.
[[nodiscard]] FileDifferences differing_files(const Json& told, const Json& own);

}  // namespace hearth::bootstrap
