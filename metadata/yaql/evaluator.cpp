#include "metadata/yaql/evaluator.hpp"

#include <unordered_map>

#include "base/text.hpp"
#include "metadata/model/call_room.hpp"
#include "metadata/model/fault.hpp"
#include "metadata/model/value_limits.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata::yaql {

namespace {

constexpr std::size_t k_most_steps = 5'000'000;
constexpr std::size_t k_most_gone_through = 4'000'000;
constexpr std::size_t k_steps_of_a_breath = 4096;
constexpr std::uint64_t k_bytes_of_a_step = 48;
constexpr std::uint64_t k_bytes_of_a_pattern_step = 16;
constexpr std::size_t k_deepest = 200;  ///< calls of functions that def() named within each other

[[noreturn]] void too_large(std::size_t limit) {
  throw Fault("CollectionTooLargeException", cat("Collection length exceeds ", limit, " elements"));
}

const std::unordered_map<std::string_view, const Library*>& libraries() {
  static const std::unordered_map<std::string_view, const Library*> index = [] {
    std::unordered_map<std::string_view, const Library*> all;
    for (const auto* library : {&collection_library(), &query_library(), &text_library(), &regex_library(),
                                &number_library(), &sequence_library(), &system_library()}) {
      for (const Library& row : *library) all[row.name] = &row;
    }
    return all;
  }();
  return index;
}

}  // namespace

std::string shown(const Value& value) {
  std::vector<std::string> parts;
  if (value.is_map()) {
    for (const Entry& entry : value.entries()) parts.push_back(cat(shown(entry.key), ": ", shown(entry.value)));
    return cat("{", join(parts, ", "), "}");
  }
  if (!value.is_list()) return python_repr(value);
  for (const Value& item : value.items()) parts.push_back(shown(item));
  return cat("(", join(parts, ", "), parts.size() == 1 ? "," : "", ")");
}

Variables Variables::inside(const Variables& outer) {
  Variables inner;
  inner.scope_->outer = outer.scope_;
  return inner;
}

Item Variables::get(const std::string& name) const {
  for (const Scope* scope = scope_.get(); scope != nullptr; scope = scope->outer.get()) {
    const auto found = scope->own.find(name);
    if (found != scope->own.end()) return found->second;
  }
  return {};
}

std::map<std::string, Item> Variables::all() const {
  std::map<std::string, Item> names;
  for (const Scope* scope = scope_.get(); scope != nullptr; scope = scope->outer.get()) {
    names.insert(scope->own.begin(), scope->own.end());  // inner ones came first
  }
  return names;
}

void require_bounds(const Value& value) {
  require_room(value.size());
  require_depth(value, "a value of the yaql expression", {});
}

namespace {

void bury(std::shared_ptr<const void> last) {
  thread_local std::vector<std::shared_ptr<const void>> buried;
  thread_local bool digging = false;
  buried.push_back(std::move(last));
  if (std::exchange(digging, true)) return;
  while (!buried.empty()) {
    const std::shared_ptr<const void> next = std::exchange(buried.back(), nullptr);
    buried.pop_back();
  }
  digging = false;
}

}  // namespace

void Item::let_go() noexcept {
  if (sequence.use_count() == 1) bury(std::move(sequence));
  if (variables.use_count() == 1) bury(std::move(variables));
  if (ordering.use_count() == 1) bury(std::move(ordering));
}

bool Sequence::reaches(std::size_t place) {
  if (call_room() < k_last_call_room) throw Fault("RecursionError", "maximum recursion depth exceeded");
  while (!ended_ && made_.size() <= place) {
    std::optional<Value> next = make_();
    ended_ = !next;
    if (next) made_.push_back(std::move(*next));
  }
  if (ended_) make_ = nullptr;  // and what it held
  return place < made_.size();
}

const std::vector<Value>& Sequence::rest() {
  while (reaches(made_.size())) {
  }
  rest_.assign(made_.begin() + static_cast<std::ptrdiff_t>(begin()), made_.end());
  taken_ = made_.size();
  return rest_;
}

Cursor::Cursor(const Evaluator& evaluator, Item item)
    : evaluator_(&evaluator), item_(std::move(item)), limit_(evaluator.limit()) {
  if (!item_.sequence) (void)evaluator.items(item_);
}

std::optional<Value> Cursor::next() {
  evaluator_->count_items(1);
  if (item_.sequence) {
    Sequence& from = *item_.sequence;
    if (place_ == 0) from_ = from.begin();
    const std::size_t place = std::max(from_ + place_, from.begin());  // somebody else may have taken some
    if (!from.reaches(place)) return std::nullopt;
    place_ = place - from_ + 1;
    if (place_ > limit_) too_large(limit_);
    from.take(place + 1);
    return from.at(place);
  }
  if (place_ >= item_.value.items().size()) return std::nullopt;
  return item_.value.items()[place_++];
}

