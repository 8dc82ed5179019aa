// Sequences that are made by rules, without an end perhaps; orders of several keys; parts put into sequences.
#include <algorithm>
#include <bit>
#include <deque>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/yaql/evaluator.hpp"

namespace hearth::metadata::yaql {

struct Ordering {
  struct Key {
    Lambda of;
    bool descending;
  };
  Cursor from;
  std::vector<Key> keys;
};

namespace {

std::vector<Value> all_from(Cursor from) {
  std::vector<Value> all;
  while (std::optional<Value> item = from.next()) all.push_back(std::move(*item));
  return all;
}

Item sequence(const Call& call) {
  const std::int64_t step = call.integer(call.place_of("step", 1), 1);
  return made_lazily([number = call.integer(call.place_of("start", 0), 0), step]() mutable -> std::optional<Value> {
    const std::int64_t now = number;
    if (__builtin_add_overflow(number, step, &number)) throw Fault("OverflowError", "this number is beyond 64 bits");
    return Value::integer(now);
  });
}

Item cycle(const Call& call) {
  std::vector<Value> seen;
  return made_lazily([from = call.cursor(0), seen, place = std::size_t{0}]() mutable -> std::optional<Value> {
    if (std::optional<Value> item = from.next()) {
      seen.push_back(*item);
      return item;
    }
    if (seen.empty()) return std::nullopt;
    return seen[place++ % seen.size()];
  });
}

Item memorize(const Call& call) {
  return made_lazily([from = call.cursor(0)]() mutable { return from.next(); });
}

std::optional<Lambda> optional_lambda(const Call& call, std::size_t place) {
  return call.has(place) ? std::optional<Lambda>(call.lambda(place)) : std::nullopt;
}

bool asked_for(const Call& call, std::string_view name, std::size_t place) {
  const std::size_t at = call.place_of(name, place);
  return call.has(at) && is_true(call.at(at));
}

/// generate(initial, predicate, producer, selector, decycle)
Item generate(const Call& call) {
  if (call.count() < 3) call.mismatch();
  ValueSet past;
  std::optional<Value> next = call.evaluator.output(call.at(call.place_of("initial", 0)));
  return made_lazily(
      [goes_on = call.lambda(call.place_of("predicate", 1)), follow = call.lambda(call.place_of("producer", 2)),
       made = optional_lambda(call, call.place_of("selector", 3)), decycle = asked_for(call, "decycle", 4), past,
       item = next, begun = false]() mutable -> std::optional<Value> {
        if (std::exchange(begun, true)) item = follow.value(*item);
        if (!goes_on.holds(*item) || (decycle && !past.insert(*item).second)) return std::nullopt;
        return made ? made->value(*item) : *item;
      });
}

/// generateMany(initial, producer, selector, decycle, depthFirst): the producer gives the next ones of each.
Item generate_many(const Call& call) {
  if (call.count() < 2) call.mismatch();
  ValueSet past;
  std::deque<Value> queue{call.evaluator.output(call.at(call.place_of("initial", 0)))};
  return made_lazily([follow = call.lambda(call.place_of("producer", 1)),
                      made = optional_lambda(call, call.place_of("selector", 2)),
                      decycle = asked_for(call, "decycle", 3), depth_first = asked_for(call, "depthFirst", 4), past,
                      queue, last = std::optional<Value>()]() mutable -> std::optional<Value> {
    if (last) {
      const Item produced = follow({*last});
      if (!produced.is_collection()) throw type_fault("what the producer of generateMany gives is not iterable");
      const std::vector<Value>& more = follow.evaluator().items(produced);
      queue.insert(depth_first ? queue.begin() : queue.end(), more.begin(), more.end());
      last.reset();
    }
    while (!queue.empty()) {
      const Value item = queue.front();
      queue.pop_front();
      if (decycle && !past.insert(item).second) continue;
      last = item;
      return made ? made->value(item) : item;
    }
    return std::nullopt;
  });
}

/// zipLongest(list, …, default => value)
Item zip_longest(const Call& call) {
  const std::size_t filler = call.place_of("default", call.count());
  const Value fill = call.has(filler) ? call.evaluator.output(call.at(filler)) : Value();
  std::vector<Cursor> lists;
  for (std::size_t i = 0; i < call.count(); ++i) {
    if (i != filler) lists.push_back(call.cursor(i));
  }
  return made_lazily([lists, fill]() mutable -> std::optional<Value> {
    std::vector<Value> row;
    bool any = false;
    for (Cursor& list : lists) {
      std::optional<Value> item = list.next();
      any = any || item.has_value();
      row.push_back(std::move(item).value_or(fill));
    }
    return any ? std::optional<Value>(Value::list(std::move(row))) : std::nullopt;
  });
}

/// Sorted when somebody asks, by as many of the keys as it takes to tell two items apart.
std::vector<Value> sorted_by(const Ordering& ordering) {
  std::vector<Value> items = all_from(ordering.from);
  const auto comes_first = [&](const Value& a, const Value& b) {
    for (const Ordering::Key& key : ordering.keys) {
      const Item left = key.of({a});
      const Item right = key.of({b});
      Evaluator& evaluator = key.of.evaluator();
      if (is_true(apply_operator("<", left, right, evaluator))) return !key.descending;
      if (is_true(apply_operator(">", left, right, evaluator))) return key.descending;
    }
    return false;
  };
  // A merge compares at least half of its items, and a comparison takes two steps at least.
  constexpr std::size_t k_inserted = 8;  // runs that are sorted before there is any merge
  if (items.size() > k_inserted)
    ordering.keys.front().of.evaluator().require_steps(items.size() * (std::bit_width(items.size() / k_inserted) - 1));
  std::stable_sort(items.begin(), items.end(), comes_first);
  return items;
}

Item ordered(Ordering ordering) {
  Item result(Item::Type::view, Value::list({}));
  result.ordering = std::make_shared<const Ordering>(std::move(ordering));
  std::optional<std::vector<Value>> all;
  result.sequence = std::make_shared<Sequence>(
      [how = result.ordering, all, place = std::size_t{0}]() mutable -> std::optional<Value> {
        if (!all) all = sorted_by(*how);
        return place < all->size() ? std::optional<Value>((*all)[place++]) : std::nullopt;
      },
      true);
  return result;
}

Item order(const Call& call, bool descending) { return ordered({call.cursor(0), {{call.lambda(1), descending}}}); }

Item then(const Call& call, bool descending) {
  const Item item = call.at(0);
  if (!item.ordering) call.mismatch();
  Ordering more = *item.ordering;
  more.keys.push_back({call.lambda(1), descending});
  return ordered(std::move(more));
}

Item order_by(const Call& call) { return order(call, false); }
Item order_by_descending(const Call& call) { return order(call, true); }
Item then_by(const Call& call) { return then(call, false); }
Item then_by_descending(const Call& call) { return then(call, true); }

Value part(const std::vector<Value>& items, std::size_t begin, std::size_t end) {
  return Value::list(
      {items.begin() + static_cast<std::ptrdiff_t>(begin), items.begin() + static_cast<std::ptrdiff_t>(end)});
}

/// Cut at the items for which the predicate holds, which are left out.
Item split_where(const Call& call) {
  return made_at_once_but_late([from = call.cursor(0), cuts = call.lambda(1)] {
    const std::vector<Value> items = all_from(from);
    std::vector<Value> parts;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!cuts.holds(items[i])) continue;
      parts.push_back(part(items, begin, i));
      begin = i + 1;
    }
    if (begin != items.size()) parts.push_back(part(items, begin, items.size()));
    return parts;
  });
}

