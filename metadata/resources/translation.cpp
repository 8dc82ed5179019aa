#include "metadata/resources/translation.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/resources/type_descriptions.hpp"

namespace hearth::metadata {

namespace {

Value without(const Value& map, std::string_view name) {
  MapBuilder rest;
  for (const Entry& entry : map.entries()) {
    if (!entry.key.is_string() || entry.key.text() != name) rest.set(entry.key, entry.value);
  }
  return Value::map(std::move(rest)).with_mark(map.mark());
}

Value with(const Value& map, std::string_view name, Value value) {
  MapBuilder members(map.entries());
  members.set(name, std::move(value));
  return Value::map(std::move(members)).with_mark(map.mark());
}

bool is_given(const Value& value) { return !value.is_waiting() && truth(value); }

Value renamed(const Value& map, const FormerName& names) {
  const Value* former = map.is_map() ? map.find(names.former) : nullptr;
  if (former == nullptr) return map;
  if (is_given(*former) && is_given(member(map, names.present))) {
    const std::string_view dot = names.list.empty() ? "" : ".";
    throw validation_fault(cat("Cannot define the following properties at the same time: ", names.list, dot,
                               names.present, ", ", names.list, dot, names.former),
                           former->mark(), std::string(names.list.empty() ? names.present : names.list));
  }
  const Value rest = without(map, names.former);
  return former->is_null() ? rest : with(rest, names.present, *former);
}

Value renamed_in_items(const Value& given, const FormerName& names) {
  const Value* list = given.find(names.list);
  if (list == nullptr || !list->is_list()) return given;
  std::vector<Value> items;
  for (const Value& item : list->items()) items.push_back(renamed(item, names));
  return with(given, names.list, Value::list(std::move(items)).with_mark(list->mark()));
}

/// The one class of a RandomString, as it was written before there could be several.
Value with_classes(const Value& given) {
  const Value letters = member(given, "sequence");
  const Value written = member(given, "character_classes");
  if (letters.is_null() || !(written.is_list() || written.is_null())) return given;
  std::vector<Value> classes = written.is_list() ? written.items() : std::vector<Value>{};
  classes.push_back(map_of({{"class", letters}, {"min", Value::integer(1)}}).with_mark(letters.mark()));
  return with(without(given, "sequence"), "character_classes",
              Value::list(std::move(classes)).with_mark(letters.mark()));
}

}  // namespace

Value translated_properties(std::string_view type, const Value& given) {
  if (type == "OS::Heat::RandomString") return with_classes(given);
  Value now = given;
  const TypeDescription* row = find_description(type);
  for (const FormerName& each : row == nullptr ? std::vector<FormerName>{} : row->former)
    now = each.list.empty() ? renamed(now, each) : renamed_in_items(now, each);
  return now;
}

}  // namespace hearth::metadata
