#include "base/net/http_date.hpp"

#include <array>
#include <ctime>
#include <string_view>

#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::array<std::string_view, 7> k_days = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> k_months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::string two(int number) { return cat(number < 10 ? "0" : "", number); }

std::optional<int> number_at(std::string_view text, std::size_t at, std::size_t length) {
  const std::optional<std::uint64_t> number = parse_number(text.substr(at, length));
  return number ? std::optional(static_cast<int>(*number)) : std::nullopt;
}

}  // namespace

// Names are ours, not strftime's: they must not follow the locale.
std::string format_http_date(std::int64_t unix_seconds) {
  const std::time_t time = unix_seconds;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  return cat(k_days[static_cast<std::size_t>(parts.tm_wday)], ", ", two(parts.tm_mday), " ",
             k_months[static_cast<std::size_t>(parts.tm_mon)], " ", parts.tm_year + 1900, " ", two(parts.tm_hour), ":",
             two(parts.tm_min), ":", two(parts.tm_sec), " GMT");
}

std::optional<std::int64_t> parse_http_date(std::string_view text) {
  if (text.size() != 29 || text.substr(3, 2) != ", ") return std::nullopt;
  const auto day = number_at(text, 5, 2);
  const auto year = number_at(text, 12, 4);
  const auto hour = number_at(text, 17, 2);
  const auto minute = number_at(text, 20, 2);
  const auto second = number_at(text, 23, 2);
  if (!day || !year || !hour || !minute || !second) return std::nullopt;
  std::tm parts{};
  parts.tm_mday = *day;
  parts.tm_year = *year - 1900;
  parts.tm_hour = *hour;
  parts.tm_min = *minute;
  parts.tm_sec = *second;
  parts.tm_mon = -1;
  for (std::size_t i = 0; i < k_months.size(); ++i) {
    if (text.substr(8, 3) == k_months[i]) parts.tm_mon = static_cast<int>(i);
  }
  if (parts.tm_mon < 0) return std::nullopt;
  const std::int64_t time = ::timegm(&parts);
  // Writing it again is the whole check: wrong weekdays, 31 February and odd separators don't survive it.
  return format_http_date(time) == text ? std::optional(time) : std::nullopt;
}

}  // namespace hearth
