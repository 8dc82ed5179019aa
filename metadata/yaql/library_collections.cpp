// Lists, maps, sets: making them, asking them, taking them apart.
#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/yaql/evaluator.hpp"

namespace hearth::metadata::yaql {

namespace {

Item iterator(std::vector<Value> items) { return {Item::Type::iterator, Value::list(std::move(items))}; }

ValueSet looked_up(const Call& call, const std::vector<Value>& items) {
  ValueSet all;
  for (const Value& item : items) {
    call.evaluator.count_looks();
    all.insert(item);
  }
  return all;
}

Item list(const Call& call) {
  std::vector<Value> items;
  for (std::size_t i = 0; i < call.count(); ++i) {
    const Item item = call.at(i);
    if (item.type == Item::Type::iterator) {
      const std::vector<Value>& more = call.evaluator.items(item);
      items.insert(items.end(), more.begin(), more.end());
    } else {
      items.push_back(call.evaluator.output(item));
    }
  }
  return Value::list(std::move(items));
}

Item set_of(const Call& call, const std::vector<Value>& values) {
  std::vector<Value> items;
  ValueSet seen;
  for (const Value& value : values) {
    call.evaluator.count_looks();
    if (seen.insert(value).second) items.push_back(value);
  }
  return {Item::Type::set, Value::list(std::move(items))};
}

Item set(const Call& call) {
  for (std::size_t i = 0; i < call.count(); ++i) require_hashable(call.at(i));
  return set_of(call, list(call).value.items());
}

Item to_list(const Call& call) {
  Item holder;
  return Value::list(call.collection(0, holder));
}

Item to_set(const Call& call) {
  Item holder;
  const std::vector<Value>& items = call.collection(0, holder);
  require_hashable(holder);
  return set_of(call, items);
}

/// Lists within lists become one.
Item flatten(const Call& call) {
  std::vector<Value> waiting;  // last one first
  return made_lazily([from = call.cursor(0), waiting]() mutable -> std::optional<Value> {
    while (true) {
      std::optional<Value> item;
      if (waiting.empty()) {
        item = from.next();
        if (!item) return std::nullopt;
      } else {
        item = waiting.back();
        waiting.pop_back();
      }
      if (!item->is_list()) return item;
      waiting.insert(waiting.end(), item->items().rbegin(), item->items().rend());
    }
  });
}

/// dict(a => 1, …) and dict([[k, v], …]).
Item dict(const Call& call) {
  MapBuilder members;
  if (call.arguments.size() == 1 && call.arguments[0]->type != Syntax::Type::rule) {
    Item holder;
    for (const Value& pair : call.collection(0, holder)) {
      if (!pair.is_list() || pair.items().size() != 2) call.mismatch();
      members.set(pair.items()[0], pair.items()[1]);
    }
    return Value::map(std::move(members));
  }
  for (const SyntaxPtr& rule : call.arguments) {
    if (rule->type != Syntax::Type::rule) call.mismatch();
    members.set(call.evaluator.output(call.evaluator.evaluate(*rule->parts[0], call.variables)),
                call.evaluator.output(call.evaluator.evaluate(*rule->parts[1], call.variables)));
  }
  return Value::map(std::move(members));
}

Item to_dict(const Call& call) {
  Item holder;
  MapBuilder members;
  for (const Value& item : call.collection(0, holder)) {
    const Value key = call.evaluator.output(call.apply(1, {item}));
    const Value value = call.has(2) ? call.evaluator.output(call.apply(2, {item})) : item;
    if (key.is_list() || key.is_map()) throw type_fault(cat("unhashable type: '", type_name(key), "'"));
    members.set(key, value);
  }
  return Value::map(std::move(members));
}

Item get(const Call& call) {
  const Value map = call.map(0);
  const Value* found = map.find(call.at(1).value);
  return found != nullptr ? Item(*found) : call.at(2);
}

Item set_member(const Call& call) {
  const Value map = call.map(0);
  call.evaluator.count_items(map.entries().size());
  MapBuilder members(map.entries());
  if (call.arguments.size() == 2 && call.arguments[0]->type != Syntax::Type::rule) {
    members.set(call.at(1).value, call.evaluator.output(call.at(2)));
    return Value::map(std::move(members));
  }
  for (const SyntaxPtr& argument : call.arguments) {
    if (argument->type == Syntax::Type::rule) {
      members.set(call.evaluator.output(call.evaluator.evaluate(*argument->parts[0], call.variables)),
                  call.evaluator.output(call.evaluator.evaluate(*argument->parts[1], call.variables)));
    } else {
      const Value more = call.map(1);
      for (const Entry& entry : more.entries()) members.set(entry.key, entry.value);
    }
  }
  return Value::map(std::move(members));
}

Item set_of_map(std::vector<Value> items, Item::PartOfMap part) {
  Item set(Item::Type::set, Value::list(std::move(items)));
  set.of_map = part;
  return set;
}

Item keys(const Call& call) {
  std::vector<Value> items;
  const Value map = call.map(0);
  call.evaluator.count_items(map.entries().size());
  for (const Entry& entry : map.entries()) items.push_back(entry.key);
  return set_of_map(std::move(items), Item::PartOfMap::keys);
}

Item values(const Call& call) {
  std::vector<Value> items;
  const Value map = call.map(0);
  call.evaluator.count_items(map.entries().size());
  for (const Entry& entry : map.entries()) items.push_back(entry.value);
  return {Item::Type::view, Value::list(std::move(items))};
}

Item items(const Call& call) {
  std::vector<Value> pairs;
  const Value map = call.map(0);
  call.evaluator.count_items(map.entries().size());
  for (const Entry& entry : map.entries()) pairs.push_back(Value::list({entry.key, entry.value}));
  return set_of_map(std::move(pairs), Item::PartOfMap::items);
}

Item contains_item(const Call& call) {
  const Item collection = call.at(0);
  if (!collection.is_collection()) call.mismatch();
  return Value::boolean(is_in(call.at(1), collection, call.evaluator));
}

Item contains_key(const Call& call) { return Value::boolean(call.map(0).find(call.at(1).value) != nullptr); }

Item contains_value(const Call& call) {
  const Value map = call.map(0);
  call.evaluator.count_items(map.entries().size());
  const Value wanted = call.at(1).value;
  return Value::boolean(std::any_of(map.entries().begin(), map.entries().end(), [&](const Entry& e) {
    call.evaluator.count_looks();
    return e.value == wanted;
  }));
}

Item length(const Call& call) {
  const Item item = call.at(0);
  if (item.is_map()) return Value::integer(static_cast<std::int64_t>(item.value.entries().size()));
  if (item.is_text()) {
    return Value::integer(static_cast<std::int64_t>(characters_in(item.value.text())));
  }
  if (!item.is_collection() || item.type == Item::Type::view) call.mismatch();
  if (item.sequence) {  // no limit but that of steps: nobody keeps the items
    const std::size_t begin = item.sequence->begin();
    std::size_t end = begin;
    for (; item.sequence->reaches(end); ++end) call.evaluator.count_step();
    item.sequence->take(end);
    return Value::integer(static_cast<std::int64_t>(end - begin));
  }
  return Value::integer(static_cast<std::int64_t>(item.value.items().size()));
}

Item without_keys(const Call& call, const Value& map, const std::vector<Value>& unwanted) {
  call.evaluator.count_items(map.entries().size() + unwanted.size());
  MapBuilder members;
  const ValueSet keys = looked_up(call, unwanted);
  for (const Entry& entry : map.entries()) {
    if (keys.count(entry.key) == 0) members.set(entry.key, entry.value);
  }
  return Value::map(std::move(members));
}

/// delete(key, …) of a map, delete(position, count) of a list.
Item delete_items(const Call& call) {
  const Item first = call.at(0);
  if (first.is_map()) {
    std::vector<Value> unwanted;
    for (std::size_t i = 1; i < call.count(); ++i) unwanted.push_back(call.at(i).value);
    return without_keys(call, first.value, unwanted);
  }
  Item holder;
  const std::vector<Value>& all = call.collection(0, holder);
  const std::int64_t from = call.integer(1);
  const std::int64_t count = call.integer(2, 1);
  std::vector<Value> kept;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(all.size()); ++i) {
    if (i < from || (count >= 0 && i >= from + count)) kept.push_back(all[static_cast<std::size_t>(i)]);
  }
  return iterator(std::move(kept));
}

Item delete_all(const Call& call) {
  Item holder;
  const Value map = call.map(0);
  return without_keys(call, map, call.collection(1, holder));
}

Item insert(const Call& call) {
  Item holder;
  std::vector<Value> all = call.collection(0, holder);
  const auto size = static_cast<std::int64_t>(all.size());
  std::int64_t place = call.integer(1);
  if (place < 0) place = std::max<std::int64_t>(0, place + size);
  all.insert(all.begin() + std::min(place, size), call.evaluator.output(call.at(2)));
  return Value::list(std::move(all));
}

Item one_after_the_other(std::vector<Cursor> parts) {
  return made_lazily([parts = std::move(parts), place = std::size_t{0}]() mutable -> std::optional<Value> {
    for (; place < parts.size(); ++place) {
      if (std::optional<Value> item = parts[place].next()) return item;
    }
    return std::nullopt;
  });
}

Item concat(const Call& call) {
  if (!call.receiver && call.count() > 0 && call.at(0).is_text()) {
    std::string text;
    for (std::size_t i = 0; i < call.count(); ++i) text += call.text(i);
    return Value::string(text);
  }
  std::vector<Cursor> parts;
  for (std::size_t i = 0; i < call.count(); ++i) parts.push_back(call.cursor(i));
  return one_after_the_other(std::move(parts));
}

Item append(const Call& call) {
  std::vector<Value> more;
  for (std::size_t i = 1; i < call.count(); ++i) more.push_back(call.evaluator.output(call.at(i)));
  return one_after_the_other({call.cursor(0), Cursor(call.evaluator, iterator(std::move(more)))});
}

/// union, intersect, difference, symmetricDifference of sets.
Item set_operation(const Call& call, bool both, bool only_left, bool only_right) {
  const Item left = call.at(0);
  const Item right = call.at(1);
  if (left.type != Item::Type::set || right.type != Item::Type::set) call.mismatch();
  if (left.of_map != Item::PartOfMap::no)
    throw Fault("AttributeError", cat("the keys and items of a map have no ", call.name, " in Python"));
  std::vector<Value> all;
  call.evaluator.count_items(left.value.items().size() + right.value.items().size());
  const ValueSet in_left = looked_up(call, left.value.items());
  const ValueSet in_right = looked_up(call, right.value.items());
  for (const Value& item : left.value.items()) {
    if (in_right.count(item) > 0 ? both : only_left) all.push_back(item);
  }
  for (const Value& item : right.value.items()) {
    if (in_left.count(item) == 0 && only_right) all.push_back(item);
  }
  return {Item::Type::set, Value::list(std::move(all))};
}

Item set_union(const Call& call) { return set_operation(call, true, true, true); }
Item intersect(const Call& call) { return set_operation(call, true, false, false); }
Item difference(const Call& call) { return set_operation(call, false, true, false); }
Item symmetric(const Call& call) { return set_operation(call, false, true, true); }

/// What mergeWith is told beside the two maps.
struct Merging {
  const Call& call;
  std::size_t list_merger;  ///< places of the lambdas
  std::size_t item_merger;

