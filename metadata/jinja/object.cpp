#include "metadata/jinja/object.hpp"

#include <algorithm>
#include <set>

#include "metadata/model/value_text.hpp"

namespace hearth::metadata::jinja {

Object* Dict::find(const Object& key) {
  const auto found = std::find_if(members.begin(), members.end(), [&](const auto& m) { return equal(m.first, key); });
  return found == members.end() ? nullptr : &found->second;
}

Object* Dict::find_text(std::string_view key) {
  const auto found = std::find_if(members.begin(), members.end(), [&](const auto& member) {
    const std::string* text = member.first.string();
    return text != nullptr && *text == key;
  });
  return found == members.end() ? nullptr : &found->second;
}

void Dict::set(const Object& key, Object value) {
  if (Object* known = find(key)) {
    *known = std::move(value);
  } else {
    members.emplace_back(key, std::move(value));
  }
}

bool Dict::remove(const Object& key) {
  const auto found = std::find_if(members.begin(), members.end(), [&](const auto& m) { return equal(m.first, key); });
  if (found == members.end()) return false;
  members.erase(found);
  return true;
}

std::optional<std::int64_t> Object::integer() const {
  if (const auto* number = as<std::int64_t>()) return *number;
  if (const bool* flag = as<bool>()) return *flag ? 1 : 0;
  return std::nullopt;
}

std::optional<double> Object::number() const {
  if (const double* real = as<double>()) return *real;
  const std::optional<std::int64_t> whole = integer();
  return whole ? std::optional<double>(static_cast<double>(*whole)) : std::nullopt;
}

Object from_value(const Value& value) {
  switch (value.kind()) {
    case Kind::boolean: return value.as_bool();
    case Kind::integer: return value.as_integer();
    case Kind::real: return value.as_real();
    case Kind::string:
    case Kind::big_integer: return Object::text(value.text());
    case Kind::list: {
      List items;
      for (const Value& item : value.items()) items.push_back(from_value(item));
      return Object::list(std::move(items));
    }
    case Kind::map: {
      Object made = Object::dict();
      for (const Entry& entry : value.entries()) made.members()->set(from_value(entry.key), from_value(entry.value));
      return made;
    }
    default: return {};
  }
}

namespace {

constexpr int k_object_deepest = 100;  ///< a list may hold itself

Value to_value_below(const Object& object, int depth) {
  if (const bool* flag = object.as<bool>()) return Value::boolean(*flag);
  if (const auto* number = object.as<std::int64_t>()) return Value::integer(*number);
  if (const double* real = object.as<double>()) return Value::real(*real);
  if (const std::string* text = object.string()) return Value::string(*text);
  if (depth > k_object_deepest) return Value::string("...");
  if (const List* list = object.items()) {
    std::vector<Value> items;
    for (const Object& item : *list) items.push_back(to_value_below(item, depth + 1));
    return Value::list(std::move(items));
  }
  if (const Dict* dict = object.members()) {
    MapBuilder members;
    for (const auto& [key, value] : dict->members)
      members.set(to_value_below(key, depth + 1), to_value_below(value, depth + 1));
    return Value::map(std::move(members));
  }
  return {};
}

bool equal_below(const Object& left, const Object& right, int depth) {
  if (const auto a = left.number()) {
    const auto b = right.number();
    return b && *a == *b;
  }
  if (left.string() != nullptr) return right.string() != nullptr && *left.string() == *right.string();
  if (depth > k_object_deepest) return false;
  if (const List* a = left.items()) {
    const List* b = right.items();
    if (b == nullptr || a->size() != b->size()) return false;
    return std::equal(a->begin(), a->end(), b->begin(),
                      [&](const Object& x, const Object& y) { return equal_below(x, y, depth + 1); });
  }
  if (Dict* a = left.members()) {
    Dict* b = right.members();
    if (b == nullptr || a->members.size() != b->members.size()) return false;
    return std::all_of(a->members.begin(), a->members.end(), [&](const auto& member) {
      const Object* other = b->find(member.first);
      return other != nullptr && equal_below(member.second, *other, depth + 1);
    });
  }
  return (left.is_none() && right.is_none()) || (left.is_undefined() && right.is_undefined());
}

/// Each list and map is looked at once a level, so that what is shared a lot costs little.
bool may_hold_below(const void* container, const Object& object, int depth,
                    std::set<std::pair<const void*, int>>& seen) {
  const void* self = object.items() != nullptr ? static_cast<const void*>(object.items()) : object.members();
  if (self == nullptr || !seen.emplace(self, depth).second) return true;
  if (self == container || depth >= k_object_deepest) return false;
  if (const List* list = object.items()) {
    return std::all_of(list->begin(), list->end(),
                       [&](const Object& item) { return may_hold_below(container, item, depth + 1, seen); });
  }
  const auto& members = object.members()->members;
  return std::all_of(members.begin(), members.end(),
                     [&](const auto& member) { return may_hold_below(container, member.second, depth + 1, seen); });
}

}  // namespace

bool may_hold(const void* container, const Object& object) {
  std::set<std::pair<const void*, int>> seen;
  return may_hold_below(container, object, 0, seen);
}

Value to_value(const Object& object) { return to_value_below(object, 0); }

std::string printed(const Object& object) {
  if (object.is_undefined()) return "";
  if (object.string() != nullptr) return *object.string();
  return python_str(to_value(object));
}

bool truth(const Object& object) {
  if (const auto number = object.number()) return *number != 0;
  if (object.string() != nullptr) return !object.string()->empty();
  if (object.items() != nullptr) return !object.items()->empty();
  if (object.members() != nullptr) return object.members()->is_namespace || !object.members()->members.empty();
  return false;
}

bool equal(const Object& left, const Object& right) { return equal_below(left, right, 0); }

std::optional<std::partial_ordering> ordered(const Object& left, const Object& right) {
  if (left.number() && right.number()) return *left.number() <=> *right.number();
  if (left.string() != nullptr && right.string() != nullptr)
    return std::partial_ordering(left.string()->compare(*right.string()) <=> 0);
  const List* a = left.items();
  const List* b = right.items();
  if (a == nullptr || b == nullptr || a == b) return std::nullopt;
  for (std::size_t i = 0; i < std::min(a->size(), b->size()); ++i) {
    if (!equal((*a)[i], (*b)[i])) return ordered((*a)[i], (*b)[i]);
  }
  return std::partial_ordering(a->size() <=> b->size());
}

std::string_view kind_name(const Object& object) {
  if (object.is_undefined()) return "undefined";
  if (object.is_none()) return "None";
  if (object.as<bool>() != nullptr) return "bool";
  if (object.as<std::int64_t>() != nullptr) return "int";
  if (object.as<double>() != nullptr) return "float";
  if (object.string() != nullptr) return "str";
  return object.items() != nullptr ? "list" : "dict";
}

}  // namespace hearth::metadata::jinja
