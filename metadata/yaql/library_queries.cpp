// Going through collections with lambdas: where, select, groupBy, reduce and their kin.
#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/yaql/evaluator.hpp"

namespace hearth::metadata::yaql {

namespace {

Item iterator(std::vector<Value> items) { return {Item::Type::iterator, Value::list(std::move(items))}; }

std::vector<Value> all_of(const Call& call, std::size_t place = 0) {
  Item holder;
  return call.collection(place, holder);
}

/// As much as there is of what may go on for ever.
Item some_of(const Call& call, std::size_t place = 0) {
  Item item = call.has(place) ? call.at(place) : Item();
  if (!item.is_collection()) call.mismatch();
  if (!item.endless) (void)call.evaluator.items(item);
  return item;
}

Item as_endless_as(const Item& from, std::vector<Value> items) {
  Item item = iterator(std::move(items));
  item.endless = from.endless;
  return item;
}

bool holds(const Call& call, std::size_t place, const Value& item) { return is_true(call.apply(place, {item})); }

Item where(const Call& call) {
  std::vector<Value> kept;
  const Item from = some_of(call);
  for (const Value& item : from.value.items()) {
    if (holds(call, 1, item)) kept.push_back(item);
  }
  return as_endless_as(from, std::move(kept));
}

Item select(const Call& call) {
  std::vector<Value> made;
  const Item from = some_of(call);
  for (const Value& item : from.value.items()) made.push_back(call.evaluator.output(call.apply(1, {item})));
  return as_endless_as(from, std::move(made));
}

Item select_many(const Call& call) {
  std::vector<Value> made;
  for (const Value& item : all_of(call)) {
    const Item part = call.apply(1, {item});
    if (!part.is_collection()) {
      made.push_back(call.evaluator.output(part));
      continue;
    }
    const std::vector<Value>& more = call.evaluator.items(part);
    made.insert(made.end(), more.begin(), more.end());
  }
  return iterator(std::move(made));
}

/// How many items; as itertools.islice() takes it.
std::size_t count_of(const Call& call, std::size_t place) {
  if (!call.has(place)) call.mismatch();
  const std::int64_t count = call.integer(place);
  if (count < 0) throw value_fault("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.");
  return static_cast<std::size_t>(count);
}

Item skip(const Call& call) {
  const Item from = some_of(call);
  std::vector<Value> all = from.value.items();
  const std::size_t count = count_of(call, 1);
  all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size())));
  return as_endless_as(from, std::move(all));
}

Item limit(const Call& call) {
  std::vector<Value> all = some_of(call).value.items();
  all.resize(std::min(all.size(), count_of(call, 1)));
  return iterator(std::move(all));
}

Item take_while(const Call& call) {
  std::vector<Value> all = some_of(call).value.items();
  const auto end = std::find_if(all.begin(), all.end(), [&](const Value& v) { return !holds(call, 1, v); });
  all.erase(end, all.end());
  return iterator(std::move(all));
}

Item skip_while(const Call& call) {
  std::vector<Value> all = all_of(call);
  const auto begin = std::find_if(all.begin(), all.end(), [&](const Value& v) { return !holds(call, 1, v); });
  all.erase(all.begin(), begin);
  return iterator(std::move(all));
}

Item distinct(const Call& call) {
  std::vector<Value> kept;
  std::vector<Value> seen;
  for (const Value& item : all_of(call)) {
    const Value key = call.has(1) ? call.evaluator.output(call.apply(1, {item})) : item;
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
    seen.push_back(key);
    kept.push_back(item);
  }
  return iterator(std::move(kept));
}

Item enumerate(const Call& call) {
  std::vector<Value> pairs;
  std::int64_t number = call.integer(1, 0);
  for (const Value& item : all_of(call)) pairs.push_back(Value::list({Value::integer(number++), item}));
  return iterator(std::move(pairs));
}

Item any(const Call& call) {
  const std::vector<Value> all = some_of(call).value.items();
  if (!call.has(1)) return Value::boolean(!all.empty());
  return Value::boolean(std::any_of(all.begin(), all.end(), [&](const Value& v) { return holds(call, 1, v); }));
}

Item all(const Call& call) {
  const std::vector<Value> items = all_of(call);
  return Value::boolean(std::all_of(items.begin(), items.end(),
                                    [&](const Value& v) { return call.has(1) ? holds(call, 1, v) : truth(v); }));
}

