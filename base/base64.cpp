#include "base/base64.hpp"

#include <array>
#include <cstdint>

namespace hearth {

namespace {

constexpr std::string_view k_base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t k_no_digit = 0xff;

constexpr std::array<std::uint8_t, 256> base64_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(k_no_digit);
  for (std::size_t i = 0; i < k_base64.size(); ++i)
    values[static_cast<unsigned char>(k_base64[i])] = static_cast<std::uint8_t>(i);
  values['-'] = 62;
  values['_'] = 63;
  return values;
}

constexpr std::array<std::uint8_t, 256> k_base64_values = base64_values();

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out;
  out.reserve(4 * ((bytes.size() + 2) / 3));
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8U | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out.push_back(k <= count ? k_base64[group >> (18 - 6 * k) & 63U] : '=');
  }
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  const std::size_t digits = text.find_last_not_of('=') + 1;  // npos + 1 is 0
  if (text.size() % 4 != 0 || text.size() - digits > 2) return std::nullopt;
  std::string out;
  out.reserve(3 * (text.size() / 4));
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const std::uint8_t value = k_base64_values[static_cast<unsigned char>(text[i])];
    if (value == k_no_digit) return std::nullopt;
    group = group << 6U | value;
    if (i % 4 != 0) out.push_back(static_cast<char>(group >> (6 - 2 * (i % 4)) & 0xffU));
  }
  return out;
}

}  // namespace hearth
