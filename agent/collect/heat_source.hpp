// The `heat` source: resource metadata from Heat's own API, by a Keystone password token.
#pragma once

#include "agent/collect/source.hpp"

namespace hearth::agent {

/// GET ORCHESTRATION/stacks/STACK/resources/RESOURCE/metadata. Deployments are exploded.
[[nodiscard]] Collection collect_heat(const SourceContext& context);

}  // namespace hearth::agent
