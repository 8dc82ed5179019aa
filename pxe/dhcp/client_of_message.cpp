#include "pxe/dhcp/client_of_message.hpp"

#include "base/text.hpp"

namespace hearth::pxe::dhcp {
namespace {

Client::Kind kind_of(const Message& message) {
  const std::string* user_class = message.find(option::user_class);
  // iPXE sends its name raw, without the length byte of RFC 3004; both forms are meant.
  if (user_class != nullptr && user_class->find("iPXE") != std::string::npos) return Client::Kind::ipxe;
  const std::string* class_id = message.find(option::class_id);
  if (class_id == nullptr) return Client::Kind::other;
  if (class_id->starts_with("HTTPClient")) return Client::Kind::http;
  if (!class_id->starts_with("PXEClient")) return Client::Kind::other;
  return message.find(option::ipxe) != nullptr ? Client::Kind::ipxe : Client::Kind::pxe;
}

std::uint16_t arch_of(const Message& message) {
  const std::string* arch = message.find(option::arch);
  if (arch != nullptr && arch->size() >= 2)
    return static_cast<std::uint16_t>(static_cast<unsigned char>((*arch)[0]) << 8U |
                                      static_cast<unsigned char>((*arch)[1]));
  const std::string* class_id = message.find(option::class_id);  // "PXEClient:Arch:00007:UNDI:003000"
  const std::size_t at = class_id == nullptr ? std::string::npos : class_id->find(":Arch:");
  if (at == std::string::npos) return 0;
  return static_cast<std::uint16_t>(parse_number(class_id->substr(at + 6, 5)).value_or(0));
}

}  // namespace

Client client_of(const Message& message) {
  Client client{.mac = message.chaddr, .kind = kind_of(message), .arch = arch_of(message)};
  if (const std::string* uuid = message.find(option::uuid)) client.uuid = uuid_text(*uuid);
  if (const std::string* relay = message.find(option::relay)) {
    const Options parts = parse_suboptions(*relay);
    const auto circuit = parts.find(1);
    if (circuit != parts.end()) client.circuit = circuit->second;
  }
  return client;
}

}  // namespace hearth::pxe::dhcp
