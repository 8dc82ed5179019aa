#include "metadata/language/expression.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "metadata/language/functions.hpp"
#include "metadata/model/call_room.hpp"
#include "metadata/model/gone_over.hpp"
#include "metadata/model/value_limits.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

ExpressionPtr constant(const Value& value) {
  auto expression = std::make_shared<Expression>();
  expression->mark = value.mark();
  expression->constant = value;
  return expression;
}

ExpressionPtr faulty(const Value& snippet, const Fault& fault) {
  auto expression = std::make_shared<Expression>();
  expression->type = Expression::Type::faulty;
  expression->mark = snippet.mark();
  expression->constant = snippet;
  expression->fault = fault;
  return expression;
}

std::string member_path(const std::string& path, const Value& key) {
  return path.empty() ? python_str(key) : cat(path, ".", python_str(key));
}

class Parser {
 public:
  Parser(Version version, bool conditions) : version_(version), conditions_(conditions) {}

  ExpressionPtr parse(const Value& snippet, const std::string& path) const {
    if (snippet.is_list()) return list(snippet, path);
    if (!snippet.is_map()) return constant(snippet);
    if (snippet.entries().size() == 1 && snippet.entries().front().key.is_string()) {
      if (ExpressionPtr call = function(snippet, path)) return call;
    }
    return map(snippet, path);
  }

 private:
  ExpressionPtr function(const Value& snippet, const std::string& path) const {
    const Entry& only = snippet.entries().front();
    const std::string& name = only.key.text();
    const Mark mark = only.key.mark();
    const std::string inner = path.empty() ? name : cat(path, ".", name);
    if (!conditions_ && is_branch(name, version_)) return branch(only.value, name, inner, mark);
    const Function* found = conditions_ ? find_condition_function(name, version_) : find_function(name, version_);
    if (found == nullptr) return nullptr;
    auto call = std::make_shared<Expression>();
    call->type = Expression::Type::call;
    call->mark = mark;
    call->constant = only.value;
    call->function = found;
    call->path = inner;
    call->items.push_back(parse(only.value, inner));
    try {
      if (found->check != nullptr) found->check(*call);
    } catch (const Fault& fault) {
      return faulty(
          snippet, validation_fault(fault.text(), fault.mark().known() ? fault.mark() : mark, inner).advised_as(fault));
    }
    return call;
  }

  /// [condition, value, value]; the last may be missing from 2021-04-16 on.
  ExpressionPtr branch(const Value& arguments, const std::string& name, const std::string& path,
                       const Mark& mark) const {
    const std::size_t count = arguments.is_list() ? arguments.items().size() : 0;
    const bool optional_else = version_ == Version::v2021_04_16;
    if (count != 3 && !(optional_else && count == 2)) {
      return faulty(arguments, validation_fault(cat("Arguments to \"", name,
                                                    "\" must be of the form: "
                                                    "[condition_name, value_if_true, value_if_false]"),
                                                mark, path));
    }
    auto expression = std::make_shared<Expression>();
    expression->type = Expression::Type::branch;
    expression->mark = mark;
    expression->constant = arguments;
    expression->path = path;
    expression->items.push_back(Parser(version_, true).parse(arguments.items()[0], name));
    expression->items.push_back(parse(arguments.items()[1], path));
    expression->items.push_back(count == 3 ? parse(arguments.items()[2], path) : constant(Value::omitted()));
    return expression;
  }

  ExpressionPtr list(const Value& snippet, const std::string& path) const {
    auto expression = std::make_shared<Expression>();
    bool plain = true;
    for (const Value& item : snippet.items()) {
      expression->items.push_back(parse(item, cat(path, "[", expression->items.size(), "]")));
      plain = plain && expression->items.back()->type == Expression::Type::constant;
    }
    if (plain) return constant(snippet);
    expression->type = Expression::Type::list;
    expression->mark = snippet.mark();
    return expression;
  }

