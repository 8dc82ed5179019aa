// map_merge, map_replace, repeat, list_concat, filter, contains.
#include <algorithm>
#include <set>

#include "metadata/language/arguments.hpp"
#include "metadata/language/functions.hpp"
#include "metadata/model/characters.hpp"
#include "metadata/model/value_limits.hpp"

namespace hearth::metadata {

namespace {

bool is_sequence(const Value& value) { return value.is_list() || value.is_string(); }

/// Characters of a text as Python iterates over it are never maps or lists, so any text that is not empty is refused.
std::vector<Value> sequence_items(const Value& value) {
  return value.is_list() ? value.items() : std::vector<Value>(value.text().empty() ? 0 : 1, value);
}

std::optional<Value> first_waiting(const Value& value) {
  if (value.is_waiting()) return value;
  if (!value.is_list()) return std::nullopt;
  std::vector<Event> events;
  for (const Value& item : value.items()) {
    if (item.is_waiting()) events.insert(events.end(), item.events().begin(), item.events().end());
  }
  return events.empty() ? std::nullopt : std::optional<Value>(Value::waiting(std::move(events)));
}

Value map_merge(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  if (std::optional<Value> waits = first_waiting(arguments)) return *waits;
  if (!is_sequence(arguments)) {
    throw type_fault(
        "Incorrect arguments to \"map_merge\" should be: \"map_merge\" : [ { \"key1\": \"val1\" }, { \"key2\": "
        "\"val2\" } ]");
  }
  MapBuilder merged;
  for (const Value& map : sequence_items(arguments)) {
    if (map.is_null()) continue;
    if (!map.is_map()) throw type_fault("Incorrect arguments: Items to merge must be maps.", map.mark());
    for (const Entry& entry : map.entries()) merged.set(entry.key, entry.value);
  }
  return Value::map(std::move(merged));
}

constexpr std::string_view k_replace_use =
    "Incorrect arguments to \"map_replace\" should be: \"map_replace\" : [ { \"key1\": \"val1\" }, {\"keys\": "
    "{\"key1\": "
    "\"key2\"}, \"values\": {\"val1\": \"val2\"}}]";

Value map_or_empty(const Value* value) {
  if (value == nullptr || value->is_null()) return Value::map({});
  if (value->is_map()) return *value;
  throw type_fault(
      "Incorrect arguments: to \"map_replace\", arguments must be a list of maps. Example:  \"map_replace\" : "
      "[ { \"key1\": \"val1\" }, {\"keys\": {\"key1\": \"key2\"}, \"values\": {\"val1\": \"val2\"}}]",
      value->mark());
}

Value replaced_key(const Value& key, const Value& keys, const Value& input, const MapBuilder& output) {
  const Value* wanted = keys.find(key);
  if (wanted == nullptr || wanted->is_null()) return key;
  if (wanted->is_list() || wanted->is_map())
    throw type_fault(cat("unhashable type: '", type_name(*wanted), "'"), wanted->mark());
  if (input.find(*wanted) != nullptr && !(*wanted == key)) {
    throw value_fault(cat("key replacement ", python_str(*wanted), " collides with a key in the input map"),
                      wanted->mark());
  }
  if (output.find(*wanted) != nullptr) {
    throw value_fault(cat("key replacement ", python_str(*wanted), " collides with a key in the output map"),
                      wanted->mark());
  }
  return *wanted;
}

Value map_replace(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  if (arguments.is_map()) throw key_fault("0");
  if (!arguments.is_list() || arguments.items().size() != 2) throw type_fault(std::string(k_replace_use));
  const Value input = map_or_empty(&arguments.items()[0]);
  const Value how = map_or_empty(&arguments.items()[1]);
  for (const Entry& entry : how.entries()) {
    if (!entry.key.is_string() || (entry.key.text() != "keys" && entry.key.text() != "values")) {
      throw value_fault(std::string(k_replace_use), entry.key.mark());
    }
  }
  const Value keys = map_or_empty(how.find("keys"));
  const Value values = map_or_empty(how.find("values"));
  MapBuilder output;
  for (const Entry& entry : input.entries()) {
    const Value key = replaced_key(entry.key, keys, input, output);
    const Value* value = entry.value.is_list() || entry.value.is_map() ? nullptr : values.find(entry.value);
    output.set(key, value == nullptr ? entry.value : *value);
  }
  return Value::map(std::move(output));
}

void check_repeat(const Expression& call) {
  const Expression& arguments = call.arguments();
  if (!is_map_expression(arguments)) throw type_fault("Arguments to \"repeat\" must be a map");
  if (member(arguments, "for_each") == nullptr || member(arguments, "template") == nullptr) {
    throw with_near_key(
        key_fault("'\"repeat\" syntax should be repeat:\\n              template: This is %var%\\n              "
                  "for_each:\\n                %var%: [\\'a\\', \\'b\\', \\'c\\']'"),
        call, {"template", "for_each", "permutations"});
  }
}

void check_permutations(const Expression& call) {
  check_repeat(call);
  const ExpressionPtr permutations = member(call.arguments(), "permutations");
  if (permutations && !(permutations->type == Expression::Type::constant && permutations->constant.is_bool())) {
    throw type_fault("\"permutations\" should be boolean type for repeat function.", permutations->mark);
  }
}

void validate_repeat(const Expression& call, Scope&) {
  const ExpressionPtr for_each = member(call.arguments(), "for_each");
  if (!is_dynamic(*for_each) && !is_map_expression(*for_each)) {
    throw type_fault("The \"for_each\" argument to \"repeat\" must contain a map", for_each->mark);
  }
}

using Texts = std::vector<std::string>;

/// An empty variable stands before, between and behind all characters.
std::string interleaved(const std::string& text, const std::string& value) {
  std::string out = value;
  for (const std::string& character : characters(text)) out += character + value;
  return out;
}

std::string substitute(std::string text, const Texts& keys, const std::vector<Value>& values) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!values[i].is_string()) {
      throw type_fault(cat("replace() argument 2 must be str, not ", type_name(values[i])), values[i].mark());
    }
    std::uint64_t size = keys[i].empty() ? (text.size() + 1) * (values[i].text().size() + 1) : text.size();
    for (std::size_t at = keys[i].empty() ? std::string::npos : text.find(keys[i]); at != std::string::npos;
         at = text.find(keys[i], at + keys[i].size())) {
      size += values[i].text().size();
    }
    require_size(size, "repeat", values[i].mark());
    text =
        keys[i].empty() ? interleaved(text, values[i].text()) : replace_all(std::move(text), keys[i], values[i].text());
  }
  return text;
}

