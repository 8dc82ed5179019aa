// heat-config-rebuild-deployed: for a machine that has lost its record of what has run (older images kept it in
// /var/run). All deployments that it knows of are marked as run.
#pragma once

#include "agent/heat_config/hooks/tools.hpp"

namespace hearth::agent {

/// Makes an empty <deployed>/<id>.json for each deployment in os-apply-config's metadata whose group has a hook and
/// that has none yet. Exit status 1 when the metadata can't be read.
int rebuild_deployed(const HookWorld& world);

}  // namespace hearth::agent
