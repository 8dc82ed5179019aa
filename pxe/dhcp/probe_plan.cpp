#include "pxe/dhcp/probe_plan.hpp"

#include <algorithm>
#include <utility>

namespace hearth::pxe::dhcp {

std::vector<Ipv4> ProbePlan::due(const std::vector<Ipv4>& next, const std::vector<Ipv4>& soonest, Seconds now) {
  const std::map<Ipv4, Seconds> before = std::exchange(asked_, {});
  std::vector<Ipv4> due;
  for (const Ipv4 address : next) {
    const auto known = before.find(address);
    const bool soon = std::find(soonest.begin(), soonest.end(), address) != soonest.end();
    const bool lately = known != before.end() && known->second + (soon ? k_soonest_good_for_s : k_good_for_s) > now;
    asked_[address] = lately ? known->second : now;
    if (!lately) due.push_back(address);
  }
  return due;
}

}  // namespace hearth::pxe::dhcp