Value substitute(const Value& value, const Texts& keys, const std::vector<Value>& values) {
  if (value.is_string()) return Value::string(substitute(value.text(), keys, values)).with_mark(value.mark());
  if (value.is_list()) {
    std::vector<Value> items;
    for (const Value& item : value.items()) items.push_back(substitute(item, keys, values));
    return Value::list(std::move(items)).with_mark(value.mark());
  }
  if (!value.is_map()) return value;
  MapBuilder members;
  for (const Entry& entry : value.entries())
    members.set(substitute(entry.key, keys, values), substitute(entry.value, keys, values));
  return Value::map(std::move(members)).with_mark(value.mark());
}

/// The lists to repeat over: maps stand for their keys.
std::vector<std::vector<Value>> repeat_lists(const Value& for_each, bool maps, std::set<std::size_t>& lengths) {
  std::vector<std::vector<Value>> lists;
  for (const Entry& entry : for_each.entries()) {
    std::vector<Value> items;
    if (entry.value.is_list()) {
      items = entry.value.items();
    } else if (entry.value.is_map() && maps) {
      for (const Entry& member : entry.value.entries()) items.push_back(member.key);
    } else if (!entry.value.is_null()) {
      throw type_fault(
          cat("The values of the \"for_each\" argument to \"repeat\" must be lists", maps ? " or maps" : ""),
          entry.value.mark());
    }
    if (!entry.value.is_null()) lengths.insert(items.size());
    lists.push_back(std::move(items));
  }
  return lists;
}

