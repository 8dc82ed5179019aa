#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/text.hpp"
#include "metadata/jinja/evaluator.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata::jinja {

namespace {

using Arguments = CallArguments;
using Filter = Object (*)(const Object&, const Arguments&);

Object otherwise(const Object& value, const Arguments& arguments) {
  const Object given = arguments.get(0, "default_value");
  const bool also_false = truth(arguments.get(1, "boolean"));
  if (!value.is_undefined() && (!also_false || truth(value))) return value;
  return given.is_undefined() ? Object::text("") : given;
}

/// The attribute "a.b" or "0" of an item; the item itself where none is asked for.
Object by_attribute(const Object& item, const Object& attribute) {
  if (attribute.is_undefined() || attribute.is_none()) return item;
  Object at = item;
  for (const std::string& part : split(printed(attribute), '.')) {
    const std::optional<std::uint64_t> index = parse_number(part);
    at = index ? subscript_of(at, Object(static_cast<std::int64_t>(*index))) : attribute_of(at, part);
  }
  return at;
}

Object lowered(const Object& value) { return value.string() == nullptr ? value : call_method(value, "lower", {}); }

List sorted_items(List items, const Arguments& arguments, std::size_t first) {
  const bool reverse = truth(arguments.get(first, "reverse"));
  const bool exact = truth(arguments.get(first + 1, "case_sensitive"));
  const Object attribute = arguments.get(first + 2, "attribute");
  const auto key = [&](const Object& item) {
    const Object found = by_attribute(item, attribute);
    return exact ? found : lowered(found);
  };
  const auto before = [&](const Object& a, const Object& b) {
    const auto order = ordered(key(a), key(b));
    if (!order) throw EvaluationError{cat("'", kind_name(a), "' and '", kind_name(b), "' have no order")};
    return reverse ? *order > 0 : *order < 0;
  };
  std::stable_sort(items.begin(), items.end(), before);
  return items;
}

Object sorted(const Object& value, const Arguments& arguments) {
  return Object::list(sorted_items(iterate(value), arguments, 0));
}

Object sorted_members(const Object& value, const Arguments& arguments) {
  if (value.members() == nullptr) throw EvaluationError{"dictsort takes a map"};
  List pairs;
  for (const auto& [key, member] : value.members()->members) pairs.push_back(Object::list({key, member}));
  const bool by_value = printed(arguments.get(1, "by")) == "value";
  const Object which(std::int64_t{by_value ? 1 : 0});
  CallArguments how;
  how.named = {{"attribute", which}, {"reverse", arguments.get(2, "reverse")}};
  return Object::list(sorted_items(std::move(pairs), how, 9));
}

Object unique(const Object& value, const Arguments& arguments) {
  List out;
  List seen;
  for (const Object& item : iterate(value)) {
    const Object attribute = by_attribute(item, arguments.get(1, "attribute"));
    const Object key = truth(arguments.get(0, "case_sensitive")) ? attribute : lowered(attribute);
    if (std::any_of(seen.begin(), seen.end(), [&](const Object& each) { return equal(each, key); })) continue;
    seen.push_back(key);
    out.push_back(item);
  }
  return Object::list(std::move(out));
}

Object joined(const Object& value, const Arguments& arguments) {
  std::string out;
  const std::string between = printed(arguments.get(0, "d"));
  bool first = true;
  for (const Object& item : iterate(value)) {
    if (!first) out += between;
    out += printed(by_attribute(item, arguments.get(1, "attribute")));
    first = false;
    if (out.size() > k_most_text) throw EvaluationError{"a text became too long"};
  }
  return out;
}

/// select, reject, selectattr, rejectattr: a test by name behind what it looks at; truth without one.
Object chosen(const Object& value, const Arguments& arguments, bool wanted, bool attribute) {
  const std::size_t at = attribute ? 1 : 0;
  const Object test = arguments.get(at, "");
  CallArguments rest;
  for (std::size_t i = at + 1; i < arguments.positional.size(); ++i) rest.positional.push_back(arguments.positional[i]);
  List out;
  for (const Object& item : iterate(value)) {
    const Object looked = attribute ? by_attribute(item, arguments.get(0, "attribute")) : item;
    const bool holds = test.is_undefined() ? truth(looked) : apply_test(printed(test), looked, rest);
    if (holds == wanted) out.push_back(item);
  }
  return Object::list(std::move(out));
}

Object mapped(const Object& value, const Arguments& arguments) {
  const Object attribute = arguments.get(99, "attribute");
  List out;
  for (const Object& item : iterate(value)) {
    if (!attribute.is_undefined()) {
      const Object found = by_attribute(item, attribute);
      const Object given = arguments.get(99, "default");
      out.push_back(found.is_undefined() && !given.is_undefined() ? given : found);
      continue;
    }
    if (arguments.positional.empty()) throw EvaluationError{"map needs a filter or attribute=…"};
    CallArguments rest;
    rest.positional.assign(arguments.positional.begin() + 1, arguments.positional.end());
    out.push_back(apply_filter(printed(arguments.positional[0]), item, rest));
  }
  return Object::list(std::move(out));
}

Object extreme(const Object& value, const Arguments& arguments, bool largest) {
  const List items = iterate(value);
  if (items.empty()) return Object::undefined("No aggregated item, sequence was empty.");
  CallArguments how;
  how.named = {{"attribute", arguments.get(1, "attribute")},
               {"case_sensitive", arguments.get(0, "case_sensitive")},
               {"reverse", Object(largest)}};
  return sorted_items(items, how, 9).front();
}

Object as_integer(const Object& value, const Arguments& arguments) {
  const Object fallback = arguments.get(0, "default");
  if (value.integer()) return *value.integer();
  if (const auto number = value.number(); number && std::abs(*number) < 9e18) return static_cast<std::int64_t>(*number);
  if (value.string() != nullptr) {
    if (const auto read = integer_from(*value.string()); read && read->kind() == Kind::integer)
      return read->as_integer();
    if (const auto read = real_from(*value.string()); read && std::abs(*read) < 9e18)
      return static_cast<std::int64_t>(*read);
  }
  return fallback.is_undefined() ? Object(std::int64_t{0}) : fallback;
}

Object as_real(const Object& value, const Arguments& arguments) {
  const Object fallback = arguments.get(0, "default");
  if (value.number()) return *value.number();
  if (value.string() != nullptr) {
    if (const auto read = real_from(*value.string())) return *read;
  }
  return fallback.is_undefined() ? Object(0.0) : fallback;
}

Object length_of(const Object& value, const Arguments& /*arguments*/) {
  return static_cast<std::int64_t>(iterate(value).size());
}

Object flattened(const Object& value, const Arguments& arguments) {
  List out;
  const Object given = arguments.get(0, "levels");
  const std::int64_t levels = std::min<std::int64_t>(given.integer().value_or(50), 50);
  const std::function<void(const Object&, std::int64_t)> add = [&](const Object& list, std::int64_t depth) {
    for (const Object& item : iterate(list)) {
      if (item.items() != nullptr && depth < levels) {
        add(item, depth + 1);
      } else {
        out.push_back(item);
      }
      if (out.size() > k_most_items) throw EvaluationError{"a list became too long"};
    }
  };
  add(value, 0);
  return Object::list(std::move(out));
}

Object difference(const Object& value, const Arguments& arguments) {
  const List away = iterate(arguments.get(0, ""));
  List out;
  for (const Object& item : iterate(value)) {
    if (std::none_of(away.begin(), away.end(), [&](const Object& each) { return equal(each, item); }))
      out.push_back(item);
  }
  return Object::list(std::move(out));
}

Object edge(const Object& value, bool last) {
  const List items = iterate(value);
  if (items.empty()) return Object::undefined("No first or last item, sequence was empty.");
  return last ? items.back() : items.front();
}

Object total(const Object& value, const Arguments& arguments) {
  const Object start = arguments.get(1, "start");
  Object sum = start.is_undefined() ? Object(std::int64_t{0}) : start;
  for (const Object& item : iterate(value))
    sum = apply_operator("+", sum, by_attribute(item, arguments.get(0, "attribute")));
  return sum;
}

Object indented(const Object& value, const Arguments& arguments) {
  const Object width = arguments.get(0, "width");
  const std::string blanks(static_cast<std::size_t>(std::clamp<std::int64_t>(width.integer().value_or(4), 0, 1000)),
                           ' ');
  std::string out;
  const std::string text = printed(value);
  const std::vector<std::string> lines = split(text, '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool blank_too = truth(arguments.get(2, "blank")) || !lines[i].empty();
    const bool indent = i == 0 ? truth(arguments.get(1, "first")) : blank_too;
    out += cat(i == 0 ? "" : "\n", indent ? blanks : "", lines[i]);
  }
  return out;
}

Object method(const Object& value, const char* name, const Arguments& arguments) {
  return call_method(Object(printed(value)), name, arguments);
}

const std::map<std::string, Filter, std::less<>>& filters() {
  static const std::map<std::string, Filter, std::less<>> all = {
      {"abs",
       [](const Object& v, const Arguments& a) {
         return v.number() && *v.number() < 0 ? apply_operator("-", Object(std::int64_t{0}), v) : (void(a), v);
       }},
      {"bool",
       [](const Object& v, const Arguments&) -> Object {
         return v.string() != nullptr
                    ? to_lower(*v.string()) == "true" || *v.string() == "1" || to_lower(*v.string()) == "yes"
                    : truth(v);
       }},
      {"capitalize", [](const Object& v, const Arguments&) { return method(v, "capitalize", {}); }},
      {"count", length_of},
      {"d", otherwise},
      {"default", otherwise},
      {"dictsort", sorted_members},
      {"difference", difference},
      {"first", [](const Object& v, const Arguments&) { return edge(v, false); }},
      {"flatten", flattened},
      {"float", as_real},
      {"indent", indented},
      {"int", as_integer},
      {"items", [](const Object& v,
                   const Arguments&) { return v.is_undefined() ? Object::list({}) : call_method(v, "items", {}); }},
      {"join", joined},
      {"last", [](const Object& v, const Arguments&) { return edge(v, true); }},
      {"length", length_of},
      {"list", [](const Object& v, const Arguments&) { return Object::list(iterate(v)); }},
      {"lower", [](const Object& v, const Arguments&) { return method(v, "lower", {}); }},
      {"map", mapped},
      {"max", [](const Object& v, const Arguments& a) { return extreme(v, a, true); }},
      {"min", [](const Object& v, const Arguments& a) { return extreme(v, a, false); }},
      {"reject", [](const Object& v, const Arguments& a) { return chosen(v, a, false, false); }},
      {"rejectattr", [](const Object& v, const Arguments& a) { return chosen(v, a, false, true); }},
      {"replace", [](const Object& v, const Arguments& a) { return method(v, "replace", a); }},
      {"reverse",
       [](const Object& v, const Arguments&) {
         List items = iterate(v);
         std::reverse(items.begin(), items.end());
         return v.string() != nullptr ? joined(Object::list(std::move(items)), {}) : Object::list(std::move(items));
       }},
      {"select", [](const Object& v, const Arguments& a) { return chosen(v, a, true, false); }},
      {"selectattr", [](const Object& v, const Arguments& a) { return chosen(v, a, true, true); }},
      {"sort", sorted},
      {"string", [](const Object& v, const Arguments&) -> Object { return printed(v); }},
      {"sum", total},
      {"title", [](const Object& v, const Arguments&) { return method(v, "title", {}); }},
      {"to_json", [](const Object& v, const Arguments&) -> Object { return json_text(to_value(v)); }},
      {"tojson",
       [](const Object& v, const Arguments&) -> Object { return json_text(to_value(v), {.sort_keys = true}); }},
      {"trim", [](const Object& v, const Arguments& a) { return method(v, "strip", a); }},
      {"unique", unique},
      {"upper", [](const Object& v, const Arguments&) { return method(v, "upper", {}); }},
  };
  return all;
}

}  // namespace

