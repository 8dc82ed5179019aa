// Sequences that are made by rules, without an end perhaps; orders of several keys; parts put into sequences.
#include <algorithm>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/yaql/evaluator.hpp"

namespace hearth::metadata::yaql {

namespace {

Item iterator(std::vector<Value> items) { return {Item::Type::iterator, Value::list(std::move(items))}; }

/// What may go on for ever is made to just beyond the limit: whoever wants all of it is told.
class Growing {
 public:
  explicit Growing(const Call& call) : limit_(call.evaluator.limit()) {}
  [[nodiscard]] bool is_full() const { return items_.size() > limit_; }
  void add(Value value) { items_.push_back(std::move(value)); }
  [[nodiscard]] Item done() {
    const bool endless = is_full();
    Item item = iterator(std::move(items_));
    item.endless = endless;
    return item;
  }

 private:
  std::size_t limit_;
  std::vector<Value> items_;
};

bool contains(const std::vector<Value>& items, const Value& value) {
  return std::find(items.begin(), items.end(), value) != items.end();
}

Item sequence(const Call& call) {
  const std::int64_t step = call.integer(call.place_of("step", 1), 1);
  std::int64_t number = call.integer(call.place_of("start", 0), 0);
  Growing made(call);
  while (!made.is_full()) {
    made.add(Value::integer(number));
    if (__builtin_add_overflow(number, step, &number)) throw Fault("OverflowError", "this number is beyond 64 bits");
  }
  return made.done();
}

Item cycle(const Call& call) {
  Item holder;
  const std::vector<Value> items = call.collection(0, holder);
  if (items.empty()) return iterator({});
  Growing made(call);
  for (std::size_t i = 0; !made.is_full(); ++i) made.add(items[i % items.size()]);
  return made.done();
}

Item memorize(const Call& call) {
  Item item = call.at(0);
  if (!item.is_collection()) call.mismatch();
  item.type = Item::Type::iterator;
  return item;
}

Value made_of(const Call& call, std::size_t selector, const Value& item) {
  return call.has(selector) ? call.evaluator.output(call.apply(selector, {item})) : item;
}

bool asked_for(const Call& call, std::string_view name, std::size_t place) {
  const std::size_t at = call.place_of(name, place);
  return call.has(at) && is_true(call.at(at));
}

/// generate(initial, predicate, producer, selector, decycle)
Item generate(const Call& call) {
  if (call.count() < 3) call.mismatch();
  const std::size_t selector = call.place_of("selector", 3);
  const bool decycle = asked_for(call, "decycle", 4);
  Value item = call.evaluator.output(call.at(call.place_of("initial", 0)));
  std::vector<Value> past;
  Growing made(call);
  while (!made.is_full() && is_true(call.apply(call.place_of("predicate", 1), {item}))) {
    if (decycle && contains(past, item)) break;
    if (decycle) past.push_back(item);
    made.add(made_of(call, selector, item));
    item = call.evaluator.output(call.apply(call.place_of("producer", 2), {item}));
  }
  return made.done();
}

/// generateMany(initial, producer, selector, decycle, depthFirst): the producer gives the next ones of each.
Item generate_many(const Call& call) {
  if (call.count() < 2) call.mismatch();
  const std::size_t selector = call.place_of("selector", 2);
  const bool decycle = asked_for(call, "decycle", 3);
  const bool depth_first = asked_for(call, "depthFirst", 4);
  std::vector<Value> past;
  std::vector<Value> queue{call.evaluator.output(call.at(call.place_of("initial", 0)))};
  Growing made(call);
  for (std::size_t next = 0; next < queue.size() && !made.is_full(); ++next) {
    const Value item = queue[next];
    if (decycle && contains(past, item)) continue;
    if (decycle) past.push_back(item);
    made.add(made_of(call, selector, item));
    const Item produced = call.apply(call.place_of("producer", 1), {item});
    if (!produced.is_collection()) throw type_fault("what the producer of generateMany gives is not iterable");
    const std::vector<Value>& more = call.evaluator.items(produced);
    const auto at = depth_first ? queue.begin() + static_cast<std::ptrdiff_t>(next) + 1 : queue.end();
    queue.insert(at, more.begin(), more.end());
  }
  return made.done();
}

/// zipLongest(list, …, default => value)
Item zip_longest(const Call& call) {
  const std::size_t filler = call.place_of("default", call.count());
  const Value fill = call.has(filler) ? call.evaluator.output(call.at(filler)) : Value();
  std::vector<std::vector<Value>> lists;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < call.count(); ++i) {
    if (i == filler) continue;
    Item holder;
    lists.push_back(call.collection(i, holder));
    longest = std::max(longest, lists.back().size());
  }
  std::vector<Value> rows;
  for (std::size_t i = 0; i < longest; ++i) {
    std::vector<Value> row;
    for (const auto& list : lists) row.push_back(i < list.size() ? list[i] : fill);
    rows.push_back(Value::list(std::move(row)));
  }
  return iterator(std::move(rows));
}

/// Ordered by one more key: within those that were equal so far.
Item ordered_by(const Call& call, const Item& before, const std::string& less) {
  const std::vector<Value>& items = call.evaluator.items(before);
  const std::vector<std::size_t> none(items.size(), 0);
  const std::vector<std::size_t>& ties = before.ties ? *before.ties : none;
  std::vector<Item> keys;
  for (const Value& item : items) keys.push_back(items.size() > 1 ? call.apply(1, {item}) : Item());
  const auto comes_first = [&](std::size_t a, std::size_t b) {
    return is_true(apply_operator(less, keys[a], keys[b], call.evaluator));
  };
  std::vector<std::size_t> order(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return ties[a] != ties[b] ? ties[a] < ties[b] : comes_first(a, b);
  });
  std::vector<Value> sorted;
  auto groups = std::make_shared<std::vector<std::size_t>>();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && ties[order[i]] == ties[order[i - 1]] && !comes_first(order[i - 1], order[i]);
    groups->push_back(i == 0 ? 0 : groups->back() + (same ? 0 : 1));
    sorted.push_back(items[order[i]]);
  }
  Item result(Item::Type::view, Value::list(std::move(sorted)));
  result.ties = std::move(groups);
  return result;
}

