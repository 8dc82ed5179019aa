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

}  // namespace hearth::pxe