/// The next combination, the last place fastest; false after the last.
bool advance(std::vector<std::size_t>& place, const std::vector<std::vector<Value>>& lists, bool nested) {
  if (!nested) {
    for (std::size_t& p : place) ++p;
    return place.front() < lists.front().size();
  }
  for (std::size_t i = place.size(); i-- > 0;) {
    if (++place[i] < lists[i].size()) return true;
    place[i] = 0;
  }
  return false;
}

constexpr std::size_t k_most_repeats = 100'000;

/// Five lists of sixty are 777 million texts: what can't have been meant is refused before it is made.
void check_repeats(const std::vector<std::vector<Value>>& lists, bool nested, const Mark& mark) {
  std::size_t total = 1;
  for (const auto& list : lists) {
    if (list.empty()) return;
    total = nested ? total * list.size() : std::max(total, list.size());
    if (total <= k_most_repeats) continue;
    Fault fault("ValueError", cat("\"repeat\" comes to more than ", k_most_repeats, " items"), mark);
    fault.hint("Lists in for_each are multiplied with each other; with permutations: false they go side by side.");
    throw fault;
  }
}

Value repeat_over(const Expression& call, Scope& scope, bool maps_allowed, bool may_zip) {
  const Value arguments = resolved(call, scope);
  const Value& for_each = *arguments.find("for_each");
  if (!for_each.is_map())
    throw Fault("AttributeError", cat("'", type_name(for_each), "' object has no attribute 'items'"), for_each.mark());
  if (for_each.entries().empty()) throw value_fault("not enough values to unpack (expected 2, got 0)", for_each.mark());
  const Value* permutations = arguments.find("permutations");
  const bool nested = permutations == nullptr || !may_zip || truth(*permutations);
  std::set<std::size_t> lengths;
  const std::vector<std::vector<Value>> lists = repeat_lists(for_each, maps_allowed && nested, lengths);
  if (!nested && lengths.size() > 1) {
    throw value_fault("For repeat, the length of for_each values should be equal if no nested loop.", for_each.mark());
  }
  check_repeats(lists, nested, call.mark.known() ? call.mark : for_each.mark());
  Texts keys;
  for (const Entry& entry : for_each.entries()) keys.push_back(python_str(entry.key));
  std::vector<Value> results;
  std::uint64_t size = 0;
  const bool some = std::none_of(lists.begin(), lists.end(), [](const auto& list) { return list.empty(); });
  std::vector<std::size_t> place(lists.size(), 0);
  for (bool more = some; more; more = advance(place, lists, nested)) {
    std::vector<Value> values;
    for (std::size_t i = 0; i < lists.size(); ++i) values.push_back(lists[i][place[i]]);
    results.push_back(substitute(*arguments.find("template"), keys, values));
    size += results.back().size();
    require_size(size, "repeat", call.mark);
  }
  return Value::list(std::move(results));
}

Value repeat_lists_only(const Expression& call, Scope& scope) { return repeat_over(call, scope, false, false); }
Value repeat_nested(const Expression& call, Scope& scope) { return repeat_over(call, scope, true, false); }
Value repeat(const Expression& call, Scope& scope) { return repeat_over(call, scope, true, true); }

