// The `request` source: a JSON object behind a plain URL, mostly a Swift TempURL.
#pragma once

#include <optional>
#include <string>

#include "agent/collect/source.hpp"

namespace hearth::agent {

/// HEAD, whose status does not matter, then GET [request] metadata_url. Deployments are exploded.
[[nodiscard]] Collection collect_request(const SourceContext& context);

/// POSTs the report of a run to that URL where the last poll's HEAD said that reports are taken there
/// (X-Hearth-Run-Reports): a Swift, or whatever web server the URL is of, gets none. The answer's status; nothing where
/// it was not said, or the source is not configured.
[[nodiscard]] std::optional<int> post_request_report(const SourceContext& context, const std::string& report);

}  // namespace hearth::agent
