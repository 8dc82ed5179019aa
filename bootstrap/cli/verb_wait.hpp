// What `--wait` of the verbs does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bootstrap/client/conductor_client.hpp"

namespace hearth::bootstrap {

/// Waits for nodes that are on their way to the state, and says how they are: until each is there (it goes to `well`)
/// or will not be (why goes to `failures`), or for so many seconds (0: for ever). Throws Error where a signal ends it.
void wait_for(ConductorClient& conductor, std::vector<std::string> ids, const std::string& state, std::uint64_t seconds,
              std::vector<std::string>& well, std::vector<std::string>& failures);

}  // namespace hearth::bootstrap
