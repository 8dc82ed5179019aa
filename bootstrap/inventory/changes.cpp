#include "bootstrap/inventory/changes.hpp"

#include <map>

#include "base/log.hpp"
#include "base/text.hpp"
#include "bootstrap/node/shown.hpp"

namespace hearth::bootstrap {

namespace {

/// Each value by the path that leads to it.
void flatten(const std::string& path, const Json& value, std::map<std::string, Json>& values) {
  if (!value.is_object() || value.empty()) {
    values[path] = value;
    return;
  }
  for (const auto& [key, member] : value.items()) flatten(cat(path, ".", key), member, values);
}

std::map<std::string, Json> values_of(const Node& node) {
  std::map<std::string, Json> values = {{"name", node.name.empty() ? Json() : Json(node.name)},
                                        {"driver", node.driver}};
  for (const auto& [name, member] : {std::pair("driver_info", &node.driver_info),
                                     std::pair("properties", &node.properties), std::pair("extra", &node.extra)}) {
    if (!member->empty()) flatten(name, *member, values);
  }
  for (const auto& [name, member] : node.fields.items()) flatten(name, member, values);
  for (const Port& port : node.ports) values[cat("port ", port.address)] = port.address;
  return values;
}

std::string value_text(const Json& value) {
  if (value.is_null() || value == "") return "nothing";
  return value.is_string() ? value.get<std::string>() : format_json(value);
}

constexpr std::string_view k_hidden = "******";

}  // namespace

Json node_changes(const Node& before, const Node& after) {
  std::map<std::string, Json> was = values_of(before);
  std::map<std::string, Json> is = values_of(after);
  for (const auto& [path, value] : was) is.try_emplace(path);
  Json changes = Json::array();
  for (const auto& [path, value] : is) {
    const Json old = was[path];
    if (old == value) continue;
    // Anything below a key that hides its value is hidden: each part of the path is asked.
    bool hidden = false;
    for (const std::string& key : split(path, '.')) hidden = hidden || for_readers({{key, "x"}}) != Json({{key, "x"}});
    const auto shown = [&](const Json& one) {
      return hidden && !one.is_null() ? Json(k_hidden) : for_readers(Json::array({one}))[0];
    };
    changes.push_back({{"field", path}, {"old", shown(old)}, {"new", shown(value)}});
  }
  return changes;
}

std::string change_text(const Json& change) {
  const Json old = change.value("old", Json());
  const Json now = change.value("new", Json());
  const std::string field = text_in(change, "field");
  if (now == k_hidden) return cat(field, ": ", old.is_null() ? "is given" : "another one");
  return one_line(cat(field, ": ", value_text(old), " → ", value_text(now)));
}

}  // namespace hearth::bootstrap
