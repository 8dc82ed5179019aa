// Why one resource of a stack is where it is: `hearth why stack NAME RESOURCE`. Pure.
#pragma once

#include <string>
#include <vector>

#include "bootstrap/why/causes/facts.hpp"
#include "bootstrap/why/causes/finding.hpp"

namespace hearth::bootstrap::why {

struct ResourceFacts {
  StackFacts running;         ///< with the resources that failed, wait or are held
  std::string path;           ///< "Compute.0.Deployment"
  Json rest = Json::array();  ///< all resources, where those above are not enough
};

/// Whether there is such a resource among these.
[[nodiscard]] bool is_known(const ResourceFacts& facts);
/// Of one that is known; never empty.
[[nodiscard]] std::vector<Finding> causes_of(const ResourceFacts& facts);

}  // namespace hearth::bootstrap::why
