// The site as the boot servers see it: networks, machines, and what each is to boot. A value, read from one JSON file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "pxe/dhcp/leases.hpp"
#include "pxe/net/address.hpp"

namespace hearth::pxe {

/// What a machine is to do when it boots from the network.
enum class BootState { local, deploy, inspect, rescue, hold };
[[nodiscard]] std::string_view state_name(BootState state);
/// Our own words, and Ironic's provision states: "wait call-back" is deploy, "active" is local.
[[nodiscard]] std::optional<BootState> parse_state(std::string_view text);

struct Node {
  std::string name;
  std::vector<Mac> macs;
  std::string uuid;     ///< lower case; empty = unknown
  std::string serial;   ///< empty = unknown
  std::string circuit;  ///< what the relay says of its port (option 82.1); empty = unknown
  std::optional<Ipv4> address;
  BootState state = BootState::local;
  bool secure_boot = false;  ///< UEFI: signed shim and GRUB in place of iPXE
  bool pxelinux = false;     ///< BIOS: PXELINUX by TFTP in place of iPXE
  std::string append;        ///< further words for the kernel's command line
};

/// A kernel and its ramdisk, as files of this machine.
struct Profile {
  std::string kernel;
  std::string ramdisk;
  std::string append;
};

struct Network {
  Subnet subnet;
  Ipv4 server;  ///< our address on it, or the one by which its relay reaches us
  std::vector<dhcp::AddressRange> pools;
  std::vector<Ipv4> routers, dns, ntp;
  std::string domain;
  std::vector<std::string> search;
  std::uint32_t lease_s = 3600;
  std::uint16_t mtu = 0;  ///< 0 = not told
};

/// What a machine gets that is in no inventory.
enum class UnknownPolicy { local, inspect, ignore };
enum class Mode { full, proxy };

struct Site {
  Mode mode = Mode::full;
  std::vector<std::string> interfaces;
  std::vector<Network> networks;
  std::vector<Node> nodes;
  std::map<BootState, Profile> profiles;  ///< of deploy, inspect, rescue
  UnknownPolicy unknown = UnknownPolicy::local;
  std::string root;       ///< further files to serve; empty = none
  std::string state_dir;  ///< for leases
  std::uint16_t http_port = 80;
  std::uint16_t tftp_port = 69;
  std::vector<Ipv4> allowed_servers;  ///< other DHCP servers that are meant to be there

  [[nodiscard]] const Node* find(const Mac& mac) const;
  [[nodiscard]] const Node* find_uuid(std::string_view uuid) const;
  [[nodiscard]] const Node* find_serial(std::string_view serial) const;
  [[nodiscard]] const Node* find_circuit(std::string_view circuit) const;
  [[nodiscard]] const Node* find_address(Ipv4 address) const;
  [[nodiscard]] const Network* network_of(Ipv4 address) const;
  /// The addresses that belong to nodes, and our own.
  [[nodiscard]] std::set<Ipv4> reserved() const;
};

/// All that is wrong is told, a line each ("nodes[3].mac: …").
[[nodiscard]] Result<Site> parse_site(std::string_view text, std::string_view source);

}  // namespace hearth::pxe