Item Lambda::operator()(const std::vector<Item>& arguments) const {
  return evaluator_->apply(*syntax_, variables_, arguments);
}
bool Lambda::holds(const Value& item) const { return is_true((*this)({item})); }
Value Lambda::value(const Value& item) const { return evaluator_->output((*this)({item})); }

Item made_lazily(Sequence::Maker make) {
  Item item(Item::Type::iterator, Value::list({}));
  item.sequence = std::make_shared<Sequence>(std::move(make));
  return item;
}

Item made_at_once_but_late(std::function<std::vector<Value>()> make) {
  std::optional<std::vector<Value>> all;
  return made_lazily([make = std::move(make), all, place = std::size_t{0}]() mutable -> std::optional<Value> {
    if (!all) all = make();
    return place < all->size() ? std::optional<Value>((*all)[place++]) : std::nullopt;
  });
}

void Evaluator::require_steps(std::uint64_t count) const {
  if (steps_ + count > k_most_steps)
    throw Fault("MemoryQuotaExceededException", "the yaql expression takes too many steps");
}

void Evaluator::count_step() {
  require_steps(1);
  ++steps_;
  count_looks();
  if (!breathe_ || steps_ % k_steps_of_a_breath != 0) return;
  breathe_();
  looked_ = values_gone_over();  // what others did meanwhile is theirs
}

void Evaluator::count_items(std::size_t count) const {
  const std::uint64_t looks = (values_gone_over() - looked_) / k_letters_of_an_item;
  looked_ += looks * k_letters_of_an_item;
  items_ += count + looks;
  if (items_ > k_most_gone_through)
    throw Fault("MemoryQuotaExceededException",
                cat("the yaql expression goes through more than ", k_most_gone_through, " items"));
}

void require_room(std::uint64_t bytes) {
  if (bytes > k_largest_value)
    throw Fault("MemoryQuotaExceededException",
                cat("a value of the yaql expression comes to more than ", k_largest_value >> 20U, " MiB"));
}

std::uint64_t Evaluator::spent() const {
  return (steps_ + items_) * k_bytes_of_a_step +
         (PatternBudget::k_steps - patterns_.left()) * k_bytes_of_a_pattern_step;
}

Item Evaluator::evaluate(const Syntax& syntax, const Variables& variables) {
  count_step();
  if (call_room() < k_last_call_room) throw Fault("RecursionError", "maximum recursion depth exceeded");
  Item item = evaluated(syntax, variables);
  require_bounds(item.value);
  return item;
}

Item Evaluator::evaluated(const Syntax& syntax, const Variables& variables) {
  switch (syntax.type) {
    case Syntax::Type::constant: return syntax.constant;
    case Syntax::Type::keyword: return Value::string(syntax.name);
    case Syntax::Type::variable: return variables.get(syntax.name == "$1" ? "$" : syntax.name);
    case Syntax::Type::call: return call_function({*this, variables, syntax.name, std::nullopt, syntax.parts});
    case Syntax::Type::binary: return binary(syntax, variables);
    case Syntax::Type::unary: {
      Item operand = evaluate(*syntax.parts[0], variables);
      if (syntax.name == "not") return Value::boolean(!is_true(operand));
      if (syntax.name == "+") return operand;
      return apply_operator("-", Value::integer(0), operand, *this);
    }
    case Syntax::Type::index: return index(syntax, variables);
    case Syntax::Type::list: {
      std::vector<Value> items;
      for (const SyntaxPtr& part : syntax.parts) items.push_back(output(evaluate(*part, variables)));
      return Value::list(std::move(items));
    }
    case Syntax::Type::map: return map(syntax, variables);
    default: return {};
  }
}

Item Evaluator::map(const Syntax& syntax, const Variables& variables) {
  MapBuilder members;
  for (const SyntaxPtr& part : syntax.parts) {
    if (part->type != Syntax::Type::rule)
      throw Fault("NoMatchingFunctionException", "No function \"#map\" matches supplied arguments");
    members.set(output(evaluate(*part->parts[0], variables)), output(evaluate(*part->parts[1], variables)));
  }
  return Value::map(std::move(members));
}

Item Evaluator::apply(const Syntax& lambda, const Variables& variables, const std::vector<Item>& arguments) {
  Variables inner = Variables::inside(variables);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    inner.set(i == 0 ? "$" : cat("$", i + 1), arguments[i]);
  }
  return evaluate(lambda, inner);
}