Item count(const Call& call) { return Value::integer(static_cast<std::int64_t>(all_of(call).size())); }

Item reduce_by(const std::vector<Value>& items, std::optional<Item> start,
               const std::function<Item(const Item&, const Value&)>& step) {
  for (const Value& item : items) start = start ? step(*start, item) : Item(item);
  if (!start) throw type_fault("reduce() of empty iterable with no initial value");
  return *start;
}

std::optional<Item> seed(const Call& call, std::size_t place) {
  return call.has(place) ? std::optional<Item>(call.at(place)) : std::nullopt;
}

Item sum(const Call& call) {
  return reduce_by(all_of(call), seed(call, 1),
                   [&](const Item& a, const Value& b) { return apply_operator("+", a, b, call.evaluator); });
}

Item aggregate(const Call& call) {
  return reduce_by(all_of(call), seed(call, 2), [&](const Item& a, const Value& b) { return call.apply(1, {a, b}); });
}

Item accumulate(const Call& call) {
  std::vector<Value> made;
  std::optional<Item> sum = seed(call, 2);
  if (sum) made.push_back(call.evaluator.output(*sum));
  for (const Value& item : all_of(call)) {
    sum = sum ? call.apply(1, {*sum, item}) : Item(item);
    made.push_back(call.evaluator.output(*sum));
  }
  if (!sum) throw type_fault("accumulate() of empty sequence with no initial value");
  return iterator(std::move(made));
}

Item extreme(const Call& call, const std::string& wins) {
  const auto better = [&](const Item& a, const Item& b) {
    return is_true(apply_operator(wins, b, a, call.evaluator)) ? b : a;
  };
  if (!call.receiver) {
    if (call.count() != 2) call.mismatch();
    return better(call.at(0), call.at(1));
  }
  return reduce_by(all_of(call), seed(call, 1), [&](const Item& a, const Value& b) { return better(a, b); });
}

Item max(const Call& call) { return extreme(call, ">"); }
Item min(const Call& call) { return extreme(call, "<"); }

Item first(const Call& call) {
  const std::vector<Value> items = some_of(call).value.items();
  const std::optional<Item> otherwise = seed(call, 1);
  if (!items.empty()) return items.front();
  if (otherwise) return *otherwise;
  throw Fault("StopIteration", "the collection is empty");
}

Item last(const Call& call) {
  const std::vector<Value> items = all_of(call);
  const std::optional<Item> otherwise = seed(call, 1);
  if (!items.empty()) return items.back();
  if (otherwise) return *otherwise;
  throw Fault("StopIteration", "the collection is empty");
}

Item single(const Call& call) {
  const std::vector<Value> items = all_of(call);
  if (items.size() == 1) return items.front();
  throw Fault("StopIteration", items.empty() ? "the collection is empty" : "Collection contains more than one item");
}

Item range(const Call& call) {
  const std::int64_t begin = call.has(1) ? call.integer(0) : 0;
  const std::int64_t end = call.has(1) ? call.integer(1) : call.integer(0);
  const std::int64_t step = call.integer(2, 1);
  if (step == 0) throw value_fault("range() arg 3 must not be zero");
  std::vector<Value> numbers;
  for (std::int64_t i = begin; step > 0 ? i < end : i > end; i += step) {
    if (numbers.size() > call.evaluator.limit()) break;  // whoever wants all of them is told
    numbers.push_back(Value::integer(i));
  }
  Item result = iterator(std::move(numbers));
  result.endless = result.value.items().size() > call.evaluator.limit();
  return result;
}

using Group = std::pair<Value, std::vector<Value>>;

/// The aggregator gets the values of a group; where that fails from the first group on, [key, values], as in
/// YAQL 1.1.1.
class Aggregator {
 public:
  explicit Aggregator(const Call& call) : call_(call) {}

  Value operator()(const Value& key, const Value& values) {
    if (!failure_) {
      try {
        const Value result = call_.evaluator.output(call_.apply(3, {values}));
        const bool older = values.items().size() == 2 && result.is_list() && result.items().size() == 2 &&
                           result.items()[0] == values.items()[0];
        if (!older) may_be_older_ = false;
        return Value::list({key, result});
      } catch (const Fault& fault) {
        if (fault.type() != "IndexError" && fault.type().rfind("NoMatching", 0) != 0) throw;
        failure_ = fault;
      }
    }
    if (may_be_older_) {
      try {
        const Value result = call_.evaluator.output(call_.apply(3, {Value::list({key, values})}));
        if (result.is_list() && result.items().size() == 2) return result;
      } catch (const Fault&) {  // the first one says more
      }
    }
    throw *failure_;
  }

