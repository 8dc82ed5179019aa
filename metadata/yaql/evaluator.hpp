// Evaluates YAQL. Everything is evaluated at once instead of lazily; limits are those of Heat: so many items a
// collection.
//
// Supported (enough for all of tripleo-heat-templates): operators . ?. [] + - * / mod = != < > <= >= and or not in =~
// !~ ->, lists, maps, $ $name $1; the functions of the two libraries (library_collections.cpp, library_text.cpp). Not
// supported: def, generate, call, dates; calling them is an error that says so.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metadata/model/value.hpp"
#include "metadata/yaql/syntax.hpp"

namespace hearth::metadata::yaql {

/// A value with what YAQL tells apart beyond JSON.
struct Item {
  enum class Type { plain, iterator, set, regex, context };
  Type type = Type::plain;
  Value value{};  ///< iterators and sets: a list; a regex: its pattern
  int flags = 0;  ///< of a regex: 1 ignore case, 2 multi line, 4 dot all
  std::shared_ptr<const std::map<std::string, Item>> variables{};  ///< of a context

  Item() = default;
  Item(Value v) : value(std::move(v)) {}  // NOLINT(google-explicit-constructor)
  Item(Type t, Value v) : type(t), value(std::move(v)) {}
  [[nodiscard]] bool is_collection() const {
    return type == Type::iterator || type == Type::set || (type == Type::plain && value.is_list());
  }
  [[nodiscard]] bool is_text() const { return type == Type::plain && value.is_string(); }
  [[nodiscard]] bool is_map() const { return type == Type::plain && value.is_map(); }
};

/// Names in scope; inner ones hide outer ones.
class Variables {
 public:
  Variables() = default;
  explicit Variables(const Variables* outer) : outer_(outer) {}
  void set(const std::string& name, Item item) { own_[name] = std::move(item); }
  [[nodiscard]] Item get(const std::string& name) const;
  [[nodiscard]] std::map<std::string, Item> all() const;

 private:
  const Variables* outer_ = nullptr;
  std::map<std::string, Item> own_;
};

class Evaluator {
 public:
  explicit Evaluator(std::size_t limit) : limit_(limit) {}

  [[nodiscard]] Item evaluate(const Syntax& syntax, const Variables& variables);
  /// The value of a lambda: $ and $1 are the first argument, $2 the second.
  [[nodiscard]] Item apply(const Syntax& lambda, const Variables& variables, const std::vector<Item>& arguments);
  /// As what leaves YAQL: sets and iterators are lists.
  [[nodiscard]] Value output(const Item& item) const;
  /// The items of a collection within the limit; throws CollectionTooLargeException.
  [[nodiscard]] const std::vector<Value>& items(const Item& item) const;
  [[nodiscard]] std::size_t limit() const { return limit_; }
  void count_step();

 private:
  Item binary(const Syntax& syntax, const Variables& variables);
  Item dot(const Item& receiver, const Syntax& right, const Variables& variables);
  Item index(const Syntax& syntax, const Variables& variables);
  Item map(const Syntax& syntax, const Variables& variables);

  std::size_t limit_;
  std::size_t steps_ = 0;
};

/// One call: receiver and arguments, these not yet evaluated.
struct Call {
  Evaluator& evaluator;
  const Variables& variables;
  const std::string& name;
  std::optional<Item> receiver;
  std::vector<SyntaxPtr> arguments;

  [[nodiscard]] std::size_t count() const { return arguments.size() + (receiver ? 1 : 0); }
  /// The n-th argument, the receiver being the first where there is one.
  [[nodiscard]] Item at(std::size_t place) const;
  [[nodiscard]] bool has(std::size_t place) const;
  /// The syntax of an argument that is a lambda.
  [[nodiscard]] const Syntax& lambda(std::size_t place) const;
  [[nodiscard]] Item apply(std::size_t place, const std::vector<Item>& values) const {
    return evaluator.apply(lambda(place), variables, values);
  }
  [[nodiscard]] const std::vector<Value>& collection(std::size_t place, Item& holder) const;
  [[nodiscard]] std::string text(std::size_t place) const;
  [[nodiscard]] std::int64_t integer(std::size_t place, std::int64_t otherwise = 0) const;
  [[nodiscard]] Value map(std::size_t place) const;
  /// No overload of the function takes these arguments.
  [[noreturn]] void mismatch() const;
};

using Implementation = Item (*)(const Call& call);
/// How a function may be called.
enum class Form { function, method, both };
struct Library {
  std::string_view name;
  Form form;
  Implementation run;
};
[[nodiscard]] const std::vector<Library>& collection_library();
[[nodiscard]] const std::vector<Library>& query_library();
[[nodiscard]] const std::vector<Library>& text_library();

[[nodiscard]] Item call_function(const Call& call);
[[nodiscard]] Item apply_operator(const std::string& name, const Item& left, const Item& right, Evaluator& evaluator);
[[nodiscard]] bool is_true(const Item& item);
/// Python's text of a value as YAQL's str() gives it: true, false, null for their kinds.
[[nodiscard]] std::string text_of(const Value& value);
/// Regular expression search; `whole_at_start`: only at the beginning.
[[nodiscard]] std::optional<std::vector<std::string>> match(const std::string& pattern, int flags,
                                                            const std::string& text, bool at_start);

}  // namespace hearth::metadata::yaql
