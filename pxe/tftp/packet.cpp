#include "pxe/tftp/packet.hpp"

#include <algorithm>

#include "base/byte_order.hpp"
#include "base/text.hpp"

namespace hearth::pxe::tftp {

namespace {

enum Opcode : std::uint16_t { k_read = 1, k_write = 2, k_data = 3, k_ack = 4, k_error = 5, k_oack = 6 };

std::string head(std::uint16_t opcode) { return big_endian(opcode, 2); }

/// The next NUL-terminated text, taken from the front of `rest`.
std::optional<std::string> take_text(std::string_view& rest) {
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  std::string text(rest.substr(0, end));
  rest.remove_prefix(end + 1);
  return text;
}

std::optional<Packet> parse_request(bool write, std::string_view rest) {
  Request request{.write = write};
  const std::optional<std::string> name = take_text(rest);
  const std::optional<std::string> mode = name ? take_text(rest) : std::nullopt;
  if (!mode) return std::nullopt;
  request.name = *name;
  request.mode = to_lower(*mode);
  while (std::optional<std::string> option = take_text(rest)) {
    const std::optional<std::string> value = take_text(rest);
    if (!value) break;
    const std::string lower = to_lower(*option);
    const auto same = [&](const auto& known) { return known.first == lower; };
    if (std::none_of(request.options.begin(), request.options.end(), same)) request.options.emplace_back(lower, *value);
  }
  return request;
}

}  // namespace

std::optional<Packet> parse_packet(std::string_view bytes) {
  if (bytes.size() < 4) return std::nullopt;
  const std::uint16_t opcode = get_be<std::uint16_t>(bytes, 0);
  if (opcode == k_read || opcode == k_write) {
    if (bytes.size() > k_request_limit) return std::nullopt;
    return parse_request(opcode == k_write, bytes.substr(2));
  }
  if (opcode == k_ack) return Ack{get_be<std::uint16_t>(bytes, 2)};
  if (opcode != k_error) return Other{opcode};
  std::string_view rest = bytes.substr(4);
  return ErrorPacket{get_be<std::uint16_t>(bytes, 2),
                     std::string(rest.substr(0, std::min(rest.find('\0'), std::size_t{200})))};
}

void write_data_head(char* out, std::uint16_t block) { (head(k_data) + big_endian(block, 2)).copy(out, 4); }

std::string oack(const Options& options) {
  std::string out = head(k_oack);
  for (const auto& [name, value] : options) {
    out.append(name).push_back('\0');
    out.append(value).push_back('\0');
  }
  return out;
}

std::string error_packet(ErrorCode code, std::string_view text) {
  std::string out = head(k_error);
  out += head(static_cast<std::uint16_t>(code));
  out.append(text).push_back('\0');
  return out;
}

}  // namespace hearth::pxe::tftp