  ExpressionPtr map(const Value& snippet, const std::string& path) const {
    auto expression = std::make_shared<Expression>();
    bool plain = true;
    for (const Entry& entry : snippet.entries()) {
      expression->keys.push_back(entry.key);
      expression->items.push_back(parse(entry.value, member_path(path, entry.key)));
      plain = plain && expression->items.back()->type == Expression::Type::constant;
    }
    if (plain) return constant(snippet);
    expression->type = Expression::Type::map;
    expression->mark = snippet.mark();
    return expression;
  }

  Version version_;
  bool conditions_;
};

/// Which branch; a waiting value when that is not known yet.
Value decide(const Expression& branch, Scope& scope) {
  const Expression& condition = *branch.items[0];
  try {
    check(condition, scope);
    Value decided = resolve(condition, scope);
    if (decided.is_bool() || decided.is_waiting()) return decided;
    return scope.condition(decided);
  } catch (const Fault& fault) {
    if (fault.type() != "ValueError" && fault.type() != "TypeError" && fault.type() != "KeyError") throw;
    throw validation_fault(fault.text(), fault.mark().known() ? fault.mark() : branch.mark, branch.path)
        .advised_as(fault);
  }
}

/// The resource alone where its attribute can't be told: what is wrong with that is said when it is validated.
Value attribute_words(const Expression& written, Scope& scope) {
  if (written.type != Expression::Type::list) return resolve(written, scope);
  std::vector<Value> parts;
  try {
    for (const ExpressionPtr& item : written.items) {
      Value part = resolve(*item, scope, true);
      if (!part.is_omitted()) parts.push_back(std::move(part));
    }
  } catch (const Fault&) {
    if (parts.empty()) throw;
  }
  return Value::list(std::move(parts)).with_mark(written.mark);
}

const Expression& taken(const Expression& branch, bool condition) { return *branch.items[condition ? 1 : 2]; }

constexpr std::uint64_t k_text_node = 48;  ///< of memory, beside the characters of a text

/// What a function made anew. Look-ups give what is there already.
std::uint64_t made_by(const Expression& call, const Value& value) {
  const std::string_view name = call.function->name;
  for (const std::string_view look_up : {"get_param", "Ref", "get_attr", "Fn::GetAtt", "get_resource", "get_file"}) {
    if (name == look_up) return 0;
  }
  if (value.is_list() && name == "repeat")  // each item is made anew, mostly a text
    return value.size() + value.items().size() * k_text_node;
  if (value.is_list()) return value.items().size() * sizeof(Value);  // its items are shared
  return value.is_map() ? value.entries().size() * sizeof(Entry) : value.size();
}

/// What functions read that make little of it, in bytes that would take as long to make.
std::uint64_t read_by(const Expression& call, const Value& arguments) {
  struct Cost {
    std::string_view name;
    std::uint64_t of_a_byte;
  };
  static constexpr Cost costs[] = {{"digest", 2}, {"str_split", 32}, {"Fn::Split", 32}, {"make_url", 16}};
  const std::string_view name = call.function->name;
  for (const Cost& cost : costs) {
    if (name == cost.name) return arguments.size() * cost.of_a_byte;
  }
  const bool writes_json = arguments.depth() > 2 && (name == "list_join" || name.starts_with("str_replace"));
  return writes_json ? arguments.size() * 4 : 0;
}

constexpr std::uint64_t k_cost_of_a_look = 2;  ///< as above, for what comparing and looking up go over

/// `arguments`: all that the function reads; null where it asks for its arguments itself.
Value applied(const Expression& call, Scope& scope, const Value* arguments) {
  if (arguments != nullptr) scope.spend(read_by(call, *arguments));
  const std::uint64_t before = values_gone_over();
  Value value = call.function->apply(call, scope);
  const bool counts_itself = call.function->name == "yaql";
  if (arguments != nullptr && !counts_itself) scope.spend((values_gone_over() - before) * k_cost_of_a_look);
  require_size(value.size(), call.function->name, call.mark);
  require_depth(value, call.function->name, call.mark);
  scope.spend(made_by(call, value));
  return value;
}

