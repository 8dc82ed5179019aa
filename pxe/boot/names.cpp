#include "pxe/boot/names.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace hearth::pxe {

namespace {

std::string_view last_part(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

/// 8-4-4-4-12 with the bytes of the first three fields turned round.
std::string wire_order(const std::string& uuid) {
  if (uuid.size() != 36) return {};
  const auto turned = [&](std::size_t at, std::size_t size) {
    std::string out;
    for (std::size_t i = size; i >= 2; i -= 2) out += uuid.substr(at + i - 2, 2);
    return out;
  };
  return cat(turned(0, 8), '-', turned(9, 4), '-', turned(14, 4), uuid.substr(18));
}

/// Eight hexadecimal digits as an address: C0000207.
std::optional<Ipv4> hex_address(std::string_view text) {
  if (text.size() != 8) return std::nullopt;
  Ipv4 address;
  for (const char c : to_lower(text)) {
    const std::size_t digit = std::string_view("0123456789abcdef").find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    address.value = address.value << 4U | static_cast<std::uint32_t>(digit);
  }
  return address;
}

/// "MAC,uuid=UUID,serial=SERIAL"; the serial number may be anything.
std::optional<Identity> parse_told(const std::string& text) {
  const std::size_t uuid = text.find(",uuid=");
  const std::size_t serial = text.find(",serial=");
  if (uuid == std::string::npos || serial == std::string::npos || serial < uuid) return std::nullopt;
  const std::optional<Mac> mac = parse_mac(text.substr(0, uuid));
  if (!mac) return std::nullopt;
  return Identity{.mac = *mac,
                  .uuid = text.substr(uuid + 6, serial - uuid - 6),
                  .serial = std::string(trim(text.substr(serial + 8)))};
}

}  // namespace

std::optional<ComputedName> computed_name(std::string_view name) {
  using Kind = ComputedName::Kind;
  const std::string_view last = last_part(name);
  if (name.starts_with("ipxe/")) return ComputedName{Kind::ipxe, std::string(name.substr(5))};
  if (last == "autoexec.ipxe") return ComputedName{Kind::ipxe, ""};
  const std::size_t folder = name.rfind("pxelinux.cfg/");
  if (folder != std::string_view::npos) return ComputedName{Kind::pxelinux, last == "default" ? "" : std::string(last)};
  if (last == "grub.cfg") return ComputedName{Kind::grub, ""};
  if (last.starts_with("grub.cfg-")) return ComputedName{Kind::grub, std::string(last.substr(9))};
  return std::nullopt;
}

Identified identify(const NodeBook& nodes, const std::string& identity) {
  if (const std::optional<Identity> told = parse_told(identity)) return {nodes.find(*told), told->mac, true, true};
  const auto of_node = [&](const Identity& who) {
    NodeRef node = nodes.find(who);
    const Mac mac = node != nullptr && !node->macs.empty() ? node->macs.front() : Mac{};
    return Identified{node, mac, node != nullptr};
  };
  std::string plain = identity;
  if (plain.size() == 20 && plain.starts_with("01-")) plain = replace_all(plain.substr(3), "-", ":");
  if (const std::optional<Mac> mac = parse_mac(plain)) return {nodes.find({.mac = *mac}), *mac, true};
  for (const std::string& uuid : {identity, wire_order(identity)}) {
    if (Identified found = of_node({.uuid = uuid}); found.known) return found;
  }
  if (const std::optional<Ipv4> address = hex_address(identity)) return of_node({.address = *address});
  if (const std::optional<Ipv4> address = parse_ipv4(identity)) return of_node({.address = *address});
  return of_node({.serial = identity});
}

}  // namespace hearth::pxe
