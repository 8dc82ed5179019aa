// TFTP packets: RFC 1350 (opcodes, errors), RFC 2347 (options, OACK).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hearth::pxe::tftp {

enum class ErrorCode : std::uint16_t {
  undefined = 0,
  not_found = 1,
  access = 2,
  disk_full = 3,
  illegal = 4,
  unknown_transfer = 5,
  exists = 6,
  no_user = 7,
  option_refused = 8,
};

/// Options in the order in which they were given; names in lower case, each once (the first counts).
using Options = std::vector<std::pair<std::string, std::string>>;

struct Request {
  bool write = false;
  std::string name;
  std::string mode;  ///< in lower case
  Options options;
};
struct Ack {
  std::uint16_t block = 0;
};
struct ErrorPacket {
  std::uint16_t code = 0;
  std::string text;
};
/// DATA, OACK and unknown opcodes: nothing that a client may send to a server that only reads.
struct Other {
  std::uint16_t opcode = 0;
};
using Packet = std::variant<Request, Ack, ErrorPacket, Other>;

/// Requests longer than this are refused (RFC 2347 allows 512 bytes; some clients send more).
constexpr std::size_t k_request_limit = 2048;

/// Nothing for bytes that are no TFTP packet. A request whose options are cut off keeps those before the cut.
[[nodiscard]] std::optional<Packet> parse_packet(std::string_view bytes);

/// The head of a DATA packet.
constexpr std::size_t k_data_head = 4;
void write_data_head(char* out, std::uint16_t block);
[[nodiscard]] std::string oack(const Options& options);
[[nodiscard]] std::string error_packet(ErrorCode code, std::string_view text);

}  // namespace hearth::pxe::tftp
