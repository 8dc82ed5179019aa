// The `heat` source: resource metadata from Heat's own API, by a Keystone password token.
#pragma once

#include <optional>
#include <string>

#include "agent/collect/source.hpp"

namespace hearth::agent {

/// GET ORCHESTRATION/stacks/STACK/resources/RESOURCE/metadata. Deployments are exploded.
[[nodiscard]] Collection collect_heat(const SourceContext& context);

/// POSTs the report of a run to ORCHESTRATION/stacks/STACK/resources/RESOURCE/run, which is ours, not Heat's. The
/// answer's status; nothing where the source is not configured.
[[nodiscard]] std::optional<int> post_heat_report(const SourceContext& context, const std::string& report);

}  // namespace hearth::agent