Value apply(const Expression& call, Scope& scope) {
  try {
    if (call.function->waits == Function::Waits::strictly) {
      const bool constant_already = call.arguments().type == Expression::Type::constant;
      const Value arguments = constant_already ? call.arguments().constant : resolve(call.arguments(), scope);
      if (arguments.has_waiting()) return Value::waiting(events_in(arguments));
      if (constant_already) return applied(call, scope, &arguments);
      require_size(arguments.size(), call.function->name, call.mark);
      Expression ready = call;  // the arguments are resolved once, whoever asks
      ready.items = {constant(arguments)};
      return applied(ready, scope, &arguments);
    }
    return applied(call, scope, nullptr);
  } catch (const Fault& fault) {
    throw fault.at(call.mark);
  }
}

}  // namespace

ExpressionPtr parse_expression(const Value& snippet, Version version, const std::string& path, bool conditions) {
  return Parser(version, conditions).parse(snippet, path);
}

void check(const Expression& expression, Scope& scope) {
  switch (expression.type) {
    case Expression::Type::constant: return;
    case Expression::Type::faulty: throw *expression.fault;
    case Expression::Type::branch: {
      const Value decided = decide(expression, scope);
      if (!decided.is_waiting()) check(taken(expression, decided.as_bool()), scope);
      return;
    }
    default:
      for (const ExpressionPtr& item : expression.items) check(*item, scope);
  }
}

void validate(const Expression& expression, Scope& scope, const std::string& path) {
  switch (expression.type) {
    case Expression::Type::constant:
    case Expression::Type::faulty: return;
    case Expression::Type::branch: {
      const Value decided = decide(expression, scope);
      if (!decided.is_waiting()) validate(taken(expression, decided.as_bool()), scope, path);
      return;
    }
    case Expression::Type::list:
      for (std::size_t i = 0; i < expression.items.size(); ++i) {
        validate(*expression.items[i], scope, cat(path, "[", i, "]"));
      }
      return;
    case Expression::Type::map:
      for (std::size_t i = 0; i < expression.items.size(); ++i) {
        validate(*expression.items[i], scope, member_path(path, expression.keys[i]));
      }
      return;
    case Expression::Type::call: break;
  }
  const std::string here = member_path(path, Value::string(std::string(expression.function->name)));
  try {
    validate(expression.arguments(), scope, "");
    if (expression.function->validate != nullptr) expression.function->validate(expression, scope);
  } catch (const Fault& fault) {
    if (fault.type() == "InvalidTemplateReference") throw;
    throw validation_fault(fault.what(), fault.mark().known() ? fault.mark() : expression.mark, here).advised_as(fault);
  }
}

Value resolve(const Expression& expression, Scope& scope, bool nullable) {
  switch (expression.type) {
    case Expression::Type::constant: return expression.constant;
    case Expression::Type::faulty: throw *expression.fault;
    case Expression::Type::list: {
      std::vector<Value> items;
      items.reserve(expression.items.size());
      for (const ExpressionPtr& item : expression.items) {
        Value value = resolve(*item, scope, true);
        if (!value.is_omitted()) items.push_back(std::move(value));
      }
      const Value list = Value::list(std::move(items));
      require_depth(list, "the list", expression.mark);
      return list.with_mark(expression.mark);
    }
    case Expression::Type::map: {
      MapBuilder members;
      for (std::size_t i = 0; i < expression.items.size(); ++i) {
        Value value = resolve(*expression.items[i], scope, true);
        if (!value.is_omitted()) members.set(expression.keys[i], std::move(value));
      }
      const Value map = Value::map(std::move(members));
      require_depth(map, "the map", expression.mark);
      return map.with_mark(expression.mark);
    }
    case Expression::Type::branch: {
      Value decided = decide(expression, scope);
      if (decided.is_waiting()) return decided;
      const Value value = resolve(taken(expression, decided.as_bool()), scope, true);
      return value.is_omitted() && !nullable ? Value() : value;
    }
    case Expression::Type::call: break;
  }
  if (call_room() < k_last_call_room) throw validation_fault("functions are nested too deep here", expression.mark);
  const Value value = apply(expression, scope);
  return value.mark().known() ? value : value.with_mark(expression.mark);
}

