// Evaluates YAQL. What Python would make of a collection item by item is made so here, too: nobody sees the failure of
// an item that nobody asked for. Limits are those of Heat: so many items a collection.
//
// Supported: operators . ?. [] + - * / mod = != < > <= >= and or not in =~ !~ ->, lists, maps, $ $name $1, and all of
// the standard library that Heat offers (library_*.cpp) but what would not be the same each time or has no form in
// JSON: dates, time spans, random numbers. Calling those is an error that says so.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metadata/model/gone_over.hpp"
#include "metadata/model/python_pattern.hpp"
#include "metadata/model/value.hpp"
#include "metadata/yaql/syntax.hpp"

namespace hearth::metadata::yaql {

/// Items that are made when somebody asks for them, each once. As Python's iterators it gives each of them once only,
/// unless it remembers.
class Sequence {
 public:
  using Maker = std::function<std::optional<Value>()>;
  explicit Sequence(Maker make, bool remembers = false) : make_(std::move(make)), remembers_(remembers) {}
  /// Whether there is an item at this place; makes all up to it.
  [[nodiscard]] bool reaches(std::size_t place);
  [[nodiscard]] const Value& at(std::size_t place) const { return made_[place]; }
  /// Where whoever goes through it now begins.
  [[nodiscard]] std::size_t begin() const { return remembers_ ? 0 : taken_; }
  void take(std::size_t upto) { taken_ = std::max(taken_, upto); }
  /// All that are left, taken.
  [[nodiscard]] const std::vector<Value>& rest();

 private:
  Maker make_;
  std::vector<Value> made_;
  std::vector<Value> rest_;
  std::size_t taken_ = 0;
  bool ended_ = false;
  bool remembers_ = false;
};

class Lambda;
/// What was ordered by which keys; more may be added.
struct Ordering;

/// A value with what YAQL tells apart beyond JSON.
struct Item {
  enum class Type { plain, iterator, view, set, regex, context };
  Type type = Type::plain;
  Value value{};  ///< iterators, views (what can only be gone through) and sets: a list; a regex: its pattern
  int flags = 0;  ///< of a regex: 1 ignore case, 2 multi line, 4 dot all
  std::shared_ptr<Sequence> sequence{};  ///< the items of an iterator, where they are yet to be made
  bool of_lists = false;  ///< of an iterator: its items are lists in Python, too, of which no set can be made
  /// Of a set: the keys or items of a map, which Python lets nobody change.
  enum class PartOfMap { no, keys, items };
  PartOfMap of_map = PartOfMap::no;
  std::shared_ptr<const std::map<std::string, Item>> variables{};  ///< of a context
  std::shared_ptr<const Ordering> ordering{};  ///< of what was ordered, so that it can be ordered by more
  SyntaxPtr function{};                        ///< what def() gave a name

  Item() = default;
  Item(Value v) : value(std::move(v)) {}  // NOLINT(google-explicit-constructor)
  Item(Type t, Value v) : type(t), value(std::move(v)) {}
  Item(const Item&) = default;
  Item(Item&&) = default;
  Item& operator=(const Item&) = default;
  Item& operator=(Item&&) = default;
  ~Item() {
    if (sequence || variables || ordering) let_go();
  }
  [[nodiscard]] bool is_collection() const {
    return type == Type::iterator || type == Type::view || type == Type::set ||
           (type == Type::plain && value.is_list());
  }
  [[nodiscard]] bool is_text() const { return type == Type::plain && value.is_string(); }
  [[nodiscard]] bool is_map() const { return type == Type::plain && value.is_map(); }

 private:
  /// What it holds may hold another, and that one the next: they are destroyed one after the other.
  void let_go() noexcept;
};

/// Names in scope; inner ones hide outer ones. A copy is the same scope.
class Variables {
 public:
  Variables() : scope_(std::make_shared<Scope>()) {}
  [[nodiscard]] static Variables inside(const Variables& outer);
  void set(const std::string& name, Item item) { scope_->own[name] = std::move(item); }
  [[nodiscard]] Item get(const std::string& name) const;
  [[nodiscard]] std::map<std::string, Item> all() const;

