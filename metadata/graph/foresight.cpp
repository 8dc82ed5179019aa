// How many resources a tree comes to at least, told before they are made: what its files multiply each other by.
#include "base/text.hpp"
#include "metadata/graph/stack.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

constexpr std::size_t k_most_foreseen = 250'000;       ///< definitions; what was counted by then is less than there is
constexpr std::uint64_t k_most_for_it = 64ULL << 20U;  ///< bytes that functions make
constexpr std::size_t k_yaql_limit_for_it = 10'000;

Value not_foreseen() { return Value::waiting({{"", "creation"}}); }

/// As a stack of the template, but that nothing is made: what only resources tell is not known.
class UnmadeStack final : public Scope {
 public:
  UnmadeStack(Tree& tree, const TemplatePtr& source, const Value& given, std::uint64_t& spent)
      : tree_(tree),
        source_(*source),
        spent_(spent),
        parameters_(source->parameters(), given, tree.environment.parameter_defaults, {}, is_cfn(source->version())),
        conditions_(source) {}

  std::optional<Value> parameter(std::string_view name) override {
    return parameters_.declares(name) ? parameters_.value(name) : not_foreseen();  // its name and its id are not known
  }
  bool has_resource(std::string_view) override { return true; }
  Value reference(std::string_view) override { return not_foreseen(); }
  bool has_attribute(std::string_view, std::string_view) override { return true; }
  Value attribute(std::string_view, const std::vector<Value>&) override { return not_foreseen(); }
  Value condition(const Value& name) override { return conditions_.enabled(name, *this); }
  std::optional<Value> file(std::string_view) override { return not_foreseen(); }
  Value facade(std::string_view) override { return not_foreseen(); }
  Value mappings() override { return source_.section("", "Mappings"); }
  void spend(std::uint64_t bytes) override {
    breathe();
    spent_ += bytes;
    if (spent_ > k_most_for_it) throw value_fault("too much is made to look ahead");
  }
  [[nodiscard]] std::size_t yaql_limit() const override { return k_yaql_limit_for_it; }
  void breathe() override {
    if (tree_.breathe) tree_.breathe();
  }

  /// Not known where it is wrong, too: whoever makes it says so.
  Value value(const Expression& expression) {
    try {
      check(expression, *this);
      return resolve(expression, *this, true);
    } catch (const Fault&) {
      return not_foreseen();
    }
  }
  /// Each by itself, so that one that is not known keeps no other from being known.
  Value properties(const ExpressionPtr& written) {
    if (!written) return Value::map({});
    if (written->type != Expression::Type::map) return value(*written);
    MapBuilder members;
    for (std::size_t i = 0; i < written->keys.size(); ++i) members.set(written->keys[i], value(*written->items[i]));
    return Value::map(std::move(members));
  }
  bool is_there(const ResourceDefinition& definition) {
    if (!definition.condition) return true;
    try {
      const Value enabled = conditions_.enabled(value(*definition.condition), *this);
      return enabled.is_bool() && enabled.as_bool();
    } catch (const Fault&) {
      return false;
    }
  }

 private:
  Tree& tree_;
  const Template& source_;
  std::uint64_t& spent_;
  StackParameters parameters_;
  Conditions conditions_;
};

/// What is another in each member is not known of all.
Value as_in_each(const Value& value, const std::string& variable) {
  if (value.is_string()) return value.text().find(variable) == std::string::npos ? value : not_foreseen();
  if (value.is_map()) {
    MapBuilder members;
    for (const Entry& entry : value.entries()) members.set(entry.key, as_in_each(entry.value, variable));
    return Value::map(std::move(members));
  }
  if (!value.is_list()) return value;
  std::vector<Value> items;
  for (const Value& item : value.items()) items.push_back(as_in_each(item, variable));
  return Value::list(std::move(items));
}

class Foresight {
 public:
  explicit Foresight(Tree& tree) : tree_(tree), most_(tree.settings.most_resources) {}

  std::size_t in_stack(const TemplatePtr& source, const Value& given, const Registry& registry, std::size_t depth) {
    UnmadeStack stack(tree_, source, given, spent_);
    std::size_t count = 0;
    for (const ResourceDefinition& definition : source->resources()) {
      if (count > most_ || is_enough()) break;
      if (!stack.is_there(definition)) continue;
      ++count;
      if (definition.external_id || !definition.type.is_string()) continue;
      const auto properties = [&] { return stack.properties(definition.properties); };
      count += inside({definition.name, definition.type.text(), source->name()}, properties, registry, depth);
    }
    return count;
  }

 private:
  struct Place {
    std::string name;
    std::string type;
    std::string file;  ///< in which it is written
  };
  using Properties = std::function<Value()>;

  [[nodiscard]] bool is_enough() { return ++looked_at_ > k_most_foreseen || spent_ > k_most_for_it; }

  std::size_t inside(const Place& place, const Properties& properties, const Registry& registry, std::size_t depth) {
    if (depth > tree_.settings.deepest) return 0;
    try {
      const Implementation found = registry.find(place.type, place.name);
      const Registry own = registry.for_child(place.name, found);
      if (found.kind == Implementation::Kind::nested) {
        const std::string from = found.path.empty() ? place.file : tree_.sources.name(found.mark.file);
        const TemplatePtr source = template_of(tree_, tree_.files.resolve(from, found.name));
        const Value given = properties();
        return in_stack(source, given.is_map() ? given : Value::map({}), own, depth + 1);
      }
      switch (family_of(found.name)) {
        case Family::group: return in_group(properties(), place.file, own, depth + 1);
        case Family::chain: return in_chain(properties(), place.file, own, depth + 1);
        default: return 0;
      }
    } catch (const Fault&) {  // it is told when it is made
      return 0;
    }
  }

  std::size_t in_group(const Value& given, const std::string& file, const Registry& registry, std::size_t depth) {
    const Value count = given.find("count") == nullptr ? Value::integer(1) : member(given, "count");
    if (!count.is_integer() || count.as_integer() <= 0) return 0;
    const auto members = static_cast<std::size_t>(count.as_integer());
    if (members > most_) return most_ + 1;
    const Value* variable = given.find("index_var");
    const Value pattern =
        as_in_each(member(given, "resource_def"), variable == nullptr ? "%index%" : python_str(*variable));
    const Value type = member(pattern, "type");
    if (!type.is_string()) return members;
    const auto properties = [&] { return member(pattern, "properties"); };
    const std::size_t each = 1 + inside({"", type.text(), file}, properties, registry, depth);
    return each > most_ / members ? most_ + 1 : members * each;
  }

  std::size_t in_chain(const Value& given, const std::string& file, const Registry& registry, std::size_t depth) {
    const Value types = member(given, "resources");
    std::size_t count = 0;
    for (const Value& type : types.is_list() ? types.items() : std::vector<Value>{}) {
      if (count > most_ || is_enough()) break;
      ++count;
      const auto properties = [&] { return member(given, "resource_properties"); };
      if (type.is_string()) count += inside({"", type.text(), file}, properties, registry, depth);
    }
    return count;
  }

  Tree& tree_;
  std::size_t most_;
  std::size_t looked_at_ = 0;
  std::uint64_t spent_ = 0;
};

}  // namespace

bool will_be_too_many(Stack& root) {
  Tree& tree = root.tree();
  try {
    const Registry registry(tree.environment.resource_registry);
    return Foresight(tree).in_stack(root.definition(), root.parameters().given(), registry, 1) >
           tree.settings.most_resources;
  } catch (const Fault&) {
    return false;
  }
}

}  // namespace hearth::metadata
