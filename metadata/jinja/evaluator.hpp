// Expressions of Jinja evaluated; what Python would raise is a Fault with the template's line.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "metadata/jinja/syntax.hpp"

namespace hearth::metadata::jinja {

/// Names, innermost scope last.
class Context {
 public:
  Context() : scopes_(1) {}
  void push() { scopes_.emplace_back(); }
  void pop() { scopes_.pop_back(); }
  void set(const std::string& name, Object value) { scopes_.back()[name] = std::move(value); }
  /// Null when it is not set.
  [[nodiscard]] const Object* find(const std::string& name) const;

 private:
  std::vector<std::map<std::string, Object>> scopes_;
};

/// Arguments of a call, evaluated.
struct CallArguments {
  std::vector<Object> positional;
  std::vector<std::pair<std::string, Object>> named;
  /// The argument at `index` or of that name; undefined when it is not given.
  [[nodiscard]] Object get(std::size_t index, std::string_view name) const;
};

/// What any of it throws; the evaluator adds the place.
struct EvaluationError {
  std::string why;
};

class Evaluator {
 public:
  Evaluator(Context& context, std::uint32_t file) : context_(context), file_(file) {}
  /// Throws Fault.
  [[nodiscard]] Object evaluate(const Expression& expression);
  /// What self.NAME() gives.
  std::function<std::string(const std::string& name)> block;

 private:
  [[nodiscard]] Object inner(const Expression& expression);
  [[nodiscard]] Object binary(const Expression& expression);
  [[nodiscard]] Object call(const Expression& expression);
  [[nodiscard]] Object global(const std::string& name, const CallArguments& arguments) const;
  [[nodiscard]] CallArguments arguments(const Expression& expression);

  Context& context_;
  std::uint32_t file_;
  int depth_ = 0;
};

[[nodiscard]] Object apply_operator(const std::string& sign, const Object& left, const Object& right);
[[nodiscard]] Object apply_filter(const std::string& name, const Object& value, const CallArguments& arguments);
[[nodiscard]] bool apply_test(const std::string& name, const Object& value, const CallArguments& arguments);
[[nodiscard]] Object call_method(const Object& object, const std::string& name, const CallArguments& arguments);
/// object.name: a key of a map.
[[nodiscard]] Object attribute_of(const Object& object, const std::string& name);
/// object[key].
[[nodiscard]] Object subscript_of(const Object& object, const Object& key);
/// What a loop goes through: items, keys, characters. Throws EvaluationError.
[[nodiscard]] List iterate(const Object& object);
/// The code points of UTF-8 text.
[[nodiscard]] std::vector<std::string> characters(std::string_view text);

constexpr std::size_t k_most_items = 20'000;     ///< of a list that a template makes
constexpr std::size_t k_most_text = 16'000'000;  ///< bytes of one text
[[noreturn]] void refuse_undefined(const Object& object);
/// The object as something that may go into `container` (null: a new one). Throws EvaluationError.
[[nodiscard]] Object held(const void* container, Object object);

}  // namespace hearth::metadata::jinja
