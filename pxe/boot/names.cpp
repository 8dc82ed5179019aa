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

Identified identify(const Site& site, const std::string& identity) {
  const auto of_node = [](const Node* node) {
    return Identified{node, node != nullptr && !node->macs.empty() ? node->macs.front() : Mac{}, node != nullptr};
  };
  std::string plain = identity;
  if (plain.size() == 20 && plain.starts_with("01-")) plain = replace_all(plain.substr(3), "-", ":");
  if (const std::optional<Mac> mac = parse_mac(plain)) return {site.find(*mac), *mac, true};
  if (const Node* node = site.find_uuid(identity)) return of_node(node);
  if (const Node* node = site.find_uuid(wire_order(identity))) return of_node(node);
  if (const std::optional<Ipv4> address = hex_address(identity)) return of_node(site.find_address(*address));
  if (const std::optional<Ipv4> address = parse_ipv4(identity)) return of_node(site.find_address(*address));
  return of_node(site.find_serial(identity));
}

}  // namespace hearth::pxe
