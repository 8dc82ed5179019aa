// Choosing among cases, naming values and functions, calling by name.
#include "base/text.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/yaql/evaluator.hpp"

namespace hearth::metadata::yaql {

namespace {

Item value_of(const Call& call, const SyntaxPtr& argument) {
  return call.evaluator.evaluate(*argument, call.variables);
}

/// The place of the first case that holds; how many there are, when none does.
Item select_case(const Call& call) {
  std::int64_t place = 0;
  for (const SyntaxPtr& argument : call.arguments) {
    if (is_true(value_of(call, argument))) break;
    ++place;
  }
  return Value::integer(place);
}

Item select_all_cases(const Call& call) {
  std::vector<Value> places;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (is_true(value_of(call, call.arguments[i]))) places.push_back(Value::integer(static_cast<std::int64_t>(i)));
  }
  return {Item::Type::iterator, Value::list(std::move(places))};
}

Item examine(const Call& call) {
  std::vector<Value> truths;
  for (const SyntaxPtr& argument : call.arguments) truths.push_back(Value::boolean(is_true(value_of(call, argument))));
  return {Item::Type::iterator, Value::list(std::move(truths))};
}

/// number.switchCase(a, b, …): the case of that number, else the last one.
Item switch_case(const Call& call) {
  const std::int64_t number = call.integer(0);
  if (call.arguments.empty()) return {};
  const auto count = static_cast<std::int64_t>(call.arguments.size());
  return value_of(call, call.arguments[static_cast<std::size_t>(number >= 0 && number < count ? number : count - 1)]);
}

Item asserted(const Call& call) {
  Item item = call.at(0);
  const std::size_t message = call.place_of("message", 2);
  if (is_true(call.apply(call.place_of("condition", 1), {item}))) return item;
  throw Fault("AssertionError", call.has(message) ? call.text(message) : "Assertion failed");
}

Item context_of(std::map<std::string, Item> names) {
  Item context;
  context.type = Item::Type::context;
  context.variables = std::make_shared<const std::map<std::string, Item>>(std::move(names));
  return context;
}

/// list.unpack(a, b) -> $a + $b; without names they are $1, $2 …
Item unpack(const Call& call) {
  Item holder;
  const std::vector<Value>& items = call.collection(0, holder);
  std::map<std::string, Item> names;
  const std::size_t count = call.count() - 1;
  if (count > 0 && count != items.size()) {
    throw value_fault(cat("Cannot unpack ", std::min(items.size(), count + 1), " elements into ", count));
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string name = count > 0 ? call.text(i + 1) : std::to_string(i + 1);
    names[name == "1" ? "$" : cat("$", name)] = items[i];
  }
  return context_of(std::move(names));
}

/// def(name, expression) -> … name(…) …
Item def(const Call& call) {
  if (call.count() != 2) call.mismatch();
  Item function;
  function.type = Item::Type::context;
  function.function = call.arguments[1];
  function.variables = std::make_shared<const std::map<std::string, Item>>(call.variables.all());
  return context_of({{cat("def ", call.text(0)), std::move(function)}});
}

SyntaxPtr constant(const Value& value) {
  auto syntax = std::make_shared<Syntax>();
  syntax->constant = value;
  return syntax;
}

/// call(name, [arguments], {name => argument}, receiver => value)
Item call_by_name(const Call& call) {
  if (call.count() < 3) call.mismatch();
  const std::string name = call.text(0);
  Item holder;
  std::vector<SyntaxPtr> arguments;
  for (const Value& argument : call.collection(1, holder)) arguments.push_back(constant(argument));
  const Value named = call.map(2);
  for (const Entry& entry : named.entries()) {
    auto key = std::make_shared<Syntax>();
    key->type = Syntax::Type::keyword;
    key->name = python_str(entry.key);
    auto rule = std::make_shared<Syntax>();
    rule->type = Syntax::Type::rule;
    rule->parts = {std::move(key), constant(entry.value)};
    arguments.push_back(std::move(rule));
  }
  const std::size_t receiver = call.place_of("receiver", 3);
  std::optional<Item> object;
  if (call.has(receiver)) object = call.at(receiver);
  return call_function({call.evaluator, call.variables, name, std::move(object), std::move(arguments)});
}

}  // namespace

const std::vector<Library>& system_library() {
  static const std::vector<Library> library = {{"selectCase", Form::function, select_case},
                                               {"selectAllCases", Form::function, select_all_cases},
                                               {"examine", Form::function, examine},
                                               {"switchCase", Form::method, switch_case},
                                               {"assert", Form::method, asserted},
                                               {"unpack", Form::method, unpack},
                                               {"def", Form::function, def},
                                               {"call", Form::function, call_by_name}};
  return library;
}

}  // namespace hearth::metadata::yaql
