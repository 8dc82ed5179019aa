#include "agent/net/device.hpp"

#include <algorithm>

#include "agent/net/address.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

std::string Address::text() const { return cat(ip, "/", prefix); }

std::string Address::netmask() const { return v6 ? std::to_string(prefix) : dotted_netmask(prefix); }

bool Route::v6() const { return (on_link() ? destination : next_hop).find(':') != std::string::npos; }

bool Device::has_addresses(bool v6) const {
  return std::any_of(addresses.begin(), addresses.end(), [v6](const Address& address) { return address.v6 == v6; });
}

bool Device::is_ovs() const {
  return kind == Kind::ovs_bridge || kind == Kind::ovs_user_bridge || kind == Kind::ovs_bond ||
         kind == Kind::ovs_tunnel || kind == Kind::ovs_patch_port;
}

bool Device::is_virtual() const {
  return (kind == Kind::vlan && ovs_bridge.empty()) || kind == Kind::linux_bridge || kind == Kind::linux_bond ||
         kind == Kind::ib_child || kind == Kind::linux_tap;
}

const Device* Network::find(const std::string& name) const {
  const auto found =
      std::find_if(devices.begin(), devices.end(), [&name](const Device& device) { return device.name == name; });
  return found == devices.end() ? nullptr : &*found;
}

}  // namespace hearth::agent::net
