// What runs before the deployments: containers and projects whose deployment is gone are removed.
#pragma once

#include "agent/heat_config/hooks/tools.hpp"

namespace hearth::agent {

/// 50-heat-config-docker-cmd: removes the containers of docker-cmd deployments that are no longer in the list
/// ($HEAT_SHELL_CONFIG), then gives containers the name that their label says if it is free. Exit status 0.
int clean_docker_containers(const HookWorld& world);

/// 50-heat-config-docker-compose: stops projects that are no deployment's any more, and writes the
/// docker-compose.yml of each docker-compose deployment. Exit status 1 when that fails.
int prepare_compose_projects(const HookWorld& world);

}  // namespace hearth::agent