Object apply_filter(const std::string& name, const Object& value, const CallArguments& arguments) {
  const auto found = filters().find(name);
  if (found != filters().end()) return found->second(value, arguments);
  std::vector<std::string> names;
  for (const auto& [known, filter] : filters()) names.push_back(known);
  const auto near = nearest(name, names);
  throw EvaluationError{cat("no filter named '", name, "'", near ? cat("; did you mean ", *near, "?") : "")};
}

bool apply_test(const std::string& name, const Object& value, const CallArguments& arguments) {
  const Object other = arguments.get(0, "other");
  if (name == "defined") return !value.is_undefined();
  if (name == "undefined") return value.is_undefined();
  if (name == "none") return value.is_none();
  if (name == "true") return value.as<bool>() != nullptr && *value.as<bool>();
  if (name == "false") return value.as<bool>() != nullptr && !*value.as<bool>();
  if (name == "boolean") return value.as<bool>() != nullptr;
  if (name == "integer") return value.as<std::int64_t>() != nullptr;
  if (name == "float") return value.as<double>() != nullptr;
  if (name == "number") return value.number().has_value();
  if (name == "string") return value.string() != nullptr;
  if (name == "mapping") return value.members() != nullptr;
  if (name == "sequence" || name == "iterable")
    return value.string() != nullptr || value.items() != nullptr || value.members() != nullptr;
  if (name == "odd" || name == "even") {
    if (!value.integer()) throw EvaluationError{cat("'", name, "' tests integers")};
    return (*value.integer() % 2 != 0) == (name == "odd");
  }
  if (name == "divisibleby")
    return truth(apply_operator("==", apply_operator("%", value, other), Object(std::int64_t{0})));
  if (name == "lower" || name == "upper") return equal(value, call_method(value, name, {}));
  if (name == "in") return truth(apply_operator("in", value, other));
  static const std::map<std::string, std::string, std::less<>> signs = {
      {"eq", "=="},         {"equalto", "=="}, {"==", "=="}, {"sameas", "=="}, {"ne", "!="}, {"!=", "!="},
      {"lt", "<"},          {"lessthan", "<"}, {"<", "<"},   {"le", "<="},     {"<=", "<="}, {"gt", ">"},
      {"greaterthan", ">"}, {">", ">"},        {"ge", ">="}, {">=", ">="}};
  const auto sign = signs.find(name);
  if (sign == signs.end()) throw EvaluationError{cat("no test named '", name, "'")};
  return truth(apply_operator(sign->second, value, other));
}

}  // namespace hearth::metadata::jinja
