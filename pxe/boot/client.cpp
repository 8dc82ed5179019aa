#include "pxe/boot/client.hpp"

#include <array>

#include "base/hex.hpp"
#include "base/text.hpp"

namespace hearth::pxe {

namespace {

Client::Kind kind_of(const dhcp::Message& message) {
  const std::string* user_class = message.find(dhcp::option::user_class);
  // iPXE sends its name raw, without the length byte of RFC 3004; both forms are meant.
  if (user_class != nullptr && user_class->find("iPXE") != std::string::npos) return Client::Kind::ipxe;
  const std::string* class_id = message.find(dhcp::option::class_id);
  if (class_id == nullptr) return Client::Kind::other;
  if (class_id->starts_with("HTTPClient")) return Client::Kind::http;
  if (!class_id->starts_with("PXEClient")) return Client::Kind::other;
  return message.find(dhcp::option::ipxe) != nullptr ? Client::Kind::ipxe : Client::Kind::pxe;
}

std::uint16_t arch_of(const dhcp::Message& message) {
  const std::string* arch = message.find(dhcp::option::arch);
  if (arch != nullptr && arch->size() >= 2)
    return static_cast<std::uint16_t>(static_cast<unsigned char>((*arch)[0]) << 8U |
                                      static_cast<unsigned char>((*arch)[1]));
  const std::string* class_id = message.find(dhcp::option::class_id);  // "PXEClient:Arch:00007:UNDI:003000"
  const std::size_t at = class_id == nullptr ? std::string::npos : class_id->find(":Arch:");
  if (at == std::string::npos) return 0;
  return static_cast<std::uint16_t>(parse_number(class_id->substr(at + 6, 5)).value_or(0));
}

}  // namespace

Client client_of(const dhcp::Message& message) {
  Client client{.mac = message.chaddr, .kind = kind_of(message), .arch = arch_of(message)};
  if (const std::string* uuid = message.find(dhcp::option::uuid)) client.uuid = uuid_text(*uuid);
  if (const std::string* relay = message.find(dhcp::option::relay)) {
    const dhcp::Options parts = dhcp::parse_suboptions(*relay);
    const auto circuit = parts.find(1);
    if (circuit != parts.end()) client.circuit = circuit->second;
  }
  return client;
}

std::string arch_name(std::uint16_t arch) {
  const auto name = [arch]() -> std::string_view {
    switch (arch) {
      case 0: return "BIOS";
      case 6: return "UEFI IA32";
      case 7:
      case 9: return "UEFI x64";
      case 10: return "UEFI ARM32";
      case 11: return "UEFI ARM64";
      case 15: return "UEFI IA32 HTTP";
      case 16: return "UEFI x64 HTTP";
      case 19: return "UEFI ARM64 HTTP";
      case 20: return "BIOS HTTP";
      default: return "unknown";
    }
  }();
  return cat(name, " (arch ", arch, ')');
}

std::string uuid_text(std::string_view option) {
  if (option.size() != 17 || option[0] != 0) return {};
  constexpr std::array<std::size_t, 16> order{4, 3, 2, 1, 6, 5, 8, 7, 9, 10, 11, 12, 13, 14, 15, 16};
  std::string out;
  for (std::size_t at = 0; at < order.size(); ++at) {
    if (at == 4 || at == 6 || at == 8 || at == 10) out.push_back('-');
    out += to_hex(option.substr(order[at], 1));
  }
  return out;
}

}  // namespace hearth::pxe
