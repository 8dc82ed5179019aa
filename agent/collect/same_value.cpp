#include "agent/collect/same_value.hpp"

#include <algorithm>

namespace hearth::agent {

namespace {

bool same_objects(const Json& a, const Json& b) {
  if (a.size() != b.size()) return false;
  return std::all_of(a.items().begin(), a.items().end(), [&b](const auto& item) {
    const auto other = b.find(item.key());
    return other != b.end() && same_value(item.value(), *other);
  });
}

/// true and false count as 1 and 0.
Json as_number(const Json& value) { return value.is_boolean() ? Json(value.get<bool>() ? 1 : 0) : value; }

bool is_number(const Json& value) { return value.is_number() || value.is_boolean(); }

}  // namespace

bool same_value(const Json& a, const Json& b) {
  if (is_number(a) && is_number(b)) return as_number(a) == as_number(b);
  if (a.type() != b.type()) return false;
  if (a.is_object()) return same_objects(a, b);
  if (!a.is_array()) return a == b;
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same_value);
}

}  // namespace hearth::agent
