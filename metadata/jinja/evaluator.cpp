#include "metadata/jinja/evaluator.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "metadata/model/call_room.hpp"

namespace hearth::metadata::jinja {

const Object* Context::find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->find(name);
    if (found != scope->end()) return &found->second;
  }
  return nullptr;
}

Object CallArguments::get(std::size_t index, std::string_view name) const {
  if (index < positional.size()) return positional[index];
  for (const auto& [known, value] : named) {
    if (known == name) return value;
  }
  return Object::undefined(cat("argument '", name, "' is not given"));
}

Object held(const void* container, Object object) {
  if (!may_hold(container, object)) throw EvaluationError{"lists and maps are nested too deeply, or one in itself"};
  return object;
}

void refuse_undefined(const Object& object) { throw EvaluationError{object.as<Undefined>()->why}; }

std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> all;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) == 0x80 && !all.empty()) {
      all.back().push_back(c);
    } else {
      all.emplace_back(1, c);
    }
  }
  return all;
}

List iterate(const Object& object) {
  if (object.is_undefined()) return {};
  if (const List* list = object.items()) return *list;
  List items;
  if (const Dict* dict = object.members()) {
    for (const auto& [key, value] : dict->members) items.push_back(key);
    return items;
  }
  if (object.string() == nullptr) throw EvaluationError{cat("'", kind_name(object), "' object is not iterable")};
  for (std::string& each : characters(*object.string())) items.emplace_back(std::move(each));
  return items;
}

Object attribute_of(const Object& object, const std::string& name) {
  if (object.is_undefined()) refuse_undefined(object);
  if (Dict* dict = object.members()) {
    if (const Object* found = dict->find_text(name)) return *found;
  }
  return Object::undefined(cat("'", kind_name(object), " object' has no attribute '", name, "'"));
}

Object subscript_of(const Object& object, const Object& key) {
  if (object.is_undefined()) refuse_undefined(object);
  if (Dict* dict = object.members()) {
    if (const Object* found = dict->find(key)) return *found;
    return Object::undefined(cat("'dict object' has no attribute '", printed(key), "'"));
  }
  const std::optional<std::int64_t> index = key.integer();
  if (!index) return Object::undefined(cat("'", kind_name(object), " object' has no attribute '", printed(key), "'"));
  if (object.items() == nullptr && object.string() == nullptr)
    return Object::undefined(cat(kind_name(object), " object has no element ", *index));
  const List items = iterate(object);
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t place = *index < 0 ? *index + size : *index;
  if (place < 0 || place >= size) return Object::undefined(cat(kind_name(object), " object has no element ", *index));
  return items[static_cast<std::size_t>(place)];
}

