#include "metadata/live/value_json.hpp"

#include <unordered_map>

#include "base/error.hpp"
#include "base/text.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata::live {

namespace {

/// Of equal names (1 and "1") the last wins. To look each up among all others would take the square of their number.
Json members_of(const std::vector<Entry>& entries) {
  Json map = Json::object();
  auto& members = map.get_ref<Json::object_t&>();
  std::unordered_map<std::string, std::size_t> places;
  places.reserve(entries.size());
  for (const Entry& entry : entries) {
    std::string name = python_str(entry.key);
    const auto [place, is_new] = places.emplace(name, members.size());
    if (is_new) {
      members.emplace_back(std::move(name), to_json(entry.value));
    } else {
      (members.begin() + static_cast<std::ptrdiff_t>(place->second))->second = to_json(entry.value);
    }
  }
  return map;
}

}  // namespace

Json to_json(const Value& value) {
  switch (value.kind()) {
    case Kind::null:
    case Kind::omitted: return {};
    case Kind::boolean: return value.as_bool();
    case Kind::integer: return value.as_integer();
    case Kind::big_integer:
    case Kind::real: return value.as_real();
    case Kind::string: return value.text();
    case Kind::list: {
      Json list = Json::array();
      for (const Value& item : value.items()) list.push_back(to_json(item));
      return list;
    }
    case Kind::map: {
      return members_of(value.entries());
    }
    case Kind::waiting: break;
  }
  std::vector<std::string> events;
  for (const metadata::Event& event : value.events()) events.push_back(event.text());
  throw Error(ErrorKind::input, cat("a value waits for ", join(events, ", ")));
}

Value to_value(const Json& json) {
  if (json.is_boolean()) return Value::boolean(json.get<bool>());
  if (json.is_number_unsigned()) return Value::big_integer(std::to_string(json.get<std::uint64_t>()));
  if (json.is_number_integer()) return Value::integer(json.get<std::int64_t>());
  if (json.is_number_float()) return Value::real(json.get<double>());
  if (json.is_string()) return Value::string(json.get<std::string>());
  if (json.is_array()) {
    std::vector<Value> items;
    for (const Json& item : json) items.push_back(to_value(item));
    return Value::list(std::move(items));
  }
  if (json.is_object()) {
    MapBuilder members;
    for (const auto& [key, member] : json.items()) members.set(key, to_value(member));
    return Value::map(std::move(members));
  }
  return {};
}

}  // namespace hearth::metadata::live
