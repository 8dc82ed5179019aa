// DHCP messages: RFC 2131 section 2 (format), RFC 2132 (options), RFC 3396 (long options, over several fields),
// RFC 3046 (relay agents). Pure.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "pxe/net/address.hpp"

namespace hearth::pxe::dhcp {

enum class Type : std::uint8_t { none, discover, offer, request, decline, ack, nak, release, inform };
[[nodiscard]] std::string_view type_name(Type type);

/// Option codes that boot needs (RFC 2132; 4578 for 93 to 97; 3397 for 119; 5859 for 150; 175 is iPXE's).
namespace option {
enum : std::uint8_t {
  mask = 1,
  router = 3,
  dns = 6,
  hostname = 12,
  domain = 15,
  mtu = 26,
  broadcast = 28,
  ntp = 42,
  vendor = 43,
  requested_address = 50,
  lease_time = 51,
  overload = 52,
  type = 53,
  server = 54,
  parameters = 55,
  message = 56,
  max_size = 57,
  renewal = 58,
  rebinding = 59,
  class_id = 60,
  client_id = 61,
  tftp_server = 66,
  boot_file = 67,
  user_class = 77,
  relay = 82,
  arch = 93,
  undi = 94,
  uuid = 97,
  subnet = 118,
  search = 119,
  tftp_address = 150,
  ipxe = 175
};
}  // namespace option

/// Options by code, each whole. The pad and end options are not among them.
using Options = std::map<std::uint8_t, std::string>;

struct Message {
  std::uint8_t op = 1;  ///< 1 request, 2 reply
  std::uint8_t hardware = 1;
  std::uint8_t hops = 0;
  std::uint32_t xid = 0;
  std::uint16_t secs = 0;
  std::uint16_t flags = 0;  ///< 0x8000: answer by broadcast
  Ipv4 ciaddr, yiaddr, siaddr, giaddr;
  Mac chaddr;
  std::string sname;  ///< empty where options stand in its place
  std::string file;
  Options options;

  [[nodiscard]] Type type() const;
  [[nodiscard]] const std::string* find(std::uint8_t code) const;
  [[nodiscard]] std::optional<Ipv4> address(std::uint8_t code) const;
  void set(std::uint8_t code, std::string value) { options[code] = std::move(value); }
  void set_address(std::uint8_t code, Ipv4 address);
  void set_addresses(std::uint8_t code, const std::vector<Ipv4>& addresses);
  void set_number(std::uint8_t code, std::uint32_t number);
  void set_byte(std::uint8_t code, std::uint8_t byte);
};

/// The error is a reason for the log. Options may stand in `file` and `sname`, too (option 52), but an option 52 there
/// opens nothing more. Options that are cut off end the list.
[[nodiscard]] Result<Message, std::string> parse_message(std::string_view bytes);

/// At least 300 bytes, as BOOTP relays expect; at most `limit`: options that don't fit are left out, the least needed
/// first. Option 53 comes first, 82 last (RFC 3046 section 2.2).
[[nodiscard]] std::string write_message(const Message& message, std::size_t limit);

/// How large an answer this client takes, without IP and UDP heads: option 57, at least 548 (RFC 2131 section 2).
[[nodiscard]] std::size_t answer_limit(const Message& request);

/// The sub-options of options 43, 82 and 175.
[[nodiscard]] Options parse_suboptions(std::string_view bytes);
[[nodiscard]] std::string write_suboptions(const Options& options, bool with_end);

/// Names as option 119 has them (RFC 3397), uncompressed. Names that are none are left out.
[[nodiscard]] std::string search_list(const std::vector<std::string>& names);

}  // namespace hearth::pxe::dhcp
