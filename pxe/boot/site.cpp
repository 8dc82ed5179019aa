#include "pxe/boot/site.hpp"

#include <algorithm>

namespace hearth::pxe {

const Network* Site::network_of(Ipv4 address) const {
  const auto found = std::find_if(networks.begin(), networks.end(),
                                  [&](const Network& network) { return network.subnet.contains(address); });
  return found == networks.end() ? nullptr : &*found;
}

bool Site::is_own(Ipv4 address) const {
  return std::any_of(networks.begin(), networks.end(), [&](const Network& network) {
    return address == network.server || address == network.subnet.network || address == network.subnet.broadcast();
  });
}

std::string reload_fault(const Site& now, const Site& next) {
  if (now.mode == next.mode) return {};
  return "\"mode\" can't change while the server runs: leases are kept, and other servers looked for, from the start "
         "on; "
         "start it again";
}

}  // namespace hearth::pxe
