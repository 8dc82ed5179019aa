// The kernel's network interfaces, as a seam: what has them made, named and given addresses.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/deploy/init/network_wish.hpp"

namespace hearth::agent::deploy {

/// All throw Error(io) when the kernel refuses.
class Links {
 public:
  virtual ~Links() = default;
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
  /// Its MAC, of a bond's port its own; empty when there is no such interface.
  [[nodiscard]] virtual std::string mac_of(const std::string& interface) const = 0;
  virtual void set_up(const std::string& interface, bool up) = 0;
  /// One that is down.
  virtual void rename(const std::string& interface, const std::string& name) = 0;
  /// Without its ports; one that has ports already is left as it is. When an option is refused there is none.
  virtual void add_bond(const BondWish& bond) = 0;
  /// One that it has already is no error.
  virtual void add_port(const std::string& bond, const std::string& port) = 0;
  virtual void remove_bond(const std::string& bond) = 0;
  /// One that is there already is no error; another interface of that name is.
  virtual void add_vlan(const VlanWish& vlan) = 0;
  virtual void set_mac(const std::string& interface, const std::string& mac) = 0;
  virtual void set_mtu(const std::string& interface, std::uint16_t mtu) = 0;
  /// The only one of IPv4; one more of IPv6.
  virtual void set_address(const std::string& interface, const IpBytes& address, int prefix) = 0;
  /// Of IPv4 the one that there is, with its routes; one that is not there is no error.
  virtual void drop_address(const std::string& interface, const IpBytes& address, int prefix) = 0;
  /// One that is there already is no error.
  virtual void add_route(const RouteWish& route) = 0;
};

/// This machine's. Bonds and VLANs need their kernel modules.
class RealLinks final : public Links {
 public:
  [[nodiscard]] std::vector<std::string> names() const override;
  [[nodiscard]] std::string mac_of(const std::string& interface) const override;
  void set_up(const std::string& interface, bool up) override;
  void rename(const std::string& interface, const std::string& name) override;
  void add_bond(const BondWish& bond) override;
  void add_port(const std::string& bond, const std::string& port) override;
  void remove_bond(const std::string& bond) override;
  void add_vlan(const VlanWish& vlan) override;
  void set_mac(const std::string& interface, const std::string& mac) override;
  void set_mtu(const std::string& interface, std::uint16_t mtu) override;
  void set_address(const std::string& interface, const IpBytes& address, int prefix) override;
  void drop_address(const std::string& interface, const IpBytes& address, int prefix) override;
  void add_route(const RouteWish& route) override;
};

/// Gives an interface the address of a lease, in the place of the one that it had before: whoever has that next would
/// share it. Each may be empty: there was none, or the lease is over.
void move_address6(const std::string& interface, const IpBytes& before, const IpBytes& now, Links& links);

/// Makes what is wished for but addresses that somebody has to be asked for; what can't be done is told by `say`, and
/// the rest is done. Returns what of it there is now: without bonds, VLANs and words of ip= that came to nothing, and
/// with the boot interface where an ip= with an address names none. `boot_interface` is asked once all names are given.
[[nodiscard]] NetworkWish apply_wish(NetworkWish wish, const std::function<std::string()>& boot_interface, Links& links,
                                     const std::function<void(const std::string&)>& say);

}  // namespace hearth::agent::deploy