/// Cut where the predicate's value changes.
Item slice_where(const Call& call) {
  return made_at_once_but_late([from = call.cursor(0), side = call.lambda(1)] {
    const std::vector<Value> items = all_from(from);
    std::vector<Value> parts;
    std::size_t begin = 0;
    std::optional<Item> before;
    for (std::size_t i = 0; i < items.size(); ++i) {
      Item now = side({items[i]});
      if (before && is_true(apply_operator("!=", *before, now, side.evaluator()))) {
        parts.push_back(part(items, begin, i));
        begin = i;
      }
      before = std::move(now);
    }
    if (begin != items.size()) parts.push_back(part(items, begin, items.size()));
    return parts;
  });
}

/// At the place, or at the end of what is shorter.
Item insert_many(const Call& call) {
  return made_lazily([from = call.cursor(0), left = std::max<std::int64_t>(0, call.integer(1)),
                      more = call.cursor(2)]() mutable -> std::optional<Value> {
    if (left > 0) {
      if (std::optional<Value> item = from.next()) {
        --left;
        return item;
      }
      left = 0;
    }
    if (std::optional<Value> item = more.next()) return item;
    return from.next();
  });
}

/// replaceMany(position, values, count): a negative count is all of the rest.
Item replace_many(const Call& call) {
  const std::int64_t count = call.integer(call.place_of("count", 3), 1);
  return made_at_once_but_late([from = call.cursor(0), place = call.integer(1), with = call.cursor(2), count] {
    const std::vector<Value> items = all_from(from);
    const std::vector<Value> values = all_from(with);
    std::vector<Value> made;
    bool given = false;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(items.size()); ++i) {
      if (i < place || (count >= 0 && i >= place + count)) {
        made.push_back(items[static_cast<std::size_t>(i)]);
      } else if (!std::exchange(given, true)) {
        made.insert(made.end(), values.begin(), values.end());
      }
    }
    return made;
  });
}

Item changed_set(const Call& call, bool adds) {
  const Item before = call.at(0);
  if (before.type != Item::Type::set) call.mismatch();
  if (before.of_map != Item::PartOfMap::no)
    throw Fault("AttributeError", cat("the keys and items of a map have no ", call.name, " in Python"));
  std::vector<Value> items = call.evaluator.items(before);
  for (std::size_t i = 1; i < call.count(); ++i) {
    const Value value = call.evaluator.output(call.at(i));
    call.evaluator.count_items(items.size());
    if (!adds) std::erase_if(items, [&](const Value& item) { return item == value; });
    if (adds && std::find(items.begin(), items.end(), value) == items.end()) items.push_back(value);
  }
  return {Item::Type::set, Value::list(std::move(items))};
}

Item add_to_set(const Call& call) { return changed_set(call, true); }
Item remove(const Call& call) { return changed_set(call, false); }

}  // namespace

const std::vector<Library>& sequence_library() {
  static const std::vector<Library> library = {{"sequence", Form::function, sequence},
                                               {"cycle", Form::method, cycle},
                                               {"memorize", Form::method, memorize},
                                               {"generate", Form::function, generate},
                                               {"generateMany", Form::function, generate_many},
                                               {"zipLongest", Form::method, zip_longest},
                                               {"orderBy", Form::method, order_by},
                                               {"orderByDescending", Form::method, order_by_descending},
                                               {"thenBy", Form::method, then_by},
                                               {"thenByDescending", Form::method, then_by_descending},
                                               {"splitWhere", Form::method, split_where},
                                               {"sliceWhere", Form::method, slice_where},
                                               {"insertMany", Form::method, insert_many},
                                               {"replaceMany", Form::method, replace_many},
                                               {"add", Form::method, add_to_set},
                                               {"remove", Form::method, remove}};
  return library;
}

}  // namespace hearth::metadata::yaql
