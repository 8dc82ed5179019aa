#include "agent/apply/key_value.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::string_view k_digits = "0123456789";
constexpr std::string_view k_alnum = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

bool consists_of(std::string_view text, std::string_view extra) {
  return std::all_of(text.begin(), text.end(), [extra](char c) {
    return k_alnum.find(c) != std::string_view::npos || extra.find(c) != std::string_view::npos;
  });
}

/// What may follow a DSN's credentials: host and path, then perhaps "?query".
bool is_dsn_place(std::string_view text) {
  const std::size_t mark = text.find('?');
  if (mark != std::string_view::npos && (mark + 1 == text.size() || !consists_of(text.substr(mark + 1), "=_-")))
    return false;
  return consists_of(text.substr(0, mark), "/_.-");
}

/// scheme "://" [ user [ ":" password ] ] [ [ "@" ] host-and-path ] [ "?" query ]; a password is anything without "@".
bool is_dsn(std::string_view text) {
  constexpr std::string_view user_marks = "+_-";
  const std::size_t mark = text.find("://");
  if (mark == std::string_view::npos || mark == 0 || !consists_of(text.substr(0, mark), "")) return false;
  text.remove_prefix(mark + 3);
  const std::size_t at = text.find('@');
  const std::string_view credentials = text.substr(0, at);
  const std::size_t colon = credentials.find(':');
  const bool has_password = colon != std::string_view::npos;
  if (has_password && (colon == 0 || colon + 1 == credentials.size())) return false;
  if (has_password && !consists_of(credentials.substr(0, colon), user_marks)) return false;
  if (at != std::string_view::npos) {
    const std::string_view place = text.substr(at + 1);
    const bool has_host = !place.empty() && place.front() != '?';
    return has_host && is_dsn_place(place) && (has_password || consists_of(credentials, user_marks));
  }
  if (has_password) return true;
  const std::size_t plus = credentials.rfind('+');  // "+" belongs to user names only, which come first
  if (plus == std::string_view::npos) return is_dsn_place(credentials);
  return consists_of(credentials.substr(0, plus), user_marks) && is_dsn_place(credentials.substr(plus + 1));
}

std::size_t digits_at(std::string_view text, std::size_t from) {
  return std::min(text.find_first_not_of(k_digits, from), text.size()) - from;
}

/// r1z1-10.0.0.1:%PORT%/device. The host's characters are those from "." to "_" and small letters.
bool is_swift_device(std::string_view text) {
  if (text.substr(0, 1) != "r") return false;
  const std::size_t region = digits_at(text, 1);
  if (region == 0 || text.substr(1 + region, 1) != "z") return false;
  const std::size_t zone = digits_at(text, 2 + region);
  if (zone == 0 || text.substr(2 + region + zone, 1) != "-") return false;
  const std::string_view rest = text.substr(3 + region + zone);
  constexpr std::string_view port = ":%PORT%/";
  const std::size_t end = rest.find(port);
  if (end == std::string_view::npos || end == 0 || rest.size() == end + port.size()) return false;
  const std::string_view host = rest.substr(0, end);
  return std::all_of(host.begin(), host.end(), [](char c) { return (c >= '.' && c <= '_') || (c >= 'a' && c <= 'z'); });
}

bool is_swift_devices(std::string_view text) {
  std::vector<std::string> parts = split(text, ',');
  if (parts.size() > 1 && parts.back().empty()) parts.pop_back();
  return std::all_of(parts.begin(), parts.end(), [](const std::string& part) { return is_swift_device(part); });
}

struct KeyType {
  std::string_view name;
  bool (*matches)(std::string_view);
};

bool is_integer(std::string_view text) { return !text.empty() && digits_at(text, 0) == text.size(); }
bool is_default(std::string_view text) { return consists_of(text, "_"); }
bool is_net_name(std::string_view text) { return consists_of(text, "/.:-"); }
bool is_user_name(std::string_view text) { return !text.empty() && consists_of(text, "_-"); }
bool is_anything(std::string_view /*text*/) { return true; }

/// By hand, not by std::regex: that one recurses per character and overflows the stack on long values.
constexpr std::array<KeyType, 8> k_types = {{
    {"int", is_integer},
    {"default", is_default},
    {"netaddress", is_net_name},
    {"netdevice", is_net_name},
    {"dsn", is_dsn},
    {"swiftdevices", is_swift_devices},
    {"username", is_user_name},
    {"raw", is_anything},
}};

const KeyType* find_type(const std::string& name) {
  const auto* const found =
      std::find_if(k_types.begin(), k_types.end(), [&name](const KeyType& t) { return t.name == name; });
  return found == k_types.end() ? nullptr : found;
}

/// A list index as Python's int() reads it: blanks around, a sign, single underscores between digits.
const Json* element(const Json& list, const std::string& part) {
  std::string index_text(trim(part));
  if (index_text.size() > 1 && index_text[0] == '+' && index_text[1] != '-') index_text.erase(0, 1);
  if (index_text.find("__") == std::string::npos && index_text.find('_') != 0 && index_text.find("-_") != 0 &&
      (index_text.empty() || index_text.back() != '_')) {
    index_text = replace_all(index_text, "_", "");
  }
  std::int64_t index = 0;
  const char* end = index_text.data() + index_text.size();
  const auto result = std::from_chars(index_text.data(), end, index);
  if (result.ec != std::errc() || result.ptr != end) return nullptr;
  const auto size = static_cast<std::int64_t>(list.size());
  if (index < 0) index += size;
  return index >= 0 && index < size ? &list[static_cast<std::size_t>(index)] : nullptr;
}

const Json* step(const Json& value, const std::string& name) {
  return value.is_array() ? element(value, name) : find_member(value, name);
}

}  // namespace

const Json* find_key(const MetadataRoot& root, const std::string& dotted) {
  const std::vector<std::string> parts = split(dotted, '.');
  const Json* value = root.member(parts.front());
  for (std::size_t i = 1; i < parts.size() && value != nullptr; ++i) value = step(*value, parts[i]);
  return value == nullptr || value->is_null() ? nullptr : value;
}

bool is_key_type(const std::string& type) { return find_type(type) != nullptr; }

bool matches_key_type(const std::string& text, const std::string& type) {
  const KeyType* found = find_type(type);
  if (found == nullptr) return false;
  const std::string_view view = text;
  const bool ends_line = !view.empty() && view.back() == '\n';
  return found->matches(view) || (ends_line && found->matches(view.substr(0, view.size() - 1)));
}

std::string printed_value(const Json& value) {
  const bool is_json = value.is_object() || value.is_array() || value.is_boolean();
  return is_json ? python_json(value) : python_text(value);
}

}  // namespace hearth::agent
