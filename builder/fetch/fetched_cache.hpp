// What recorded and replayed builds fetched, as a whole: listed, checked and pruned by `hearth cache`. Locks need these
// objects where there is no network, so nothing is taken away unasked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/path.hpp"

namespace hearth::builder::fetch {

struct FetchedObject {
  std::string sha256;
  std::uint64_t bytes = 0;
  std::int64_t last_used = 0;  ///< seconds since the epoch
  std::string url;             ///< where it came from last; empty when that is not known any more
};

/// All of the store in `directory`, those used longest ago first.
[[nodiscard]] std::vector<FetchedObject> list_fetched(const fs::path& directory);
/// Digests of objects that are not what their names say; they are removed.
[[nodiscard]] std::vector<std::string> verify_fetched(const fs::path& directory);
/// Removes those used longest ago until at most `limit` bytes are left; returns their digests. Throws Error(io) while a
/// build uses the store.
[[nodiscard]] std::vector<std::string> prune_fetched(const fs::path& directory, std::uint64_t limit);

}  // namespace hearth::builder::fetch
