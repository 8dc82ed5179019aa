// Deployments inside collected metadata become documents of their own, which override the base metadata in templates.
#pragma once

#include <string>
#include <vector>

#include "agent/collect/source.hpp"

namespace hearth::agent {

/// The whole object under `name` first, then name and config of each deployment that os-apply-config is to see: those
/// without group, or with group Heat::Ungrouped or os-apply-config. `keys` are the top-level keys that hold lists of
/// deployments. Malformed entries are warned about and passed over.
[[nodiscard]] std::vector<Collected> explode(const std::string& name, const Json& content,
                                             const std::vector<std::string>& keys, Logger& log);

}  // namespace hearth::agent
