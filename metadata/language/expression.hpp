// A snippet of a template, parsed once and evaluated in as many stacks as use the template. What holds no function is
// one constant, shared by all its uses.
//
// Three passes, in this order, as Heat has them, because the kind of an error depends on the pass that finds it:
//   check     what is wrong as written; conditions of `if` are decided, branches not taken are not looked at
//   validate  what a function can say about its arguments before they are known
//   resolve   the value
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metadata/language/version.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value.hpp"

namespace hearth::metadata {

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

/// What functions ask of the stack that they are evaluated in.
class Scope {
 public:
  virtual ~Scope() = default;
  /// The value; nothing when there is no such parameter or it has none.
  [[nodiscard]] virtual std::optional<Value> parameter(std::string_view name) = 0;
  /// For advice alone.
  [[nodiscard]] virtual std::vector<std::string> parameter_names() const { return {}; }
  [[nodiscard]] virtual std::vector<std::string> resource_names() const { return {}; }
  [[nodiscard]] virtual bool has_resource(std::string_view name) = 0;
  /// The reference id of a resource that exists.
  [[nodiscard]] virtual Value reference(std::string_view resource) = 0;
  [[nodiscard]] virtual bool has_attribute(std::string_view resource, std::string_view attribute) = 0;
  /// To advise of; those that are known without the run.
  [[nodiscard]] virtual std::vector<std::string> attribute_names(std::string_view /*resource*/) { return {}; }
  /// `path` begins with the attribute's name; empty = all attributes as a map.
  [[nodiscard]] virtual Value attribute(std::string_view resource, const std::vector<Value>& path) = 0;
  /// A condition by name: a bool, or a waiting value. Throws ValueError when there is none of that name.
  [[nodiscard]] virtual Value condition(const Value& name) = 0;
  [[nodiscard]] virtual std::optional<Value> file(std::string_view name) = 0;
  /// What to do about a file that is not there; may be empty.
  [[nodiscard]] virtual std::string advice_of_file(std::string_view /*name*/) { return {}; }
  /// metadata, deletion_policy or update_policy of the parent resource.
  [[nodiscard]] virtual Value facade(std::string_view which) = 0;
  /// Fn::FindInMap: the Mappings section; null when there is none.
  [[nodiscard]] virtual Value mappings() = 0;
  /// A function made so many bytes. Throws when what is evaluated at once has made too many.
  virtual void spend(std::uint64_t /*bytes*/) {}
  /// The most items that a yaql expression may go through; Heat's default.
  [[nodiscard]] virtual std::size_t yaql_limit() const { return 200; }
  /// Called in the midst of what may take its time.
  virtual void breathe() {}
};

struct Function;

struct Expression {
  enum class Type { constant, list, map, call, branch, faulty };

  Type type = Type::constant;
  Mark mark{};
  Value constant{};                    ///< constants; of a call or branch: the arguments as written
  std::vector<Value> keys{};           ///< of a map
  std::vector<ExpressionPtr> items{};  ///< of a list or map; a call's arguments; a branch's condition and values
  const Function* function = nullptr;
  std::string path{};            ///< of a call, a branch or a fault: "outputs.o.value.list_join"
  std::optional<Fault> fault{};  ///< found while parsing; thrown only where it is used

  [[nodiscard]] const Expression& arguments() const { return *items.front(); }
};

/// A function of the template language.
struct Function {
  std::string_view name;
  Version from;                                    ///< first version that has it in this form
  Version until;                                   ///< first version that has it no more
  enum class Waits { strictly, by_itself } waits;  ///< strictly: one waiting argument makes the result wait
  /// Called with the arguments as parsed; throws what is wrong as written. May be null.
  void (*check)(const Expression& call);
  /// May be null.
  void (*validate)(const Expression& call, Scope& scope);
  Value (*apply)(const Expression& call, Scope& scope);
};

/// Parses `snippet`. Never throws: faults stay in the tree. `conditions`: the functions of conditions only.
[[nodiscard]] ExpressionPtr parse_expression(const Value& snippet, Version version, const std::string& path,
                                             bool conditions = false);

void check(const Expression& expression, Scope& scope);
/// `path` as messages name this place: "Value", "resources.a.properties.config".
void validate(const Expression& expression, Scope& scope, const std::string& path);
/// An omitted value as a whole becomes null unless `nullable`.
[[nodiscard]] Value resolve(const Expression& expression, Scope& scope, bool nullable = false);

/// What an expression refers to, branches not taken left out: resource names with the attribute path used (empty for
/// get_resource), in order of appearance.
struct Reference {
  std::string resource;
  std::vector<Value> attribute;  ///< empty: the reference id
  bool is_attribute = false;
  Mark mark;
  std::string path;  ///< the place inside the expression
};
void collect_references(const Expression& expression, Scope& scope, std::vector<Reference>& found,
                        const std::string& path = "");

/// Python's container[key] for paths of get_param; nothing on a miss.
[[nodiscard]] std::optional<Value> step_into(const Value& container, const Value& key);
/// attributes.select_from_attribute: like step_into, but keys of lists must be integers.
[[nodiscard]] Value select_attribute(Value value, const std::vector<Value>& path, std::size_t from = 0);

}  // namespace hearth::metadata
