#include "metadata/graph/identity.hpp"

#include <cstdint>

#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/text.hpp"

namespace hearth::metadata {

namespace {

/// Keyed, so that nothing follows from ids and secrets that are known to those that are not.
std::string identity_digest(std::string_view seed, std::string_view kind, std::string_view path) {
  return to_hex(hmac(HashKind::sha256, seed, cat(kind, '\0', path)));
}

std::uint64_t from_hex(std::string_view digits) {
  std::uint64_t value = 0;
  for (const char c : digits)
    value = value * 16 + static_cast<std::uint64_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
  return value;
}

}  // namespace

std::string derived_uuid(std::string_view seed, std::string_view kind, std::string_view path) {
  std::string hex = identity_digest(seed, kind, path).substr(0, 32);
  hex[12] = '4';
  hex[16] = "89ab"[from_hex(hex.substr(16, 1)) & 3U];
  return cat(hex.substr(0, 8), "-", hex.substr(8, 4), "-", hex.substr(12, 4), "-", hex.substr(16, 4), "-",
             hex.substr(20));
}

std::string derived_secret(std::string_view seed, std::string_view kind, std::string_view path, std::size_t length) {
  return identity_digest(seed, kind, path).substr(0, length);
}

std::string short_id(std::string_view uuid) {
  if (uuid.size() != 36) return std::string(uuid);
  const std::uint64_t time = ((from_hex(uuid.substr(14, 4)) & 0xfffU) << 48U) | (from_hex(uuid.substr(9, 4)) << 32U) |
                             from_hex(uuid.substr(0, 8));
  std::string text;
  for (int place = 0; place < 12; ++place) {  // 60 bits, five at a time from the top
    text.push_back("abcdefghijklmnopqrstuvwxyz234567"[(time >> static_cast<unsigned>(55 - 5 * place)) & 31U]);
  }
  return text;
}

std::string physical_name(std::string_view stack, std::string_view resource, std::string_view uuid, std::size_t limit) {
  while (!stack.empty() && stack.back() == '*') stack.remove_suffix(1);
  std::string whole = cat(stack, "-", resource, "-", short_id(uuid));
  if (whole.size() <= limit) return whole;
  return cat(whole.substr(0, 2), "-", whole.substr(whole.size() - (limit - 3)));
}

}  // namespace hearth::metadata
