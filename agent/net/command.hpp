// os-net-config.
#pragma once

#include <string>
#include <vector>

namespace hearth::agent {

int os_net_config_main(const std::vector<std::string>& words);

}  // namespace hearth::agent
