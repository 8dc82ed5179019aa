#include "bootstrap/conductor/lldp.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

constexpr int k_chassis_tlv = 1, k_port_tlv = 2;
constexpr int k_chassis_mac = 4, k_port_mac = 3;  ///< subtypes: an address (802.1AB, 8.5.2.2 and 8.5.3.2)
constexpr std::size_t k_longest = 255;

std::string bytes_of_hex(const std::string& hex) {
  constexpr std::string_view digits = "0123456789abcdef";
  if (hex.size() % 2 != 0 || hex.size() > 2 * (k_longest + 1)) return "";
  std::string bytes;
  const std::string lower = to_lower(hex);
  for (std::size_t at = 0; at < lower.size(); at += 2) {
    const std::size_t high = digits.find(lower[at]);
    const std::size_t low = digits.find(lower[at + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return "";
    bytes.push_back(static_cast<char>(high * 16 + low));
  }
  return bytes;
}

/// A TLV's value without its subtype: an address, or text.
std::string value_of(const std::string& bytes, int address_subtype) {
  if (bytes.size() < 2) return "";
  const std::string value = bytes.substr(1);
  if (bytes[0] == address_subtype) {
    pxe::Mac mac{};
    if (value.size() != mac.bytes.size()) return "";
    std::copy(value.begin(), value.end(), mac.bytes.begin());
    return pxe::to_text(mac);
  }
  const bool good = std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return good ? value : "";
}

}  // namespace

Json link_of_lldp(const Json& tlvs) {
  Json link = Json::object();
  if (!tlvs.is_array()) return link;
  for (const Json& tlv : tlvs) {
    if (!tlv.is_array() || tlv.size() != 2 || !tlv[0].is_number_integer() || !tlv[1].is_string()) continue;
    const std::string bytes = bytes_of_hex(tlv[1].get<std::string>());
    const bool chassis = tlv[0] == k_chassis_tlv;
    if (!chassis && tlv[0] != k_port_tlv) continue;
    const std::string value = value_of(bytes, chassis ? k_chassis_mac : k_port_mac);
    if (!value.empty()) link[chassis ? "switch_id" : "port_id"] = value;
  }
  return link;
}

void apply_lldp(Node& node, const Json& inspection) {
  for (const Json& card : list_member(object_member(inspection, "inventory"), "interfaces")) {
    const std::optional<pxe::Mac> mac = pxe::parse_mac(text_in(card, "mac_address"));
    const Json link = card.is_object() && card.contains("lldp") ? link_of_lldp(card["lldp"]) : Json::object();
    if (!mac || link.empty()) continue;
    for (Port& port : node.ports) {
      if (port.address == pxe::to_text(*mac) && port.local_link_connection.empty()) port.local_link_connection = link;
    }
  }
}

}  // namespace hearth::bootstrap