Item order(const Call& call, const std::string& less) {
  Item item = call.at(0);
  if (!item.is_collection()) call.mismatch();
  item.ties = nullptr;
  return ordered_by(call, item, less);
}

Item then(const Call& call, const std::string& less) {
  const Item item = call.at(0);
  if (!item.ties) call.mismatch();
  return ordered_by(call, item, less);
}

Item order_by(const Call& call) { return order(call, "<"); }
Item order_by_descending(const Call& call) { return order(call, ">"); }
Item then_by(const Call& call) { return then(call, "<"); }
Item then_by_descending(const Call& call) { return then(call, ">"); }

Value part(const std::vector<Value>& items, std::size_t begin, std::size_t end) {
  return Value::list(
      {items.begin() + static_cast<std::ptrdiff_t>(begin), items.begin() + static_cast<std::ptrdiff_t>(end)});
}

/// Cut at the items for which the predicate holds, which are left out.
Item split_where(const Call& call) {
  Item holder;
  const std::vector<Value> items = call.collection(0, holder);
  std::vector<Value> parts;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!is_true(call.apply(1, {items[i]}))) continue;
    parts.push_back(part(items, begin, i));
    begin = i + 1;
  }
  if (begin != items.size()) parts.push_back(part(items, begin, items.size()));
  return iterator(std::move(parts));
}

/// Cut where the predicate's value changes.
Item slice_where(const Call& call) {
  Item holder;
  const std::vector<Value> items = call.collection(0, holder);
  std::vector<Value> parts;
  std::size_t begin = 0;
  std::optional<Value> before;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Value now = call.evaluator.output(call.apply(1, {items[i]}));
    if (before && !(*before == now)) {
      parts.push_back(part(items, begin, i));
      begin = i;
    }
    before = std::move(now);
  }
  if (begin != items.size()) parts.push_back(part(items, begin, items.size()));
  return iterator(std::move(parts));
}

Item insert_many(const Call& call) {
  Item holder;
  Item other;
  std::vector<Value> items = call.collection(0, holder);
  const std::int64_t place = call.integer(1);
  const std::vector<Value>& more = call.collection(2, other);
  const auto at = std::clamp<std::int64_t>(place, 0, static_cast<std::int64_t>(items.size()));
  items.insert(items.begin() + at, more.begin(), more.end());
  return iterator(std::move(items));
}

/// replaceMany(position, values, count): a negative count is all of the rest.
Item replace_many(const Call& call) {
  Item holder;
  Item other;
  const std::vector<Value> items = call.collection(0, holder);
  const std::int64_t place = call.integer(1);
  const std::vector<Value>& values = call.collection(2, other);
  const std::int64_t count = call.integer(call.place_of("count", 3), 1);
  std::vector<Value> made;
  bool given = false;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(items.size()); ++i) {
    if (i < place || (count >= 0 && i >= place + count)) {
      made.push_back(items[static_cast<std::size_t>(i)]);
    } else if (!std::exchange(given, true)) {
      made.insert(made.end(), values.begin(), values.end());
    }
  }
  return iterator(std::move(made));
}

Item changed_set(const Call& call, bool adds) {
  const Item before = call.at(0);
  if (before.type != Item::Type::set) call.mismatch();
  std::vector<Value> items = before.value.items();
  for (std::size_t i = 1; i < call.count(); ++i) {
    const Value value = call.evaluator.output(call.at(i));
    if (!adds) std::erase_if(items, [&](const Value& item) { return item == value; });
    if (adds && !contains(items, value)) items.push_back(value);
  }
  return {Item::Type::set, Value::list(std::move(items))};
}

Item add(const Call& call) { return changed_set(call, true); }
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
                                               {"add", Form::method, add},
                                               {"remove", Form::method, remove}};
  return library;
}

}  // namespace hearth::metadata::yaql
