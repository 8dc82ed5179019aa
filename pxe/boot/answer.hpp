// What a machine is told to boot, and why: from the site and the kind of its firmware. Pure.
#pragma once

#include <string>

#include "pxe/boot/client.hpp"
#include "pxe/boot/node_table.hpp"
#include "pxe/boot/site.hpp"

namespace hearth::pxe {

/// What a machine is to do now.
struct BootPlan {
  NodeRef node;  ///< null: it is in no inventory
  BootState state = BootState::local;
  bool ignored = false;    ///< gets no answer at all
  bool undecided = false;  ///< its serial number may make it a node: it gets iPXE, which tells that
  std::string reason;      ///< "node web1 is in state deploy", for people
};

/// By MAC, else UUID, else the relay's circuit.
[[nodiscard]] NodeRef find_node(const NodeBook& nodes, const Client& client);
[[nodiscard]] BootPlan plan_for(const Site& site, NodeRef found);
/// That of a machine which asks by DHCP.
[[nodiscard]] BootPlan plan_for(const Site& site, const NodeBook& nodes, const Client& client);

/// What the DHCP answer says of the boot. All empty: boot from disk.
struct BootOffer {
  std::string file;         ///< a TFTP name, or a URL
  bool by_http = false;     ///< `file` is a URL
  std::string explanation;  ///< "iPXE by TFTP, as BIOS"
};
[[nodiscard]] BootOffer boot_offer(const Site& site, const BootPlan& plan, const Client& client, Ipv4 server);

/// "http://192.0.2.1:8080", without the port where that is 80.
[[nodiscard]] std::string http_base(const Site& site, Ipv4 server);

/// The three kinds of configuration that boot loaders ask for. `mac` may be zero where it isn't known.
[[nodiscard]] std::string ipxe_script(const Site& site, const BootPlan& plan, const Mac& mac, Ipv4 server);
/// For a machine that no node is found for: it asks again, with its UUID and serial number.
[[nodiscard]] std::string ipxe_identify(const Site& site, Ipv4 server);
[[nodiscard]] std::string pxelinux_config(const Site& site, const BootPlan& plan, Ipv4 server);
[[nodiscard]] std::string grub_config(const Site& site, const BootPlan& plan, Ipv4 server);

}  // namespace hearth::pxe
