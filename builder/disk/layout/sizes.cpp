#include "builder/disk/layout/sizes.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_sizes_kib = 1024;
constexpr std::array<std::pair<std::string_view, std::uint64_t>, 14> k_units = {{
    {"TiB", k_sizes_kib* k_sizes_kib* k_sizes_kib* k_sizes_kib},
    {"GiB", k_sizes_kib* k_sizes_kib* k_sizes_kib},
    {"MiB", k_sizes_kib* k_sizes_kib},
    {"KiB", k_sizes_kib},
    {"TB", 1'000'000'000'000},
    {"GB", 1'000'000'000},
    {"MB", 1'000'000},
    {"KB", 1'000},
    {"T", 1'000'000'000'000},
    {"G", 1'000'000'000},
    {"M", 1'000'000},
    {"K", 1'000},
    {"B", 1},
    {"", 1},
}};
constexpr double k_largest = 1e18;

/// A number without sign or exponent, up to its end; what follows it is the unit.
std::optional<std::pair<double, std::string_view>> split_number(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789.");
  const std::string_view digits = text.substr(0, end);
  double value = 0;
  const auto [stop, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (failure != std::errc() || stop != digits.data() + digits.size()) return std::nullopt;
  return std::pair(value, end == std::string_view::npos ? std::string_view() : text.substr(end));
}

}  // namespace

std::optional<std::uint64_t> parse_size(std::string_view text) {
  const auto number = split_number(trim(text));
  if (!number) return std::nullopt;
  auto [value, unit] = *number;
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const auto& [name, factor] : k_units) {
    if (unit != name) continue;
    const double bytes = value * static_cast<double>(factor);
    if (bytes > k_largest) return std::nullopt;
    return static_cast<std::uint64_t>(bytes);
  }
  return std::nullopt;
}

std::optional<SizeSpec> parse_size_spec(std::string_view text) {
  text = trim(text);
  if (!text.ends_with('%')) {
    const std::optional<std::uint64_t> bytes = parse_size(text);
    return bytes ? std::optional<SizeSpec>(*bytes) : std::nullopt;
  }
  const auto number = split_number(trim(text.substr(0, text.size() - 1)));
  if (!number || !number->second.empty() || number->first <= 0 || number->first > 100) return std::nullopt;
  return Percent{number->first};
}

}  // namespace hearth::builder
