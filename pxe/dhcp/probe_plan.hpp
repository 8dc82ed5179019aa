// Which of the addresses that would be given next are to be asked for by ARP now: each once, and again when that was
// long ago. So an idle server is silent.
#pragma once

#include <map>
#include <vector>

#include "pxe/dhcp/leases.hpp"

namespace hearth::pxe::dhcp {

class ProbePlan {
 public:
  static constexpr Seconds k_good_for_s = 600;

  /// Of `next`, those not asked for lately. What is not among `next` is forgotten.
  [[nodiscard]] std::vector<Ipv4> due(const std::vector<Ipv4>& next, Seconds now);

 private:
  std::map<Ipv4, Seconds> asked_;
};

}  // namespace hearth::pxe::dhcp
