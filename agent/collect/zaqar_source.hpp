// The `zaqar` source: metadata that Heat puts as messages into a queue.
#pragma once

#include "agent/collect/source.hpp"

namespace hearth::agent {

/// Takes the oldest message of the queue. Deployments are exploded.
[[nodiscard]] Collection collect_zaqar(const SourceContext& context);

}  // namespace hearth::agent