Item Evaluator::binary(const Syntax& syntax, const Variables& variables) {
  const std::string& name = syntax.name;
  const Item left = evaluate(*syntax.parts[0], variables);
  if (name == ".") return dot(left, *syntax.parts[1], variables);
  if (name == "?.")
    return left.type == Item::Type::plain && left.value.is_null() ? Item() : dot(left, *syntax.parts[1], variables);
  if (name == "and") return is_true(left) ? evaluate(*syntax.parts[1], variables) : left;
  if (name == "or") return is_true(left) ? left : evaluate(*syntax.parts[1], variables);
  if (name == "->") {
    if (left.type != Item::Type::context)
      throw Fault("NoMatchingFunctionException", "No function \"#operator_->\" matches supplied arguments");
    Variables inner = Variables::inside(variables);
    for (const auto& [key, item] : *left.variables) inner.set(key, item);
    return evaluate(*syntax.parts[1], inner);
  }
  return apply_operator(name, left, evaluate(*syntax.parts[1], variables), *this);
}

Item Evaluator::dot(const Item& receiver, const Syntax& right, const Variables& variables) {
  if (right.type == Syntax::Type::call) return call_function({*this, variables, right.name, receiver, right.parts});
  if (right.type != Syntax::Type::keyword) {
    throw Fault("NoMatchingFunctionException", "No function \"#operator_.\" matches supplied arguments");
  }
  if (receiver.is_map()) {
    const Value* found = receiver.value.find(right.name);
    if (found == nullptr) throw key_fault(python_repr(Value::string(right.name)));
    return *found;
  }
  if (!receiver.is_collection()) {
    throw Fault("NoFunctionRegisteredException", cat("Unknown function \"#property#", right.name, "\""));
  }
  auto name = std::make_shared<Syntax>(right);
  return made_lazily([this, from = Cursor(*this, receiver), name, variables]() mutable -> std::optional<Value> {
    const std::optional<Value> item = from.next();
    return item ? std::optional<Value>(output(dot(*item, *name, variables))) : std::nullopt;
  });
}

Item Evaluator::index(const Syntax& syntax, const Variables& variables) {
  const Item container = evaluate(*syntax.parts[0], variables);
  const auto mismatch = [] {
    return Fault("NoMatchingFunctionException", "No function \"#indexer\" matches supplied arguments");
  };
  if (syntax.parts.size() < 2 || syntax.parts.size() > 3) throw mismatch();
  const Item key = evaluate(*syntax.parts[1], variables);
  if (container.is_map()) {
    if (const Value* found = container.value.find(key.value)) return *found;
    if (syntax.parts.size() == 3) return evaluate(*syntax.parts[2], variables);
    throw key_fault(python_repr(key.value));
  }
  const bool sequence = container.type == Item::Type::plain && container.value.is_list();
  if (!sequence || !key.value.is_integer() || syntax.parts.size() == 3) throw mismatch();
  const auto size = static_cast<std::int64_t>(container.value.items().size());
  const std::int64_t place = key.value.as_integer() + (key.value.as_integer() < 0 ? size : 0);
  if (place < 0 || place >= size) throw Fault("IndexError", "tuple index out of range");
  return container.value.items()[static_cast<std::size_t>(place)];
}

const std::vector<Value>& Evaluator::items(const Item& item) const {
  if (!item.sequence) {
    if (item.value.items().size() > limit_) too_large(limit_);
    count_items(item.value.items().size());
    return item.value.items();
  }
  if (item.sequence->reaches(item.sequence->begin() + limit_)) too_large(limit_);
  const std::vector<Value>& rest = item.sequence->rest();
  count_items(rest.size());
  return rest;
}

Value Evaluator::output(const Item& item) const {
  if (item.type == Item::Type::regex) return Value::string(item.value.text());
  if (item.type == Item::Type::context) return {};
  if (!item.sequence) return item.value;
  Value list = Value::list(items(item));
  require_bounds(list);
  return list;
}

Value Evaluator::result(const Item& item) const {
  if (item.type == Item::Type::set) {
    for (const Value& member : item.value.items()) {
      if (member.is_list() || member.is_map())
        throw type_fault(cat("unhashable type: '", type_name(member), "'"), member.mark());
    }
  }
  return output(item);
}

/// Whatever the function does with a text, it reads it.
Item Call::at(std::size_t place) const {
  Item item = given(place);
  if (item.is_text()) evaluator.count_letters(item.value.text().size());
  return item;
}

Item Call::given(std::size_t place) const {
  if (receiver) {
    if (place == 0) return *receiver;
    --place;
  }
  if (place >= arguments.size()) return {};
  const Syntax& syntax = *arguments[place];
  if (syntax.type == Syntax::Type::rule) return evaluator.evaluate(*syntax.parts[1], variables);  // name => value
  return evaluator.evaluate(syntax, variables);
}

bool Call::has(std::size_t place) const {
  return place < count() &&
         (place < (receiver ? 1U : 0U) || arguments[place - (receiver ? 1 : 0)]->type != Syntax::Type::nothing);
}

