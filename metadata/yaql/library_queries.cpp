// Going through collections with lambdas: where, select, groupBy, reduce and their kin.
#include <algorithm>
#include <functional>
#include <unordered_map>

#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/yaql/evaluator.hpp"

namespace hearth::metadata::yaql {

namespace {

Item iterator_over(std::vector<Value> items) { return {Item::Type::iterator, Value::list(std::move(items))}; }

std::vector<Value> all_of(const Call& call, std::size_t place = 0) {
  Item holder;
  return call.collection(place, holder);
}

/// How many items; as itertools.islice() takes it.
std::size_t count_of(const Call& call, std::size_t place) {
  if (!call.has(place)) call.mismatch();
  const std::int64_t count = call.integer(place);
  if (count < 0) throw value_fault("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.");
  return static_cast<std::size_t>(count);
}

Item where(const Call& call) {
  return made_lazily([from = call.cursor(0), test = call.lambda(1)]() mutable -> std::optional<Value> {
    std::optional<Value> item = from.next();
    while (item && !test.holds(*item)) item = from.next();
    return item;
  });
}

Item select(const Call& call) {
  return made_lazily([from = call.cursor(0), made = call.lambda(1)]() mutable -> std::optional<Value> {
    const std::optional<Value> item = from.next();
    return item ? std::optional<Value>(made.value(*item)) : std::nullopt;
  });
}

Item select_many(const Call& call) {
  std::optional<Cursor> inner;
  return made_lazily([from = call.cursor(0), made = call.lambda(1), inner]() mutable -> std::optional<Value> {
    while (true) {
      if (inner) {
        if (std::optional<Value> item = inner->next()) return item;
        inner.reset();
      }
      const std::optional<Value> item = from.next();
      if (!item) return std::nullopt;
      Item part = made({*item});
      if (!part.is_collection()) return made.evaluator().output(part);
      inner.emplace(made.evaluator(), std::move(part));
    }
  });
}

Item skip(const Call& call) {
  return made_lazily([from = call.cursor(0), left = count_of(call, 1)]() mutable {
    for (; left > 0 && from.next(); --left) {
    }
    left = 0;
    return from.next();
  });
}

Item limit(const Call& call) {
  return made_lazily([from = call.cursor(0), left = count_of(call, 1)]() mutable -> std::optional<Value> {
    if (left == 0) return std::nullopt;
    --left;
    return from.next();
  });
}

Item take_while(const Call& call) {
  return made_lazily([from = call.cursor(0), test = call.lambda(1)]() mutable -> std::optional<Value> {
    std::optional<Value> item = from.next();
    return item && test.holds(*item) ? item : std::nullopt;
  });
}

Item skip_while(const Call& call) {
  bool skips = true;
  return made_lazily([from = call.cursor(0), test = call.lambda(1), skips]() mutable -> std::optional<Value> {
    std::optional<Value> item = from.next();
    while (skips && item && test.holds(*item)) item = from.next();
    skips = false;
    return item;
  });
}

std::optional<Lambda> lambda_at(const Call& call, std::size_t place) {
  return call.has(place) ? std::optional<Lambda>(call.lambda(place)) : std::nullopt;
}

Item distinct(const Call& call) {
  if (!call.has(1)) require_hashable(call.at(0));
  ValueSet seen;
  return made_lazily([from = call.cursor(0), key_of = lambda_at(call, 1), seen]() mutable -> std::optional<Value> {
    while (std::optional<Value> item = from.next()) {
      const Item made = key_of ? (*key_of)({*item}) : Item(*item);
      if (made.sequence) return item;  // it equals nothing but itself
      if (seen.insert(made.value).second) return item;
    }
    return std::nullopt;
  });
}

Item enumerate(const Call& call) {
  Item pairs = made_lazily([from = call.cursor(0), number = call.integer(1, 0)]() mutable -> std::optional<Value> {
    const std::optional<Value> item = from.next();
    return item ? std::optional<Value>(Value::list({Value::integer(number++), *item})) : std::nullopt;
  });
  pairs.of_lists = true;
  return pairs;
}

Item any(const Call& call) {
  Cursor from = call.cursor(0);
  while (const std::optional<Value> item = from.next()) {
    if (!call.has(1) || call.lambda(1).holds(*item)) return Value::boolean(true);
  }
  return Value::boolean(false);
}

Item all(const Call& call) {
  Cursor from = call.cursor(0);
  while (const std::optional<Value> item = from.next()) {
    if (!(call.has(1) ? call.lambda(1).holds(*item) : truth(*item))) return Value::boolean(false);
  }
  return Value::boolean(true);
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

/// reduce() of what is there yet, again and again.
Item accumulate(const Call& call) {
  std::optional<Item> sum = seed(call, 2);
  const bool seeded = sum.has_value();
  bool begun = false;
  return made_lazily(
      [from = call.cursor(0), step = call.lambda(1), sum, seeded, begun]() mutable -> std::optional<Value> {
        const bool first = !std::exchange(begun, true);
        if (first && seeded) return step.evaluator().output(*sum);
        const std::optional<Value> item = from.next();
        if (!item && first) throw type_fault("accumulate() of empty sequence with no initial value");
        if (!item) return std::nullopt;
        sum = sum ? step({*sum, *item}) : Item(*item);
        return step.evaluator().output(*sum);
      });
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
  const std::optional<Value> item = call.cursor(0).next();
  const std::optional<Item> otherwise = seed(call, 1);
  if (item) return *item;
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
  return made_lazily([number = begin, end, step]() mutable -> std::optional<Value> {
    if (step > 0 ? number >= end : number <= end) return std::nullopt;
    const std::int64_t now = number;
    if (__builtin_add_overflow(number, step, &number)) number = end;
    return Value::integer(now);
  });
}

using Group = std::pair<Value, std::vector<Value>>;

/// The aggregator gets the values of a group; where that fails from the first group on, [key, values], as in
/// YAQL 1.1.1.
class Aggregator {
 public:
  explicit Aggregator(Lambda aggregate) : aggregate_(std::move(aggregate)) {}

  Value operator()(const Value& key, const Value& values) {
    if (!failure_) {
      try {
        const Value result = aggregate_.value(values);
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
        Value result = aggregate_.value(Value::list({key, values}));
        if (result.is_list() && result.items().size() == 2) return result;
      } catch (const Fault&) {  // the first one says more
      }
    }
    throw *failure_;
  }

 private:
  Lambda aggregate_;
  std::optional<Fault> failure_;
  bool may_be_older_ = true;
};

/// groupBy(key, value, aggregator): [[key, [values]], …]
Item group_by(const Call& call) {
  std::vector<Group> groups;
  std::unordered_map<Value, std::size_t, ValueHash> places;
  for (const Value& item : all_of(call)) {
    const Value value = call.has(2) ? call.evaluator.output(call.apply(2, {item})) : item;
    const Value key = call.evaluator.output(call.apply(1, {item}));
    const auto [place, is_new] = places.emplace(key, groups.size());
    if (is_new) groups.push_back({key, {}});
    groups[place->second].second.push_back(value);
  }
  std::optional<Aggregator> aggregate;
  if (call.has(3)) aggregate.emplace(call.lambda(3));
  Item made =
      made_lazily([groups = std::move(groups), aggregate, place = std::size_t{0}]() mutable -> std::optional<Value> {
        if (place == groups.size()) return std::nullopt;
        const auto& [key, values] = groups[place++];
        const Value list = Value::list(values);
        return aggregate ? (*aggregate)(key, list) : Value::list({key, list});
      });
  made.of_lists = true;
  return made;
}

Item zip(const Call& call) {
  std::vector<Cursor> lists;
  for (std::size_t i = 0; i < call.count(); ++i) lists.push_back(call.cursor(i));
  return made_lazily([lists]() mutable -> std::optional<Value> {
    std::vector<Value> row;
    for (Cursor& list : lists) {
      std::optional<Value> item = list.next();
      if (!item) return std::nullopt;
      row.push_back(std::move(*item));
    }
    return Value::list(std::move(row));
  });
}

/// repeat(times); without end when there is no number.
Item repeat(const Call& call) {
  const std::int64_t times = call.integer(1, -1);
  return made_lazily(
      [what = call.evaluator.output(call.at(0)), times, made = std::int64_t{0}]() mutable -> std::optional<Value> {
        return times >= 0 && made++ >= times ? std::nullopt : std::optional<Value>(what);
      });
}

Item place_of(const Call& call, bool from_end, bool lambda) {
  if (call.at(0).is_text() && !lambda) {
    const std::string text = call.text(0);
    const std::string part = call.text(1);
    const std::size_t found =
        from_end ? find_last_part(text, part) : find_part(text, part, static_cast<std::size_t>(call.integer(2, 0)));
    return Value::integer(found == std::string::npos ? -1 : static_cast<std::int64_t>(found));
  }
  Cursor from = call.cursor(0);
  std::int64_t found = -1;
  std::int64_t place = 0;
  for (; const std::optional<Value> item = from.next(); ++place) {
    if (lambda ? !call.lambda(1).holds(*item) : !(*item == call.at(1).value)) continue;
    found = place;
    if (!from_end) break;
  }
  return Value::integer(found);
}

Item index_of(const Call& call) { return place_of(call, false, false); }
Item last_index_of(const Call& call) { return place_of(call, true, false); }
Item index_where(const Call& call) { return place_of(call, false, true); }
Item last_index_where(const Call& call) { return place_of(call, true, true); }

Item slice(const Call& call) {
  return made_lazily([from = call.cursor(0), length = count_of(call, 1)]() mutable -> std::optional<Value> {
    std::vector<Value> part;
    while (part.size() < length) {
      std::optional<Value> item = from.next();
      if (!item) break;
      part.push_back(std::move(*item));
    }
    return part.empty() ? std::nullopt : std::optional<Value>(Value::list(std::move(part)));
  });
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
  return iterator_over(std::move(items));
}

Item default_if_empty(const Call& call) {
  Item otherwise = call.at(1);
  if (!otherwise.is_collection()) call.mismatch();
  std::vector<Value> items = all_of(call);
  return items.empty() ? otherwise : iterator_over(std::move(items));
}

Item join_collections(const Call& call) {
  Item right(Item::Type::iterator, Value::list({}));
  right.sequence = std::make_shared<Sequence>([from = call.cursor(1)]() mutable { return from.next(); }, true);
  std::optional<Value> left;
  std::optional<Cursor> beside;
  return made_lazily([from = call.cursor(0), right, test = call.lambda(2), made = call.lambda(3), left,
                      beside]() mutable -> std::optional<Value> {
    while (true) {
      if (!beside) {
        left = from.next();
        if (!left) return std::nullopt;
        beside.emplace(test.evaluator(), right);
      }
      while (const std::optional<Value> item = beside->next()) {
        if (is_true(test({*left, *item}))) return made.evaluator().output(made({*left, *item}));
      }
      beside.reset();
    }
  });
}

/// text.join(list), list.join(text), and list.join(list, predicate, selector).
Item join_items(const Call& call) {
  if (call.count() == 4) return join_collections(call);
  const bool text_first = call.at(0).is_text();
  const std::string separator = call.text(text_first ? 0 : 1);
  std::vector<std::string> texts;
  std::uint64_t size = 0;
  for (const Value& item : all_of(call, text_first ? 1 : 0)) {
    texts.push_back(text_of(item));
    size += texts.back().size() + separator.size();
    require_room(size);
  }
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
