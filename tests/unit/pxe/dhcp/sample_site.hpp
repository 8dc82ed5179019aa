// A small site and the messages of its machines, for the tests of the engine and its parts.
#pragma once

#include "pxe/boot/site.hpp"
#include "pxe/dhcp/engine.hpp"

namespace hearth::pxe::dhcp {

inline Ipv4 ip(const char* text) { return parse_ipv4(text).value(); }
inline Mac mac(std::uint8_t last) { return {{0x52, 0x54, 0, 0, 0, last}}; }

/// One network on our link, one behind a relay; node 1 has an address of its own and deploys, node 2 is local.
inline Site sample_site() {
  Site site;
  site.interfaces = {"eth0"};
  Network own{.subnet = parse_subnet("192.0.2.0/24").value(), .server = ip("192.0.2.1")};
  own.pools = {{ip("192.0.2.100"), ip("192.0.2.102")}};
  own.routers = {ip("192.0.2.254")};
  own.domain = "example.org";
  Network far{.subnet = parse_subnet("198.51.100.0/24").value(), .server = ip("192.0.2.1")};
  far.pools = {{ip("198.51.100.10"), ip("198.51.100.20")}};
  site.networks = {own, far};
  Node one{.id = "1", .name = "one", .macs = {mac(1)}, .uuid = "12345678-1234-1234-1234-123456789abc"};
  one.address = ip("192.0.2.50");
  one.state = BootState::deploy;
  Node two{.id = "2", .name = "two", .macs = {mac(2)}};
  two.circuit = "port7";
  site.nodes = {one, two};
  site.profiles[BootState::deploy] = {"/boot/vmlinuz", "/boot/ramdisk", "console=ttyS0"};
  return site;
}

inline Message from_client(Type type, const Mac& who) {
  Message message{.xid = 7};
  message.chaddr = who;
  message.set_byte(option::type, static_cast<std::uint8_t>(type));
  return message;
}

inline Message pxe_discover(const Mac& who, std::uint16_t arch) {
  Message message = from_client(Type::discover, who);
  message.set(option::class_id, "PXEClient:Arch:00000:UNDI:002001");
  message.set(option::arch, {static_cast<char>(arch >> 8U), static_cast<char>(arch & 255U)});
  return message;
}

inline Arrival on_link() { return {{{}, 68}, ip("192.0.2.1"), false}; }

}  // namespace hearth::pxe::dhcp
