// Which of the addresses that would be given next are to be asked for by ARP now: each once, and again when that was
// long ago; the very next ones every few seconds, since an answer of ten minutes ago says nothing of a machine that
// came five minutes ago. So an idle server asks for two addresses of each network, and the others' quiet is kept.
#pragma once

#include <map>
#include <vector>

#include "pxe/dhcp/leases.hpp"

namespace hearth::pxe::dhcp {

class ProbePlan {
 public:
  static constexpr Seconds k_good_for_s = 600;
  static constexpr Seconds k_soonest_good_for_s = 2;

  /// Of `next`, those not asked for lately; `soonest` are the ones among them that the next machines get. What is not
  /// among `next` is forgotten.
  [[nodiscard]] std::vector<Ipv4> due(const std::vector<Ipv4>& next, const std::vector<Ipv4>& soonest, Seconds now);

 private:
  std::map<Ipv4, Seconds> asked_;
};

}  // namespace hearth::pxe::dhcp
