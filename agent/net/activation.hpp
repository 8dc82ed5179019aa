// Starting and stopping units: the commands of each provider, as values.
#pragma once

#include <string>
#include <vector>

#include "agent/net/change_plan.hpp"

namespace hearth::agent::net {

struct Step {
  std::vector<std::string> argv;
  bool must = true;     ///< a failure is an error
  std::string only_if;  ///< run only while this network device exists; empty = always
};

/// Before the files change: what is to be restarted or is to go is taken down, upper devices first.
[[nodiscard]] std::vector<Step> stop_steps(const ChangePlan& plan, Provider provider, const std::string& root);

/// After the files changed: in start order.
[[nodiscard]] std::vector<Step> start_steps(const ChangePlan& plan, Provider provider, const std::string& root);

}  // namespace hearth::agent::net
