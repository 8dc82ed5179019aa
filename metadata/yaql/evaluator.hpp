// Evaluates YAQL. Everything is evaluated at once instead of lazily; limits are those of Heat: so many items a
// collection.
//
// Supported: operators . ?. [] + - * / mod = != < > <= >= and or not in =~ !~ ->, lists, maps, $ $name $1, and all of
// the standard library that Heat offers (library_*.cpp) but what would not be the same each time or has no form in
// JSON: dates, time spans, random numbers. Calling those is an error that says so.
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
  enum class Type { plain, iterator, view, set, regex, context };
  Type type = Type::plain;
  Value value{};         ///< iterators, views (what can only be gone through) and sets: a list; a regex: its pattern
  int flags = 0;         ///< of a regex: 1 ignore case, 2 multi line, 4 dot all
  bool endless = false;  ///< there is more of it than the limit allows; good as long as nobody wants all
  std::shared_ptr<const std::map<std::string, Item>> variables{};  ///< of a context
  std::shared_ptr<const std::vector<std::size_t>> ties{};  ///< of what was ordered: equal numbers for equal keys
  SyntaxPtr function{};                                    ///< what def() gave a name

  Item() = default;
  Item(Value v) : value(std::move(v)) {}  // NOLINT(google-explicit-constructor)
  Item(Type t, Value v) : type(t), value(std::move(v)) {}
  [[nodiscard]] bool is_collection() const {
    return type == Type::iterator || type == Type::view || type == Type::set ||
           (type == Type::plain && value.is_list());
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
  /// As part of another value: sets and iterators are lists.
  [[nodiscard]] Value output(const Item& item) const;
  /// What leaves YAQL: sets hold neither lists nor maps.
  [[nodiscard]] Value result(const Item& item) const;
  /// The items of a collection within the limit; throws CollectionTooLargeException.
  [[nodiscard]] const std::vector<Value>& items(const Item& item) const;
  [[nodiscard]] std::size_t limit() const { return limit_; }
  void count_step();
  [[nodiscard]] std::size_t& depth() { return depth_; }

 private:
  Item binary(const Syntax& syntax, const Variables& variables);
  Item dot(const Item& receiver, const Syntax& right, const Variables& variables);
  Item index(const Syntax& syntax, const Variables& variables);
  Item map(const Syntax& syntax, const Variables& variables);

  std::size_t limit_;
  std::size_t steps_ = 0;
  std::size_t depth_ = 0;  ///< of calls of functions that def() named
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
  /// Where the argument given as `name => …` stands; else `place`, unless another name stands there.
  [[nodiscard]] std::size_t place_of(std::string_view argument, std::size_t place) const;
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
[[nodiscard]] const std::vector<Library>& regex_library();
[[nodiscard]] const std::vector<Library>& number_library();
[[nodiscard]] const std::vector<Library>& sequence_library();
[[nodiscard]] const std::vector<Library>& system_library();

[[nodiscard]] Item call_function(const Call& call);
[[nodiscard]] Item apply_operator(const std::string& name, const Item& left, const Item& right, Evaluator& evaluator);
[[nodiscard]] bool is_true(const Item& item);
/// Python's repr() of a value, with tuples for lists, as they are inside YAQL.
[[nodiscard]] std::string shown(const Value& value);
/// Python's text of a value as YAQL's str() gives it: true, false, null for their kinds.
[[nodiscard]] std::string text_of(const Value& value);

/// One match of a regular expression: the whole and its groups, by bytes of the text; npos where a group took no part.
struct Match {
  struct Group {
    std::size_t begin = std::string::npos;
    std::size_t end = std::string::npos;
  };
  std::vector<Group> groups;
};
/// The matches of a regex in a text that don't overlap, the first `most` of them (0: all).
[[nodiscard]] std::vector<Match> matches_of(const Item& regex, const std::string& text, std::size_t most = 0);
/// split() and replace() of a regex and a text, in either order.
[[nodiscard]] Item split_by_regex(const Call& call);
[[nodiscard]] Item replace_by_regex(const Call& call);

}  // namespace hearth::metadata::yaql