 private:
  const Call& call_;
  std::optional<Fault> failure_;
  bool may_be_older_ = true;
};

/// groupBy(key, value, aggregator): [[key, [values]], …]
Item group_by(const Call& call) {
  std::vector<Group> groups;
  for (const Value& item : all_of(call)) {
    const Value value = call.has(2) ? call.evaluator.output(call.apply(2, {item})) : item;
    const Value key = call.evaluator.output(call.apply(1, {item}));
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.first == key; });
    if (found == groups.end()) {
      groups.push_back({key, {value}});
    } else {
      found->second.push_back(value);
    }
  }
  Aggregator aggregate(call);
  std::vector<Value> made;
  for (auto& [key, values] : groups) {
    const Value list = Value::list(std::move(values));
    made.push_back(call.has(3) ? aggregate(key, list) : Value::list({key, list}));
  }
  return iterator(std::move(made));
}

Item zip(const Call& call) {
  std::vector<std::vector<Value>> lists;
  for (std::size_t i = 0; i < call.count(); ++i) lists.push_back(some_of(call, i).value.items());
  std::size_t length = lists.front().size();
  for (const auto& list : lists) length = std::min(length, list.size());
  std::vector<Value> rows;
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<Value> row;
    for (const auto& list : lists) row.push_back(list[i]);
    rows.push_back(Value::list(std::move(row)));
  }
  return iterator(std::move(rows));
}

Item repeat(const Call& call) {
  const std::int64_t times = call.integer(1, -1);
  if (times < 0 || static_cast<std::size_t>(times) > call.evaluator.limit()) {
    throw Fault("CollectionTooLargeException", cat("Collection length exceeds ", call.evaluator.limit(), " elements"));
  }
  return iterator(std::vector<Value>(static_cast<std::size_t>(times), call.evaluator.output(call.at(0))));
}

Item place_of(const Call& call, bool from_end, bool lambda) {
  if (call.at(0).is_text() && !lambda) {
    const std::string text = call.text(0);
    const std::string part = call.text(1);
    const std::size_t found =
        from_end ? text.rfind(part) : text.find(part, static_cast<std::size_t>(call.integer(2, 0)));
    return Value::integer(found == std::string::npos ? -1 : static_cast<std::int64_t>(found));
  }
  const std::vector<Value> items = all_of(call);
  std::int64_t found = -1;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (lambda ? !holds(call, 1, items[i]) : !(items[i] == call.at(1).value)) continue;
    found = static_cast<std::int64_t>(i);
    if (!from_end) break;
  }
  return Value::integer(found);
}

Item index_of(const Call& call) { return place_of(call, false, false); }
Item last_index_of(const Call& call) { return place_of(call, true, false); }
Item index_where(const Call& call) { return place_of(call, false, true); }
Item last_index_where(const Call& call) { return place_of(call, true, true); }

Item slice(const Call& call) {
  const std::vector<Value> items = all_of(call);
  const std::size_t length = count_of(call, 1);
  std::vector<Value> parts;
  if (length == 0) return iterator({});
  for (std::size_t i = 0; i < items.size(); i += length) {
    parts.push_back(Value::list({items.begin() + static_cast<std::ptrdiff_t>(i),
                                 items.begin() + static_cast<std::ptrdiff_t>(std::min(i + length, items.size()))}));
  }
  return iterator(std::move(parts));
}

Item split_at(const Call& call) {
  const std::vector<Value> items = all_of(call);
  const auto size = static_cast<std::int64_t>(items.size());
  std::int64_t place = call.integer(1);
  place = std::clamp<std::int64_t>(place < 0 ? place + size : place, 0, size);
  return Value::list(
      {Value::list({items.begin(), items.begin() + place}), Value::list({items.begin() + place, items.end()})});
}

Item reverse(const Call& call) {
  std::vector<Value> items = all_of(call);
  std::reverse(items.begin(), items.end());
  return iterator(std::move(items));
}

