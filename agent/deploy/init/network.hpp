// The network of the deploy ramdisk.
#pragma once

#include <memory>

#include "agent/deploy/ground/console.hpp"
#include "agent/deploy/ground/kernel_line.hpp"
#include "agent/deploy/hardware/inventory.hpp"
#include "agent/deploy/init/modules.hpp"
#include "agent/deploy/init/network_wish.hpp"

namespace hearth::agent::deploy {

/// Which interfaces shall ask for an address: the one that the machine booted from, or the one that the command line
/// names, else all.
[[nodiscard]] std::vector<Nic> nics_to_configure(const std::vector<Nic>& nics, const Settings& settings);

/// Which interfaces ask for addresses, and how: those that ip= names; the others (bonds, VLANs, and of the rest what
/// nics_to_configure() says, but no bond's ports) as an ip= without an interface says, or where there is no ip= at all,
/// or none that gives an address (`ip=none`): a ramdisk without one is of no use.
[[nodiscard]] std::vector<InterfaceWish> interfaces_to_ask(const std::vector<Nic>& nics, const Settings& settings,
                                                           const NetworkWish& wish);

/// Whether an ip= gives an interface an address or has it ask for one.
[[nodiscard]] bool gives_addresses(const NetworkWish& wish);

/// A server's address for those who ask it: that of a link with the interface.
[[nodiscard]] std::string server_text(const IpBytes& address, const std::string& interface);
/// The text of /etc/resolv.conf; empty without servers.
[[nodiscard]] std::string resolv_conf(const std::string& domain, const std::vector<std::string>& servers);

struct NetworkProgress;

/// The network of one ramdisk, tried until it works.
class Network {
 public:
  /// `console` must live for as long as the ramdisk.
  Network(Clock& clock, Console& console);

  /// Makes what `wish` says, brings the interfaces up and asks for addresses of both families on all of them at once,
  /// until the conductor's family has one and the other interfaces have had five seconds more; sets the clock. Where
  /// the wish leaves nobody with an address all ask. Leases are renewed, and taken by interfaces that are late, by
  /// threads that never end; another start asks only where nobody asks any more. False when nobody answered in time.
  /// What can't be done, and words that were left out, are told.
  [[nodiscard]] bool start(const NetworkWish& wish, const Settings& settings, ModuleLoader& modules);

 private:
  void ask(const InterfaceWish& wish);

  Clock& clock_;
  Console& console_;
  std::shared_ptr<NetworkProgress> progress_;
};

}  // namespace hearth::agent::deploy
