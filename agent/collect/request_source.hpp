// The `request` source: a JSON object behind a plain URL, mostly a Swift TempURL.
#pragma once

#include "agent/collect/source.hpp"

namespace hearth::agent {

/// HEAD, whose status does not matter, then GET [request] metadata_url. Deployments are exploded.
[[nodiscard]] Collection collect_request(const SourceContext& context);

}  // namespace hearth::agent