namespace {

Object slice_of(const Object& object, const Object& from, const Object& to, const Object& step) {
  if (object.is_undefined()) refuse_undefined(object);
  if (object.members() != nullptr) throw EvaluationError{"a map can't be sliced"};
  const List items = iterate(object);
  const auto size = static_cast<std::int64_t>(items.size());
  const std::int64_t stride = step.integer().value_or(1);
  if (stride == 0) throw EvaluationError{"slice step cannot be zero"};
  const std::int64_t lowest = stride > 0 ? 0 : -1;
  const std::int64_t highest = stride > 0 ? size : size - 1;
  const auto bound = [&](const Object& given, std::int64_t otherwise) {
    const std::optional<std::int64_t> number = given.integer();
    return number ? std::clamp(*number < 0 ? *number + size : *number, lowest, highest) : otherwise;
  };
  List out;
  const std::int64_t end = bound(to, stride > 0 ? size : -1);
  for (std::int64_t i = bound(from, stride > 0 ? 0 : size - 1); stride > 0 ? i < end : i > end;) {
    out.push_back(items[static_cast<std::size_t>(i)]);
    if (stride > size || stride < -size) break;
    i += stride;
  }
  if (object.string() == nullptr) return Object::list(std::move(out));
  std::string text;
  for (const Object& each : out) text += *each.string();
  return text;
}

Object range_of(const CallArguments& arguments) {
  const auto number = [&](std::size_t index) {
    if (const auto given = arguments.positional[index].integer()) return *given;
    throw EvaluationError{"range() takes integers"};
  };
  const std::size_t given = arguments.positional.size();
  if (given == 0 || given > 3) throw EvaluationError{"range() takes one to three numbers"};
  const std::int64_t from = given == 1 ? 0 : number(0);
  const std::int64_t to = given == 1 ? number(0) : number(1);
  const std::int64_t step = given == 3 ? number(2) : 1;
  if (step == 0) throw EvaluationError{"range() arg 3 must not be zero"};
  List items;
  for (std::int64_t i = from; step > 0 ? i < to : i > to;) {
    if (items.size() >= k_most_items) throw EvaluationError{cat("a range of more than ", k_most_items, " items")};
    items.emplace_back(i);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  return Object::list(std::move(items));
}

}  // namespace

Object Evaluator::evaluate(const Expression& expression) {
  if (call_room() < k_last_call_room) throw template_fault("this is nested too deeply", file_, expression.line);
  try {
    return inner(expression);
  } catch (const EvaluationError& error) {
    throw template_fault(error.why, file_, expression.line);
  }
}

CallArguments Evaluator::arguments(const Expression& expression) {
  CallArguments given;
  const std::size_t positional = expression.items.size() - expression.names.size();
  for (std::size_t i = 1; i < expression.items.size(); ++i) {
    Object value = inner(*expression.items[i]);
    if (i < positional) {
      given.positional.push_back(std::move(value));
    } else {
      given.named.emplace_back(expression.names[i - positional], std::move(value));
    }
  }
  return given;
}

Object Evaluator::inner(const Expression& expression) {
  using Type = Expression::Type;
  switch (expression.type) {
    case Type::constant: return expression.constant;
    case Type::name: {
      const Object* found = context_.find(expression.text);
      return found != nullptr ? *found : Object::undefined(cat("'", expression.text, "' is undefined"));
    }
    case Type::list: {
      List items;
      for (const ExpressionPtr& item : expression.items) items.push_back(held(nullptr, inner(*item)));
      return Object::list(std::move(items));
    }
    case Type::dict: {
      Object made = Object::dict();
      for (std::size_t i = 0; i + 1 < expression.items.size(); i += 2)
        made.members()->set(held(nullptr, inner(*expression.items[i])), held(nullptr, inner(*expression.items[i + 1])));
      return made;
    }
    case Type::attribute: return attribute_of(inner(*expression.items[0]), expression.text);
    case Type::subscript: {
      const Object of = inner(*expression.items[0]);
      return subscript_of(of, inner(*expression.items[1]));
    }
    case Type::slice: {
      std::vector<Object> parts(4);
      for (std::size_t i = 0; i < expression.items.size(); ++i) {
        if (expression.items[i]) parts[i] = inner(*expression.items[i]);
      }
      return slice_of(parts[0], parts[1], parts[2], parts[3]);
    }
    case Type::call: return call(expression);
    case Type::filter: {
      const Object value = inner(*expression.items[0]);
      return apply_filter(expression.text, value, arguments(expression));
    }
    case Type::test: {
      const Object value = inner(*expression.items[0]);
      return apply_test(expression.text, value, arguments(expression));
    }
    case Type::negate: return !truth(inner(*expression.items[0]));
    case Type::minus: return apply_operator("-", Object(std::int64_t{0}), inner(*expression.items[0]));
    case Type::plus: return apply_operator("+", Object(std::int64_t{0}), inner(*expression.items[0]));
    case Type::binary: return binary(expression);
    case Type::conditional:
      if (truth(inner(*expression.items[1]))) return inner(*expression.items[0]);
      if (expression.items[2]) return inner(*expression.items[2]);
      return Object::undefined("the inline if-expression evaluated to false and no else section was defined");
  }
  return {};
}

Object Evaluator::binary(const Expression& expression) {
  const Object left = inner(*expression.items[0]);
  if (expression.text == "and") return truth(left) ? inner(*expression.items[1]) : left;
  if (expression.text == "or") return truth(left) ? left : inner(*expression.items[1]);
  return apply_operator(expression.text, left, inner(*expression.items[1]));
}

Object Evaluator::call(const Expression& expression) {
  const Expression& callee = *expression.items[0];
  if (callee.type == Expression::Type::attribute) {
    const Expression& of = *callee.items[0];
    const bool self = of.type == Expression::Type::name && of.text == "self" && context_.find("self") == nullptr;
    if (self && block) return block(callee.text);
    const Object object = inner(*callee.items[0]);
    return call_method(object, callee.text, arguments(expression));
  }
  if (callee.type == Expression::Type::name && context_.find(callee.text) == nullptr)
    return global(callee.text, arguments(expression));
  throw EvaluationError{cat("'", kind_name(inner(callee)), "' object is not callable")};
}

Object Evaluator::global(const std::string& name, const CallArguments& arguments) const {
  if (name == "range") return range_of(arguments);
  if (name == "dict" || name == "namespace") {
    Object made = Object::dict();
    made.members()->is_namespace = name == "namespace";
    for (const Object& each : arguments.positional) {
      if (each.members() == nullptr) throw EvaluationError{cat(name, "() takes maps and keyword arguments")};
      for (const auto& [key, value] : each.members()->members) made.members()->set(key, value);
    }
    for (const auto& [key, value] : arguments.named) made.members()->set(Object(key), held(nullptr, value));
    return made;
  }
  throw EvaluationError{cat("'", name, "' is undefined")};
}

}  // namespace hearth::metadata::jinja
