// The `heat_local` source: the JSON files that Heat's user-data left at boot.
#pragma once

#include "agent/collect/source.hpp"

namespace hearth::agent {

/// The objects of all files in [heat_local] path that can be read, the later over the earlier, key by key.
[[nodiscard]] Collection collect_heat_local(const SourceContext& context);

}  // namespace hearth::agent
