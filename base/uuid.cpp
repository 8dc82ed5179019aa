#include "base/uuid.hpp"

#include <algorithm>
#include <array>

#include "base/hex.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::size_t k_bytes = 16;
constexpr std::array<std::size_t, 4> k_dashes = {8, 13, 18, 23};
/// Where each byte of a GUID's text stands in its structure.
constexpr std::array<std::size_t, k_bytes> k_guid_order = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};

std::string reordered(std::string_view bytes) {
  std::string out;
  for (const std::size_t at : k_guid_order) out.push_back(bytes[at]);
  return out;
}

}  // namespace

std::string with_uuid_dashes(std::string digits) {
  for (const std::size_t dash : k_dashes) digits.insert(dash, 1, '-');
  return digits;
}

std::string uuid_text(std::string_view bytes) {
  return bytes.size() == k_bytes ? with_uuid_dashes(to_hex(bytes)) : std::string();
}

std::string guid_text(std::string_view bytes) {
  return bytes.size() == k_bytes ? uuid_text(reordered(bytes)) : std::string();
}

std::string uuid_bytes(std::string_view text) {
  std::string digits;
  std::copy_if(text.begin(), text.end(), std::back_inserter(digits), is_hex_digit);
  digits.resize(2 * k_bytes, '0');
  return from_hex(to_lower(digits));
}

std::string guid_bytes(std::string_view text) { return reordered(uuid_bytes(text)); }

bool is_uuid(std::string_view text) {
  if (text.size() != 2 * k_bytes + k_dashes.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = std::find(k_dashes.begin(), k_dashes.end(), i) != k_dashes.end();
    if (dash ? text[i] != '-' : !is_hex_digit(text[i])) return false;
  }
  return true;
}

std::optional<std::string> parse_uuid(std::string_view text) {
  if (is_uuid(text)) return to_lower(std::string(text));
  if (text.size() != 2 * k_bytes || !std::all_of(text.begin(), text.end(), is_hex_digit)) return std::nullopt;
  return with_uuid_dashes(to_lower(std::string(text)));
}

}  // namespace hearth