 private:
  struct Scope {
    std::shared_ptr<const Scope> outer;
    std::map<std::string, Item> own;
  };
  std::shared_ptr<Scope> scope_;
};

/// Throws MemoryQuotaExceededException where a value comes to more than 16 MiB.
void require_room(std::uint64_t bytes);
/// And ValueError where one is too deep.
void require_bounds(const Value& value);

class Evaluator {
 public:
  /// `breathe` is called now and then: whoever has more to do may do it.
  explicit Evaluator(std::size_t limit, std::function<void()> breathe = {})
      : limit_(limit), breathe_(std::move(breathe)), looked_(values_gone_over()) {}

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
  /// Each throws where the expression takes too many: what lambdas do, and items that functions go through.
  void count_step();
  /// Refuses at once what takes so many steps that it would be refused at its end.
  void require_steps(std::uint64_t count) const;
  void count_items(std::size_t count) const;
  /// What reads a text, or writes a value as a text.
  void count_letters(std::uint64_t count) const { count_items(count / k_letters_of_an_item); }
  /// Within a function that compares or looks up many items: what that went over counts at once.
  void count_looks() const { count_items(0); }
  [[nodiscard]] std::size_t& depth() { return depth_; }
  [[nodiscard]] PatternBudget& patterns() { return patterns_; }
  /// All that was done, as bytes that it might have made.
  [[nodiscard]] std::uint64_t spent() const;

 private:
  static constexpr std::uint64_t k_letters_of_an_item = 64;

  Item evaluated(const Syntax& syntax, const Variables& variables);
  Item binary(const Syntax& syntax, const Variables& variables);
  Item dot(const Item& receiver, const Syntax& right, const Variables& variables);
  Item index(const Syntax& syntax, const Variables& variables);
  Item map(const Syntax& syntax, const Variables& variables);

  std::size_t limit_;
  std::function<void()> breathe_;
  std::size_t steps_ = 0;
  mutable std::size_t items_ = 0;
  mutable std::uint64_t looked_;  ///< of what comparing and hashing went over: what was counted
  std::size_t depth_ = 0;         ///< of calls of functions that def() named
  PatternBudget patterns_;
};

/// Goes through a collection; throws CollectionTooLargeException behind the limit.
class Cursor {
 public:
  Cursor(const Evaluator& evaluator, Item item);
  std::optional<Value> next();

 private:
  const Evaluator* evaluator_;
  Item item_;
  std::size_t limit_;
  std::size_t from_ = 0;  ///< of a sequence: where this one began
  std::size_t place_ = 0;
};

/// A lambda with the names that it saw: may be called when the call that it was given to is over.
class Lambda {
 public:
  Lambda(Evaluator& evaluator, Variables variables, SyntaxPtr syntax)
      : evaluator_(&evaluator), variables_(std::move(variables)), syntax_(std::move(syntax)) {}
  [[nodiscard]] Evaluator& evaluator() const { return *evaluator_; }
  [[nodiscard]] Item operator()(const std::vector<Item>& arguments) const;
  [[nodiscard]] bool holds(const Value& item) const;
  [[nodiscard]] Value value(const Value& item) const;

 private:
  Evaluator* evaluator_;
  Variables variables_;
  SyntaxPtr syntax_;
};

/// An iterator whose items are made one by one.
[[nodiscard]] Item made_lazily(Sequence::Maker make);
/// An iterator whose items are made all together, when the first is asked for.
[[nodiscard]] Item made_at_once_but_late(std::function<std::vector<Value>()> make);

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
  [[nodiscard]] Item given(std::size_t place) const;  ///< the same, of which nothing is read
  [[nodiscard]] bool has(std::size_t place) const;
  [[nodiscard]] Lambda lambda(std::size_t place) const;
  [[nodiscard]] Item apply(std::size_t place, const std::vector<Item>& values) const { return lambda(place)(values); }
  /// The collection at this place, to be gone through.
  [[nodiscard]] Cursor cursor(std::size_t place) const;
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
/// Python's `in`: how the items of a map look for a pair is their own affair.
[[nodiscard]] bool is_in(const Item& wanted, const Item& collection, const Evaluator& evaluator);
/// Throws what Python throws where it looks at such items by their hashes.
void require_hashable(const Item& collection);
/// Python's repr() of a value, with tuples for lists, as they are inside YAQL.
[[nodiscard]] std::string shown(const Value& value);
/// Python's text of a value as YAQL's str() gives it: true, false, null for their kinds.
[[nodiscard]] std::string text_of(const Value& value);

/// The matches of a regex in a text that don't overlap, the first `most` of them (0: all).
[[nodiscard]] std::vector<PythonPattern::Match> matches_of(Evaluator& evaluator, const Item& regex,
                                                           const std::string& text, std::size_t most = 0);
/// split() and replace() of a regex and a text, in either order.
[[nodiscard]] Item split_by_regex(const Call& call);
[[nodiscard]] Item replace_by_regex(const Call& call);

}  // namespace hearth::metadata::yaql
