// The folders of rehearsals, for whoever is beside one: what marks them, and where in them the seed's state is.
#pragma once

#include <ctime>
#include <optional>
#include <vector>

#include "base/path.hpp"

namespace hearth::bootstrap {

/// In the folder; locked as long as the rehearsal runs.
constexpr const char* k_rehearsal_lock = "rehearsal.lock";

struct RehearsalPlace {
  fs::path folder;
  bool runs = false;        ///< else it has ended, and left what it left
  std::time_t changed = 0;  ///< when something in the folder came or went last: unix seconds
};

/// The state of its conductor; that of the stack engine is in it, as with every conductor.
[[nodiscard]] fs::path rehearsed_state(const fs::path& folder);
/// The folder itself, where it is one, and those in it, by name.
[[nodiscard]] std::vector<RehearsalPlace> rehearsals_at(const fs::path& folder);
/// Whose conductor keeps its state there; nothing where that is no rehearsal's.
[[nodiscard]] std::optional<RehearsalPlace> rehearsal_of(const fs::path& state);

}  // namespace hearth::bootstrap
