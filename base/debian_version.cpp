#include "base/debian_version.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace hearth {

namespace {

/// dpkg's order of what is no digit: "~" first, then the end, letters, all else.
int weight(std::string_view text) {
  if (text.empty() || is_digit(text.front())) return 0;
  const auto c = static_cast<unsigned char>(text.front());
  if (c == '~') return -1;
  return std::isalpha(c) != 0 ? c : c + 256;
}

/// The digits that `text` begins with, without leading zeros; they are taken off.
std::string_view take_number(std::string_view& text) {
  const auto past = std::find_if_not(text.begin(), text.end(), is_digit);
  std::string_view digits = text.substr(0, static_cast<std::size_t>(past - text.begin()));
  text.remove_prefix(digits.size());
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

int compare_digits(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

int compare_parts(std::string_view one, std::string_view other) {
  while (!one.empty() || !other.empty()) {
    while ((!one.empty() && !is_digit(one.front())) || (!other.empty() && !is_digit(other.front()))) {
      const int difference = weight(one) - weight(other);
      if (difference != 0) return difference;
      one.remove_prefix(std::min<std::size_t>(1, one.size()));
      other.remove_prefix(std::min<std::size_t>(1, other.size()));
    }
    const std::string_view a = take_number(one);
    const std::string_view b = take_number(other);
    if (const int difference = compare_digits(a, b); difference != 0) return difference;
  }
  return 0;
}

struct Version {
  std::string_view epoch;
  std::string_view upstream;
  std::string_view revision;
};

Version parts_of(std::string_view text) {
  Version version{.epoch = {}, .upstream = text, .revision = {}};
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos && std::all_of(text.begin(), text.begin() + static_cast<long>(colon), is_digit)) {
    std::string_view digits = text.substr(0, colon);
    version.epoch = take_number(digits);
    version.upstream = text.substr(colon + 1);
  }
  if (const std::size_t hyphen = version.upstream.rfind('-'); hyphen != std::string_view::npos) {
    version.revision = version.upstream.substr(hyphen + 1);
    version.upstream = version.upstream.substr(0, hyphen);
  }
  return version;
}

}  // namespace

int compare_debian_versions(std::string_view one, std::string_view other) {
  const Version a = parts_of(one);
  const Version b = parts_of(other);
  if (const int difference = compare_digits(a.epoch, b.epoch); difference != 0) return difference;
  if (const int difference = compare_parts(a.upstream, b.upstream); difference != 0) return difference;
  return compare_parts(a.revision, b.revision);
}

}  // namespace hearth
