// Cron's expressions: minute, hour, day, month, day of the week, and seconds at the end where there are six.
// Format: crontab(5), with the liberties that Heat's reader takes: names, "@daily" and its kin, L, 5#2.
#include "metadata/parameters/custom_constraints.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace hearth::metadata {

namespace {

struct Field {
  std::uint64_t low;
  std::uint64_t high;
  std::string_view names;  ///< three letters each, the first one standing for `first`
  std::uint64_t first = 0;
};

constexpr std::array<Field, 6> k_fields{{{0, 59, ""},
                                         {0, 23, ""},
                                         {1, 31, ""},
                                         {1, 12, "janfebmaraprmayjunjulaugsepoctnovdec", 1},
                                         {0, 7, "sunmontuewedthufrisat"},
                                         {0, 59, ""}}};

std::optional<std::uint64_t> number_of(const Field& field, const std::string& text) {
  if (const std::optional<std::uint64_t> number = parse_number(text)) return number;
  const std::size_t place = text.size() == 3 ? field.names.find(text) : std::string_view::npos;
  if (place == std::string_view::npos || place % 3 != 0) return std::nullopt;
  return field.first + place / 3;
}

/// "*", "5", "5-9", each with "/step".
bool is_part(const Field& field, std::string text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos) {
    const std::optional<std::uint64_t> step = parse_number(text.substr(slash + 1));
    if (!step || *step == 0) return false;
    text.resize(slash);
    if (text.empty()) return false;
  }
  if (text == "*") return true;
  const std::size_t dash = text.find('-');
  const std::optional<std::uint64_t> from = number_of(field, text.substr(0, dash));
  if (!from || *from < field.low || *from > field.high) return false;
  if (dash == std::string::npos) return true;
  const bool sunday = field.names.substr(0, 3) == "sun";
  std::optional<std::uint64_t> to = number_of(field, text.substr(dash + 1));
  if (to && *to == 0 && sunday) to = 7;  // …-sun
  return to && *to <= field.high && *from <= *to;
}

bool is_field(std::size_t place, const std::string& text) {
  const std::vector<std::string> parts = split(text, ',');
  return std::all_of(parts.begin(), parts.end(), [&](std::string part) {
    if (place == 2 && part == "l") return true;
    if (place == 4) {
      const std::size_t hash = part.find('#');
      if (hash != std::string::npos) {  // the n-th such day of the month
        const std::optional<std::uint64_t> nth = parse_number(part.substr(hash + 1));
        if (!nth || *nth < 1 || *nth > 5) return false;
        part.resize(hash);
      } else if (part.size() == 2 && part[0] == 'l') {  // the last such day
        part.erase(0, 1);
      }
    }
    return is_part(k_fields[place], part);
  });
}

}  // namespace

bool is_cron(const std::string& text) {
  const std::string lower = to_lower(text);
  for (const std::string_view alias :
       {"@midnight", "@hourly", "@daily", "@weekly", "@monthly", "@yearly", "@annually"}) {
    if (lower == alias) return true;
  }
  const std::vector<std::string> fields = split_words(lower);
  if (fields.size() != 5 && fields.size() != 6) return false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!is_field(i, fields[i])) return false;
  }
  return true;
}

}  // namespace hearth::metadata
