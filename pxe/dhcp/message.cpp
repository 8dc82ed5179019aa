#include "pxe/dhcp/message.hpp"

#include <algorithm>

#include "base/byte_order.hpp"
#include "base/text.hpp"
#include "pxe/net/frame.hpp"

namespace hearth::pxe::dhcp {

namespace {

constexpr std::string_view k_cookie = "\x63\x82\x53\x63";
constexpr std::size_t k_sname_at = 44, k_sname = 64, k_file_at = 108, k_file = 128, k_cookie_at = 236;
constexpr std::size_t k_least = 300;
constexpr std::uint8_t k_pad = 0, k_end = 255;

std::uint8_t byte_at(std::string_view bytes, std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); }

/// Adds the options of one field; parts of the same option are joined in their order (RFC 3396 section 7).
void add_options(Options& options, std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::uint8_t code = byte_at(bytes, at++);
    if (code == k_pad) continue;
    if (code == k_end || at == bytes.size()) return;
    const std::size_t size = byte_at(bytes, at++);
    if (size > bytes.size() - at) return;
    options[code].append(bytes.substr(at, size));
    at += size;
  }
}

std::string text_field(std::string_view bytes) { return std::string(bytes.substr(0, bytes.find('\0'))); }

void append_option(std::string& out, std::uint8_t code, std::string_view value) {
  do {
    const std::string_view part = value.substr(0, 255);
    out.push_back(static_cast<char>(code));
    out.push_back(static_cast<char>(part.size()));
    out.append(part);
    value.remove_prefix(part.size());
  } while (!value.empty());
}

std::size_t written_size(std::string_view value) {
  return value.size() + 2 * std::max<std::size_t>(1, (value.size() + 254) / 255);
}

/// The smaller, the more a client needs it.
int rank(std::uint8_t code) {
  using namespace option;
  constexpr std::array<std::uint8_t, 14> needed{type,      server, lease_time, mask, router,      relay, class_id,
                                                boot_file, uuid,   vendor,     ipxe, tftp_server, dns,   client_id};
  return static_cast<int>(std::find(needed.begin(), needed.end(), code) - needed.begin());
}

/// The codes that fit into `room` bytes, in the order in which they are written.
std::vector<std::uint8_t> fitting(const Options& options, std::size_t room) {
  std::vector<std::uint8_t> codes;
  for (const auto& [code, value] : options) codes.push_back(code);
  std::stable_sort(codes.begin(), codes.end(), [](auto a, auto b) { return rank(a) < rank(b); });
  std::size_t used = 1;  // the end option
  const auto too_much = [&](std::uint8_t code) {
    const std::size_t size = written_size(options.at(code));
    if (used + size > room) return true;
    used += size;
    return false;
  };
  codes.erase(std::remove_if(codes.begin(), codes.end(), too_much), codes.end());
  const auto place = [](std::uint8_t code) { return code == option::type ? 0 : code == option::relay ? 2 : 1; };
  std::stable_sort(codes.begin(), codes.end(), [&](auto a, auto b) { return place(a) < place(b); });
  return codes;
}

std::string fixed_part(const Message& message) {
  std::string out;
  out.push_back(static_cast<char>(message.op));
  out.push_back(static_cast<char>(message.hardware));
  out.push_back(6);
  out.push_back(static_cast<char>(message.hops));
  out += big_endian(message.xid, 4) + big_endian(message.secs, 2) + big_endian(message.flags, 2);
  for (const Ipv4 address : {message.ciaddr, message.yiaddr, message.siaddr, message.giaddr})
    out += big_endian(address.value, 4);
  out.append(reinterpret_cast<const char*>(message.chaddr.bytes.data()), message.chaddr.bytes.size());
  out.append(10, '\0');
  std::string sname = message.sname.substr(0, k_sname - 1);
  std::string file = message.file.substr(0, k_file - 1);
  sname.resize(k_sname);
  file.resize(k_file);
  return out + sname + file;
}

/// One name as length-prefixed labels (RFC 1035 section 3.1); empty when it can't be one.
std::string labels(std::string_view name) {
  if (name.ends_with('.')) name.remove_suffix(1);
  std::string out;
  for (const std::string& label : split(name, '.')) {
    if (label.empty() || label.size() > 63) return {};
    out.push_back(static_cast<char>(label.size()));
    out += label;
  }
  out.push_back('\0');
  return out.size() > 255 ? std::string() : out;
}

}  // namespace

std::string_view type_name(Type type) {
  constexpr std::array<std::string_view, 9> names{"BOOTP", "DISCOVER", "OFFER",   "REQUEST", "DECLINE",
                                                  "ACK",   "NAK",      "RELEASE", "INFORM"};
  return names[static_cast<std::size_t>(type)];
}

