// How a build may reach the network, as its options say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/cli/options.hpp"
#include "base/path.hpp"

namespace hearth::builder::fetch {

enum class FetchMode {
  record,   ///< anything may be fetched, and goes into the lock
  locked,   ///< only what the lock names; fetched where the store hasn't got it, and held to its digest
  offline,  ///< only what the lock names and the store has
};

struct FetchPlan {
  std::optional<FetchMode> mode;  ///< nothing = hooks use the machine's network as it is
  fs::path lock;                  ///< absolute
  bool allow_unrecorded = false;  ///< of --record: https passes unseen, and a lock need not be complete
  std::vector<std::string>
      local{};  ///< HOST or HOST:PORT on loopback and the like that hooks may reach (local_access.hpp)
};

[[nodiscard]] const std::vector<cli::Option>& fetch_options();

/// `strict`: --offline alone cuts the network. (diskimage-builder's --offline only tells hooks not to refresh their
/// caches; there, --lock has to be given.) Throws Error(usage) for options that contradict each other.
[[nodiscard]] FetchPlan make_fetch_plan(const cli::Arguments& arguments, const fs::path& start_directory, bool strict);

}  // namespace hearth::builder::fetch