Lambda Call::lambda(std::size_t place) const {
  if (receiver) --place;
  if (place >= arguments.size()) mismatch();
  const SyntaxPtr& syntax = arguments[place];
  return {evaluator, variables, syntax->type == Syntax::Type::rule ? syntax->parts[1] : syntax};
}

Cursor Call::cursor(std::size_t place) const {
  Item item = has(place) ? at(place) : Item();
  if (!item.is_collection()) mismatch();
  return {evaluator, std::move(item)};
}

const std::vector<Value>& Call::collection(std::size_t place, Item& holder) const {
  if (!has(place)) mismatch();
  holder = at(place);
  if (!holder.is_collection()) mismatch();
  return evaluator.items(holder);
}

std::string Call::text(std::size_t place) const {
  const Item item = has(place) ? at(place) : Item();
  if (!item.is_text()) mismatch();
  return item.value.text();
}

std::int64_t Call::integer(std::size_t place, std::int64_t otherwise) const {
  if (!has(place)) return otherwise;
  const Item item = at(place);
  const bool whole = item.value.kind() == Kind::integer || item.value.is_bool();  // Python's int
  if (item.type != Item::Type::plain || !whole) mismatch();
  return item.value.as_integer();
}

Value Call::map(std::size_t place) const {
  const Item item = has(place) ? at(place) : Item();
  if (!item.is_map()) mismatch();
  return item.value;
}

std::size_t Call::place_of(std::string_view argument, std::size_t place) const {
  const std::size_t before = receiver ? 1 : 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i]->type == Syntax::Type::rule && arguments[i]->parts[0]->name == argument) return i + before;
  }
  const bool named = place < count() && arguments[place - before]->type == Syntax::Type::rule;
  return named ? count() : place;
}

void Call::mismatch() const {
  if (receiver) {
    throw Fault("NoMatchingMethodException",
                cat("No method \"", name, "\" for receiver ", shown(receiver->value), " matches supplied arguments"));
  }
  throw Fault("NoMatchingFunctionException", cat("No function \"", name, "\" matches supplied arguments"));
}

namespace {

/// What def() gave a name: a lambda with the names that it saw.
Item call_defined(const Call& call, const Item& defined) {
  Variables scope;
  for (const auto& [name, item] : *defined.variables) scope.set(name, item);
  for (std::size_t i = 0; i < call.count(); ++i) scope.set(i == 0 ? "$" : cat("$", i + 1), call.at(i));
  scope.set(cat("def ", call.name), defined);
  if (++call.evaluator.depth() > k_deepest) throw Fault("RecursionError", "maximum recursion depth exceeded");
  Item result = call.evaluator.evaluate(*defined.function, scope);
  --call.evaluator.depth();
  return result;
}

/// Advises the nearest of the functions that can be called in this way.
[[noreturn]] void refuse_unknown(const Call& call, Fault fault) {
  std::vector<std::string> names;
  for (const auto& [name, library] : libraries()) {
    const bool fits = library->form == Form::both || (library->form == Form::method) == call.receiver.has_value();
    if (fits && name.front() != '#') names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  if (const auto near = nearest(call.name, names)) fault.hint(cat("Did you mean ", *near, "?"));
  throw fault;
}

}  // namespace

Item call_function(const Call& call) {
  const auto found = libraries().find(call.name);
  if (found != libraries().end()) {
    const Form form = found->second->form;
    if (form == Form::both || (form == Form::method) == call.receiver.has_value()) {
      Item made = found->second->run(call);
      if (made.is_text()) call.evaluator.count_letters(made.value.text().size());
      return made;
    }
  }
  const Item defined = call.receiver ? Item() : call.variables.get(cat("def ", call.name));
  if (defined.function) return call_defined(call, defined);
  if (call.receiver) {
    refuse_unknown(call, Fault("NoMethodRegisteredException",
                               cat("Unknown method \"", call.name, "\" for receiver ", shown(call.receiver->value))));
  }
  refuse_unknown(call, Fault("NoFunctionRegisteredException", cat("Unknown function \"", call.name, "\"")));
}

void require_hashable(const Item& collection) {
  if (collection.of_lists && collection.sequence && collection.sequence->reaches(0))
    throw type_fault("unhashable type: 'list'");
}

/// Python's generators are true, whatever they will give.
bool is_true(const Item& item) {
  const bool object = item.type == Item::Type::regex || item.type == Item::Type::iterator || item.ordering;
  return object || item.type == Item::Type::context || truth(item.value);
}

std::string text_of(const Value& value) {
  if (value.is_null()) return "null";
  if (value.is_bool()) return value.as_bool() ? "true" : "false";
  if (value.is_list() || value.is_map()) return shown(value);
  return python_str(value);
}

}  // namespace hearth::metadata::yaql