  [[nodiscard]] Value lists(const Value& left, const Value& right) const {
    if (call.has(list_merger)) return call.evaluator.output(call.apply(list_merger, {left, right}));
    call.evaluator.count_items(left.items().size() + right.items().size());
    std::vector<Value> all;
    ValueSet seen;
    for (const auto* list : {&left, &right}) {
      for (const Value& item : list->items()) {
        if (seen.insert(item).second) all.push_back(item);
      }
    }
    return Value::list(std::move(all));
  }
  [[nodiscard]] Value items(const Value& left, const Value& right) const {
    return call.has(item_merger) ? call.evaluator.output(call.apply(item_merger, {left, right})) : right;
  }
};

/// Maps member by member, lists joined (without repeating), other values from the right, unless mergers say otherwise.
/// `levels`: how deep; 0 is all the way.
Value merge_maps(const Merging& how, const Value& left, const Value& right, std::int64_t levels) {
  how.call.evaluator.count_items(left.entries().size() + right.entries().size());
  MapBuilder members;
  for (const Entry& entry : left.entries()) {
    const Value* other = right.find(entry.key);
    if (other == nullptr) {
      members.set(entry.key, entry.value);
      continue;
    }
    const bool deeper = levels != 1 && (other->is_map() || other->is_list());
    if (deeper && other->kind() != entry.value.kind())
      throw type_fault(cat("Cannot merge ", type_name(entry.value), " with ", type_name(*other)));
    members.set(entry.key, !deeper           ? how.items(entry.value, *other)
                           : other->is_map() ? merge_maps(how, entry.value, *other, levels == 0 ? 0 : levels - 1)
                                             : how.lists(entry.value, *other));
  }
  for (const Entry& entry : right.entries()) {
    if (left.find(entry.key) == nullptr) members.set(entry.key, entry.value);
  }
  return Value::map(std::move(members));
}

Item merge_with(const Call& call) {
  const Merging how{call, call.place_of("listMerger", 2), call.place_of("itemMerger", 3)};
  return merge_maps(how, call.map(0), call.map(1), call.integer(call.place_of("maxLevels", 4), 0));
}

Item is_list(const Call& call) {
  const Item item = call.at(0);
  return Value::boolean(item.type == Item::Type::plain && item.value.is_list());
}
Item is_dict(const Call& call) { return Value::boolean(call.at(0).is_map()); }
Item is_set(const Call& call) { return Value::boolean(call.at(0).type == Item::Type::set); }
Item is_iterable(const Call& call) {
  const Item item = call.at(0);
  return Value::boolean(item.is_collection());
}

}  // namespace

