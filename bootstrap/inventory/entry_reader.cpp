#include "bootstrap/inventory/entry_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::bootstrap {

namespace {

using metadata::Entry;
using metadata::Kind;
using metadata::Value;

/// Keys whose values are text, whatever YAML takes them for.
bool wants_text(std::string_view path) {
  static constexpr std::array<std::string_view, 10> words = {"password", "user", "name",   "addr", "mac",
                                                             "_id",      "uuid", "serial", "wwn",  "pass"};
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return path.find(word) != std::string_view::npos; });
}

bool looks_like_mac(std::string_view text) {
  if (text.size() != 17) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool good = i % 3 == 2 ? text[i] == ':' : std::isxdigit(static_cast<unsigned char>(text[i])) != 0;
    if (!good) return false;
  }
  return true;
}

}  // namespace

EntryReader::EntryReader(std::string_view text, bool yaml, int above) : yaml_(yaml), above_(above) {
  if (yaml) lines_ = split_lines(text);
}

Position EntryReader::position(const Value& value) const {
  const int line = static_cast<int>(value.mark().line);
  return {line == 0 ? 0 : line + above_, static_cast<int>(value.mark().column)};
}

ListingEntry EntryReader::entry(const Value& value) {
  ListingEntry entry;
  entry.at = position(value);
  entry.data = convert(value, "");
  entry.places = std::exchange(places_, {});
  return entry;
}

Json EntryReader::convert(const Value& value, const std::string& path) {
  places_[path] = position(value);
  if (value.is_list()) {
    Json list = Json::array();
    for (const Value& item : value.items()) list.push_back(convert(item, cat(path, "[", list.size(), "]")));
    return list;
  }
  if (value.is_map()) {
    Json map = Json::object();
    for (const Entry& entry : value.entries()) {
      const std::string key = metadata::python_str(entry.key);
      map[key] = convert(entry.value, path.empty() ? key : cat(path, ".", key));
    }
    return map;
  }
  return scalar(value, path);
}

Json EntryReader::scalar(const Value& value, const std::string& path) const {
  if (yaml_ && !value.is_string() && !value.is_null()) {
    const std::string written = written_at(value);
    if (looks_like_mac(written) || (wants_text(path) && !written.empty())) return written;
  }
  if (value.is_bool()) return value.as_bool();
  if (value.kind() == Kind::integer) return value.as_integer();
  if (value.is_number()) return value.as_real();
  return value.is_string() ? Json(value.text()) : Json();
}

/// The plain scalar that stands there. Columns count characters, but before a plain scalar of digits there is hardly
/// anything but ASCII; what does not fit gives nothing or another text, and the number stays.
std::string EntryReader::written_at(const Value& value) const {
  const auto number = static_cast<std::size_t>(value.mark().line);
  if (number < 1 || number > lines_.size()) return "";
  const std::string& line = lines_[number - 1];
  const auto from = static_cast<std::size_t>(value.mark().column) - 1;
  if (from >= line.size()) return "";
  std::size_t to = line.find_first_of(",]}", from);
  const std::size_t comment = line.find(" #", from);
  to = std::min({to, comment, line.size()});
  return std::string(trim(std::string_view(line).substr(from, to - from)));
}

}  // namespace hearth::bootstrap
