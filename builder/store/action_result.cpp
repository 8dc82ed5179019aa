#include "builder/store/action_result.hpp"

#include "base/base64.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr unsigned k_varint = 0;  // wire types
constexpr unsigned k_fixed64 = 1;
constexpr unsigned k_delimited = 2;
constexpr unsigned k_fixed32 = 5;
constexpr unsigned k_output_files = 2;  // of ActionResult
constexpr unsigned k_stdout_raw = 5;
constexpr unsigned k_path = 1;  // of OutputFile
constexpr unsigned k_digest = 2;
constexpr unsigned k_hash = 1;  // of Digest
constexpr unsigned k_size_bytes = 2;
constexpr unsigned k_type_bits = 3;

void put_varint(std::string& out, std::uint64_t value) {
  for (; value > 0x7fU; value >>= 7U) out.push_back(static_cast<char>((value & 0x7fU) | 0x80U));
  out.push_back(static_cast<char>(value));
}

void put_bytes(std::string& out, unsigned field, std::string_view bytes) {
  put_varint(out, field << k_type_bits | k_delimited);
  put_varint(out, bytes.size());
  out += bytes;
}

std::string output_file(const LayerRecord& record) {
  std::string digest;
  put_bytes(digest, k_hash, record.blob);
  put_varint(digest, k_size_bytes << k_type_bits | k_varint);
  put_varint(digest, record.bytes);
  std::string file;
  put_bytes(file, k_path, cat("layers/", record.blob));
  put_bytes(file, k_digest, digest);
  return file;
}

/// Takes fields off the front of a message.
class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}

  /// The next length-delimited field, others passed over; nothing at the end, or where the bytes are no message.
  [[nodiscard]] std::optional<std::pair<std::uint64_t, std::string_view>> next() {
    while (!rest_.empty()) {
      const std::optional<std::uint64_t> tag = varint();
      if (!tag) return std::nullopt;
      switch (*tag & 7U) {
        case k_varint:
          if (!varint()) return std::nullopt;
          break;
        case k_fixed64:
          if (!take(8)) return std::nullopt;
          break;
        case k_fixed32:
          if (!take(4)) return std::nullopt;
          break;
        case k_delimited: {
          const std::optional<std::uint64_t> size = varint();
          const std::optional<std::string_view> bytes = size ? take(*size) : std::nullopt;
          if (!bytes) return std::nullopt;
          return std::pair(*tag >> k_type_bits, *bytes);
        }
        default: return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) return value;
    }
    return std::nullopt;
  }
  std::optional<std::string_view> take(std::uint64_t size) {
    if (size > rest_.size()) return std::nullopt;
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string_view rest_;
};

}  // namespace

std::string encode_action(const std::vector<SignedRecord>& records) {
  std::string out;
  std::string lines;
  for (const auto& [record, signature] : records) {
    put_bytes(out, k_output_files, output_file(record));
    lines += cat(signature.empty() ? "" : cat(base64_encode(signature), " "), format_json(to_json(record)), "\n");
  }
  put_bytes(out, k_stdout_raw, lines);
  return out;
}

std::vector<SignedRecord> decode_action(std::string_view bytes) {
  std::vector<SignedRecord> records;
  Message message(bytes);
  while (const auto field = message.next()) {
    if (field->first != k_stdout_raw) continue;
    for (const std::string& line : split_lines(field->second)) {
      const std::size_t begin = std::min(line.find('{'), line.size());
      std::optional<LayerRecord> record = parse_layer_record(line.substr(begin));
      if (!record) continue;
      const auto signature = base64_decode(std::string(trim(line.substr(0, begin))));
      records.push_back({std::move(*record), signature.value_or("")});
    }
  }
  return records;
}

}  // namespace hearth::builder