Type Message::type() const {
  const std::string* value = find(option::type);
  if (value == nullptr || value->size() != 1 || byte_at(*value, 0) > 8) return Type::none;
  return static_cast<Type>(byte_at(*value, 0));
}

const std::string* Message::find(std::uint8_t code) const {
  const auto found = options.find(code);
  return found == options.end() ? nullptr : &found->second;
}

std::optional<Ipv4> Message::address(std::uint8_t code) const {
  const std::string* value = find(code);
  if (value == nullptr || value->size() != 4) return std::nullopt;
  return Ipv4{get_be<std::uint32_t>(*value, 0)};
}

void Message::set_address(std::uint8_t code, Ipv4 address) { set(code, big_endian(address.value, 4)); }

void Message::set_addresses(std::uint8_t code, const std::vector<Ipv4>& addresses) {
  std::string value;
  for (const Ipv4 address : addresses) value += big_endian(address.value, 4);
  if (!value.empty()) set(code, value);
}

void Message::set_number(std::uint8_t code, std::uint32_t number) { set(code, big_endian(number, 4)); }
void Message::set_byte(std::uint8_t code, std::uint8_t byte) { set(code, std::string(1, static_cast<char>(byte))); }

Result<Message, std::string> parse_message(std::string_view bytes) {
  if (bytes.size() < k_cookie_at + k_cookie.size()) return cat("only ", bytes.size(), " bytes");
  if (byte_at(bytes, 0) != 1 && byte_at(bytes, 0) != 2) return cat("op is ", byte_at(bytes, 0));
  if (byte_at(bytes, 2) != 6) return cat("hardware addresses of ", byte_at(bytes, 2), " bytes");
  if (bytes.substr(k_cookie_at, k_cookie.size()) != k_cookie) return std::string("no magic cookie");
  Message message;
  message.op = byte_at(bytes, 0);
  message.hardware = byte_at(bytes, 1);
  message.hops = byte_at(bytes, 3);
  message.xid = get_be<std::uint32_t>(bytes, 4);
  message.secs = get_be<std::uint16_t>(bytes, 8);
  message.flags = get_be<std::uint16_t>(bytes, 10);
  message.ciaddr.value = get_be<std::uint32_t>(bytes, 12);
  message.yiaddr.value = get_be<std::uint32_t>(bytes, 16);
  message.siaddr.value = get_be<std::uint32_t>(bytes, 20);
  message.giaddr.value = get_be<std::uint32_t>(bytes, 24);
  std::copy_n(bytes.begin() + 28, 6, message.chaddr.bytes.begin());
  add_options(message.options, bytes.substr(k_cookie_at + k_cookie.size()));
  const std::string* overload = message.find(option::overload);
  const unsigned used = overload != nullptr && overload->size() == 1 ? byte_at(*overload, 0) : 0U;
  // RFC 3396 section 5: first the options field, then file, then sname.
  if ((used & 1U) != 0) add_options(message.options, bytes.substr(k_file_at, k_file));
  if ((used & 2U) != 0) add_options(message.options, bytes.substr(k_sname_at, k_sname));
  if ((used & 1U) == 0) message.file = text_field(bytes.substr(k_file_at, k_file));
  if ((used & 2U) == 0) message.sname = text_field(bytes.substr(k_sname_at, k_sname));
  message.options.erase(option::overload);
  return message;
}

std::string write_message(const Message& message, std::size_t limit) {
  std::string out = fixed_part(message);
  out += k_cookie;
  for (const std::uint8_t code : fitting(message.options, limit - std::min(limit, out.size())))
    append_option(out, code, message.options.at(code));
  out.push_back(static_cast<char>(k_end));
  if (out.size() < k_least) out.resize(k_least);
  return out;
}

std::size_t answer_limit(const Message& request) {
  constexpr std::size_t least = 548, most = 1472, heads = 28;
  const std::string* value = request.find(option::max_size);
  if (value == nullptr || value->size() != 2) return least;
  const std::size_t asked = get_be<std::uint16_t>(*value, 0);
  return std::clamp(asked < heads ? least : asked - heads, least, most);
}

Options parse_suboptions(std::string_view bytes) {
  Options options;
  add_options(options, bytes);
  return options;
}

std::string write_suboptions(const Options& options, bool with_end) {
  std::string out;
  for (const auto& [code, value] : options) append_option(out, code, value);
  if (with_end) out.push_back(static_cast<char>(k_end));
  return out;
}

std::string search_list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += labels(name);
  return out;
}

}  // namespace hearth::pxe::dhcp