const std::vector<Library>& collection_library() {
  static const std::vector<Library> library = {
      {"list", Form::function, list},
      {"set", Form::both, [](const Call& c) { return c.receiver ? set_member(c) : set(c); }},
      {"toList", Form::method, to_list},
      {"toSet", Form::method, to_set},
      {"flatten", Form::method, flatten},
      {"dict", Form::function, dict},
      {"toDict", Form::method, to_dict},
      {"get", Form::method, get},
      {"keys", Form::method, keys},
      {"values", Form::method, values},
      {"items", Form::method, items},
      {"contains", Form::method, contains_item},
      {"containsKey", Form::method, contains_key},
      {"containsValue", Form::method, contains_value},
      {"len", Form::both, length},
      {"delete", Form::method, delete_items},
      {"deleteAll", Form::method, delete_all},
      {"insert", Form::method, insert},
      {"concat", Form::both, concat},
      {"append", Form::both, append},
      {"union", Form::method, set_union},
      {"intersect", Form::method, intersect},
      {"difference", Form::method, difference},
      {"symmetricDifference", Form::method, symmetric},
      {"mergeWith", Form::method, merge_with},
      {"isList", Form::function, is_list},
      {"isDict", Form::function, is_dict},
      {"isSet", Form::function, is_set},
      {"isIterable", Form::function, is_iterable}};
  return library;
}

}  // namespace hearth::metadata::yaql
