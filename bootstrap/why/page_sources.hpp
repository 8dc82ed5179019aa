// What `hearth why page` measures: the conductor's smallest answer, what it tells of itself, how its process is, and
// how long the disk of its state takes to keep something.
#pragma once

#include "base/cli/options.hpp"
#include "bootstrap/client/conductor_client.hpp"
#include "bootstrap/why/page_causes.hpp"

namespace hearth::bootstrap::why {

/// Within nine seconds, whatever hangs.
[[nodiscard]] PageFacts page_facts(ConductorClient& conductor, const cli::Arguments& arguments);

}  // namespace hearth::bootstrap::why