void collect_references(const Expression& expression, Scope& scope, std::vector<Reference>& found,
                        const std::string& path) {
  switch (expression.type) {
    case Expression::Type::constant:
    case Expression::Type::faulty: return;
    case Expression::Type::branch: {
      const Value decided = decide(expression, scope);
      if (!decided.is_waiting()) collect_references(taken(expression, decided.as_bool()), scope, found, path);
      return;
    }
    case Expression::Type::list:
      for (std::size_t i = 0; i < expression.items.size(); ++i) {
        collect_references(*expression.items[i], scope, found, cat(path, "[", i, "]"));
      }
      return;
    case Expression::Type::map:
      for (std::size_t i = 0; i < expression.items.size(); ++i) {
        collect_references(*expression.items[i], scope, found, member_path(path, expression.keys[i]));
      }
      return;
    case Expression::Type::call: break;
  }
  const std::string_view name = expression.function->name;
  collect_references(expression.arguments(), scope, found, cat(path, ".", name));
  const bool attribute = name == "get_attr" || name == "Fn::GetAtt";
  if (!attribute && name != "get_resource" && name != "Ref") return;
  Value arguments = attribute ? attribute_words(expression.arguments(), scope) : resolve(expression.arguments(), scope);
  if (arguments.has_waiting()) return;
  const auto refuse_unhashable = [&](const Value& value) {
    if (value.is_list() || value.is_map())
      throw type_fault(cat("unhashable type: '", type_name(value), "'"), expression.mark);
  };
  if (name == "get_resource") refuse_unhashable(arguments);
  std::vector<Value> parts = arguments.is_list() ? arguments.items() : std::vector<Value>{arguments};
  if (name == "get_attr" && !parts.empty()) refuse_unhashable(parts[0]);
  if (name == "get_resource" && !parts[0].is_string()) parts[0] = Value::string(python_str(parts[0]));
  if (parts.empty() || !parts[0].is_string()) return;
  if (name == "Ref" && !scope.has_resource(parts[0].text())) return;
  const std::string resource = parts[0].text();
  parts.erase(parts.begin());
  if (!attribute) parts.clear();
  found.push_back({resource, std::move(parts), attribute, expression.mark, path});
}

std::optional<Value> step_into(const Value& container, const Value& key) {
  if (container.is_map()) {
    const Value* member = key.is_string() || key.is_integer() || key.is_bool() ? container.find(key) : nullptr;
    return member != nullptr ? std::optional<Value>(*member) : std::nullopt;
  }
  std::int64_t index = 0;
  if (key.is_string()) {
    const std::optional<Value> number = integer_from(key.text());
    if (!number || number->kind() != Kind::integer) return std::nullopt;
    index = number->as_integer();
  } else if (key.kind() == Kind::integer || key.is_bool()) {
    index = key.as_integer();
  } else {
    return std::nullopt;
  }
  if (container.is_list()) {
    const auto size = static_cast<std::int64_t>(container.items().size());
    if (index < 0) index += size;
    if (index < 0 || index >= size) return std::nullopt;
    return container.items()[static_cast<std::size_t>(index)];
  }
  if (!container.is_string()) return std::nullopt;
  // One character of a text, counted in characters.
  std::vector<std::string> characters;
  for (const char c : container.text()) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) characters.emplace_back();
    if (!characters.empty()) characters.back().push_back(c);
  }
  if (index < 0) index += static_cast<std::int64_t>(characters.size());
  if (index < 0 || index >= static_cast<std::int64_t>(characters.size())) return std::nullopt;
  return Value::string(characters[static_cast<std::size_t>(index)]).with_mark(container.mark());
}

Value select_attribute(Value value, const std::vector<Value>& path, std::size_t from) {
  for (std::size_t i = from; i < path.size(); ++i) {
    if (value.is_waiting()) return value;
    const bool usable = value.is_map() || ((value.is_list() || value.is_string()) && !path[i].is_string());
    const std::optional<Value> next = usable ? step_into(value, path[i]) : std::nullopt;
    if (!next) return {};
    value = *next;
  }
  return value;
}

}  // namespace hearth::metadata