Item default_if_empty(const Call& call) {
  std::vector<Value> items = all_of(call);
  return items.empty() ? call.at(1) : iterator(std::move(items));
}

/// text.join(list), list.join(text), and list.join(list, predicate, selector).
Item join_items(const Call& call) {
  if (call.count() == 4) {
    std::vector<Value> made;
    const std::vector<Value> right = all_of(call, 1);
    for (const Value& a : all_of(call)) {
      for (const Value& b : right) {
        if (is_true(call.apply(2, {a, b}))) made.push_back(call.evaluator.output(call.apply(3, {a, b})));
      }
    }
    return iterator(std::move(made));
  }
  const bool text_first = call.at(0).is_text();
  const std::string separator = call.text(text_first ? 0 : 1);
  std::vector<std::string> texts;
  for (const Value& item : all_of(call, text_first ? 1 : 0)) texts.push_back(text_of(item));
  return Value::string(join(texts, separator));
}

Item coalesce(const Call& call) {
  for (std::size_t i = 0; i < call.count(); ++i) {
    Item item = call.at(i);
    if (!item.value.is_null()) return item;
  }
  return {};
}

/// switch(condition => value, …)
Item switch_rules(const Call& call) {
  for (const SyntaxPtr& rule : call.arguments) {
    if (rule->type != Syntax::Type::rule) call.mismatch();
    if (is_true(call.evaluator.evaluate(*rule->parts[0], call.variables)))
      return call.evaluator.evaluate(*rule->parts[1], call.variables);
  }
  return {};
}

/// let(name => value, …): names for what stands behind "->". with(value, …) names them $1, $2, …
Item let(const Call& call) {
  auto variables = std::make_shared<std::map<std::string, Item>>();
  std::size_t number = 1;
  for (const SyntaxPtr& argument : call.arguments) {
    if (argument->type == Syntax::Type::rule) {
      (*variables)["$" + argument->parts[0]->name] = call.evaluator.evaluate(*argument->parts[1], call.variables);
    } else {
      const Item item = call.evaluator.evaluate(*argument, call.variables);
      (*variables)[number == 1 ? "$" : cat("$", number)] = item;
      ++number;
    }
  }
  Item context;
  context.type = Item::Type::context;
  context.variables = variables;
  return context;
}

}  // namespace

const std::vector<Library>& query_library() {
  static const std::vector<Library> library = {{"where", Form::method, where},
                                               {"filter", Form::method, where},
                                               {"select", Form::method, select},
                                               {"map", Form::method, select},
                                               {"selectMany", Form::method, select_many},
                                               {"skip", Form::method, skip},
                                               {"limit", Form::method, limit},
                                               {"take", Form::method, limit},
                                               {"takeWhile", Form::method, take_while},
                                               {"skipWhile", Form::method, skip_while},
                                               {"distinct", Form::both, distinct},
                                               {"enumerate", Form::both, enumerate},
                                               {"any", Form::both, any},
                                               {"all", Form::both, all},
                                               {"count", Form::method, count},
                                               {"sum", Form::method, sum},
                                               {"aggregate", Form::method, aggregate},
                                               {"reduce", Form::method, aggregate},
                                               {"accumulate", Form::method, accumulate},
                                               {"max", Form::both, max},
                                               {"min", Form::both, min},
                                               {"first", Form::method, first},
                                               {"last", Form::method, last},
                                               {"single", Form::method, single},
                                               {"range", Form::function, range},
                                               {"groupBy", Form::method, group_by},
                                               {"zip", Form::method, zip},
                                               {"repeat", Form::method, repeat},
                                               {"indexOf", Form::method, index_of},
                                               {"lastIndexOf", Form::method, last_index_of},
                                               {"indexWhere", Form::method, index_where},
                                               {"lastIndexWhere", Form::method, last_index_where},
                                               {"slice", Form::method, slice},
                                               {"splitAt", Form::method, split_at},
                                               {"reverse", Form::method, reverse},
                                               {"defaultIfEmpty", Form::method, default_if_empty},
                                               {"join", Form::method, join_items},
                                               {"coalesce", Form::function, coalesce},
                                               {"switch", Form::function, switch_rules},
                                               {"let", Form::function, let},
                                               {"with", Form::function, let}};
  return library;
}

}  // namespace hearth::metadata::yaql