template <bool unique>
Value list_concat(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  if (std::optional<Value> waits = first_waiting(arguments)) return *waits;
  if (!arguments.is_list()) {
    throw type_fault(cat("Incorrect arguments to ", in_quotes(call.function->name), " should be: ",
                         in_quotes(call.function->name), " : [ [ <value 1>, <value 2> ], [ <value 3>, <value 4> ] ]"));
  }
  std::vector<Value> items;
  ValueSet seen;
  for (const Value& list : arguments.items()) {
    if (list.is_null()) continue;
    if (!list.is_list()) {
      throw type_fault(cat("Incorrect arguments: Items to concat must be lists. ", json_text(arguments),
                           " contains an item that is not a list: ", json_text(list)),
                       list.mark());
    }
    for (const Value& item : list.items()) {
      if (!unique || seen.insert(item).second) items.push_back(item);
    }
  }
  return Value::list(std::move(items));
}

void check_filter(const Expression& call) {
  if (!is_list_expression(call.arguments())) throw type_fault("Argument to \"filter\" must be a list");
  const std::size_t length = length_of(call.arguments());
  if (length != 2) {
    throw value_fault(
        cat("\"filter\" expected 2 arguments of the form [values, sequence] but got ", length, " arguments instead"));
  }
}

Value filter(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  const Value& values = arguments.items()[0];
  const Value& sequence = arguments.items()[1];
  if (!truth(sequence)) return sequence;
  if (!sequence.is_list()) throw type_fault("\"filter\" only works with lists", sequence.mark());
  if (!truth(values)) return sequence;
  if (!values.is_list()) throw type_fault("\"filter\" filters a list of values", values.mark());
  const ValueSet unwanted(values.items().begin(), values.items().end());
  std::vector<Value> kept;
  for (const Value& item : sequence.items()) {
    if (unwanted.count(item) == 0) kept.push_back(item);
  }
  return Value::list(std::move(kept));
}

void check_contains(const Expression& call) {
  const bool list = is_list_expression(call.arguments());
  if (!list || length_of(call.arguments()) == 0) {
    throw type_fault(
        "Incorrect arguments to \"contains\" should be: \"contains\" : [ \"value1\", [ \"value1\", \"value2\"]]");
  }
  if (length_of(call.arguments()) != 2) {
    throw value_fault("Arguments to \"contains\" must be of the form: [value1, [value1, value2]]");
  }
}

Value contains(const Expression& call, Scope& scope) {
  const Value arguments = resolved(call, scope);
  const Value& value = arguments.items()[0];
  const Value& sequence = arguments.items()[1];
  if (!is_sequence(sequence))
    throw type_fault("Second argument to \"contains\" should be a sequence.", sequence.mark());
  if (sequence.is_list()) {
    return Value::boolean(std::find(sequence.items().begin(), sequence.items().end(), value) != sequence.items().end());
  }
  if (!value.is_string())
    throw type_fault(cat("'in <string>' requires string as left operand, not ", type_name(value)), value.mark());
  return Value::boolean(sequence.text().find(value.text()) != std::string::npos);
}

}  // namespace

const std::vector<Function>& collection_functions() {
  using V = Version;
  using enum Function::Waits;
  static const std::vector<Function> table = {
      {"map_merge", V::v2016_04_08, V::hot_end, by_itself, nullptr, nullptr, map_merge},
      {"map_replace", V::v2016_10_14, V::hot_end, strictly, nullptr, nullptr, map_replace},
      {"repeat", V::v2015_04_30, V::v2016_10_14, strictly, check_repeat, validate_repeat, repeat_lists_only},
      {"repeat", V::v2016_10_14, V::v2017_09_01, strictly, check_repeat, validate_repeat, repeat_nested},
      {"repeat", V::v2017_09_01, V::hot_end, strictly, check_permutations, validate_repeat, repeat},
      {"list_concat", V::v2017_09_01, V::hot_end, by_itself, nullptr, nullptr, list_concat<false>},
      {"list_concat_unique", V::v2017_09_01, V::hot_end, strictly, nullptr, nullptr, list_concat<true>},
      {"filter", V::v2017_02_24, V::hot_end, strictly, check_filter, nullptr, filter},
      {"contains", V::v2017_09_01, V::hot_end, strictly, check_contains, nullptr, contains},
  };
  return table;
}

}  // namespace hearth::metadata
