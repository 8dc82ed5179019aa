#include "metadata/graph/stack.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/text.hpp"
#include "metadata/graph/identity.hpp"
#include "metadata/model/call_room.hpp"
#include "metadata/model/value_limits.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/resources/translation.hpp"

namespace hearth::metadata {

namespace {

constexpr std::size_t k_deepest_evaluation = 2000;

std::string below(const std::string& path, const std::string& name) {
  return path.empty() ? name : cat(path, ".", name);
}

/// OS::Heat::None; other types of its family only do nothing.
bool takes_anything(const Resource& resource) { return resource.real_type == "OS::Heat::None"; }

/// The network that a port or a subnet names, by its present or its former property.
Value network_of(const Value& raw) {
  const Value now = member(raw, "network");
  return now.is_null() ? member(raw, "network_id") : now;
}

/// OS::Heat::Value: the value by the type that stands beside it.
Value with_typed_value(const Value& typed, const Value& raw) {
  static const std::unordered_map<std::string, DataType> types = {{"string", DataType::string},
                                                                  {"number", DataType::number},
                                                                  {"boolean", DataType::boolean},
                                                                  {"comma_delimited_list", DataType::list},
                                                                  {"json", DataType::map}};
  const Value* type = typed.find("type");
  const Value* value = raw.find("value");
  if (type == nullptr || !type->is_string() || value == nullptr || value->has_waiting()) return typed;
  const auto known = types.find(type->text());
  if (known == types.end()) return typed;
  MapBuilder members(typed.entries());
  members.set("value", convert_property({.type = known->second, .required = true}, *value, "value"));
  return Value::map(std::move(members)).with_mark(typed.mark());
}

PropertySchema without_constraints(PropertySchema schema) {
  schema.constraints.clear();
  for (auto& [name, member] : schema.members) member = without_constraints(member);
  if (schema.item) schema.item = std::make_shared<PropertySchema>(without_constraints(*schema.item));
  return schema;
}

/// The table with no constraints for properties that refer to resources: Heat has no values for those yet.
PropertyTable constraints_on_known(PropertyTable table, const Expression& written, Scope& scope) {
  for (std::size_t i = 0; written.type == Expression::Type::map && i < written.keys.size(); ++i) {
    std::vector<Reference> found;
    collect_references(*written.items[i], scope, found);
    for (auto& [name, schema] : table) {
      if (!found.empty() && name == python_str(written.keys[i])) schema = without_constraints(schema);
    }
  }
  return table;
}

Fault unknown_reference(std::string_view name, const std::string& place, const std::vector<std::string>& known,
                        const Mark& mark) {
  Fault fault("InvalidTemplateReference", cat("The specified reference \"", name, "\" (in ", place, ") is incorrect."),
              mark);
  fault.suggest(name, known);
  return fault;
}

}  // namespace

Stack::Stack(Tree& tree, TemplatePtr source, StackIdentity identity, const Value& given)
    : tree_(tree),
      template_(std::move(source)),
      identity_(std::move(identity)),
      registry_(tree.environment.resource_registry) {
  if (identity_.id.empty()) identity_.id = derived_uuid(tree.settings.seed, "stack", identity_.name);
  tree_.root_id = identity_.id;
  parameters_ = std::make_unique<StackParameters>(template_->parameters(), given, tree.environment.parameter_defaults,
                                                  identity_, is_cfn(template_->version()));
  conditions_ = std::make_unique<Conditions>(template_);
}

Stack::Stack(Tree& tree, TemplatePtr source, StackIdentity identity, const Value& given, Resource& parent,
             Registry registry)
    : tree_(tree),
      template_(std::move(source)),
      identity_(std::move(identity)),
      path_(parent.path),
      parent_(&parent),
      registry_(std::move(registry)) {
  parameters_ = std::make_unique<StackParameters>(template_ ? template_->parameters() : std::vector<ParameterSchema>{},
                                                  given, tree.environment.parameter_defaults, identity_,
                                                  template_ && is_cfn(template_->version()));
  if (template_) conditions_ = std::make_unique<Conditions>(template_);
}

Stack::~Stack() {
  for (const auto& resource : resources_) {
    tree_.by_id.erase(resource->uuid);
    forget(*resource);
  }
}

/// What was evaluated for a resource, and that it used events.
void Stack::forget(Resource& resource) {
  resource.owner->users_.reset();
  for (Resource::Memo* memo : {&resource.raw, &resource.typed, &resource.needs_memo}) {
    for (const std::string& path : memo->events) {
      const auto found = tree_.users.find(path);
      if (found != tree_.users.end()) found->second.erase(&resource);
    }
    *memo = {};
  }
}

void Stack::add_member(ResourceDefinition definition) {
  members_.push_back(std::make_unique<ResourceDefinition>(std::move(definition)));
  add_resource(*members_.back());
}

/// Whether its condition lets it be, as far as that is known; else where it stands is kept.
bool Stack::is_wanted(const ResourceDefinition& definition) {
  if (!definition.condition) return true;
  check(*definition.condition, *this);
  const Value wanted = resolve(*definition.condition, *this);
  Value enabled;
  try {
    enabled = conditions_->enabled(wanted, *this);
  } catch (const Fault& fault) {
    if (fault.type() != "ValueError") throw;
    throw validation_fault(fault.text(), fault.mark().known() ? fault.mark() : definition.mark,
                           cat("resources.", definition.name, ".condition"))
        .advised_as(fault);
  }
  if (enabled.is_waiting()) {
    structure_waits_.insert(structure_waits_.end(), enabled.events().begin(), enabled.events().end());
    undecided_[definition.name] = enabled.events();
    return false;
  }
  if (!enabled.as_bool()) disabled_.insert(definition.name);
  return enabled.as_bool();
}

constexpr std::size_t k_most_further = 2000;  ///< more than anybody is told

/// The first fault is thrown, at once unless somebody looks for all.
void Stack::read_definitions() {
  std::optional<Fault> first;
  for (const ResourceDefinition& definition : template_->resources()) {
    try {
      if (is_wanted(definition)) add_resource(definition);
    } catch (const Fault& fault) {
      if (!tree_.mend || tree_.exhausted() || tree_.further.size() >= k_most_further) throw;
      if (first) {
        tree_.further.push_back(fault);
      } else {
        first = fault;
      }
    }
  }
  if (first) throw *first;
}

void Stack::read_resources() {
  if (read_) return;
  read_ = true;
  if (!template_) return;
  try {
    read_definitions();
  } catch (...) {  // whoever asks again is to hear it again
    for (const auto& resource : resources_) {
      tree_.by_id.erase(resource->uuid);
      forget(*resource);
    }
    resources_.clear();
    by_name_.clear();
    disabled_.clear();
    undecided_.clear();
    structure_waits_.clear();
    read_ = false;
    throw;
  }
}

/// The file of this stack's template; of members, the one that their group stands in.
std::string Stack::nearest_template() const {
  const Stack* stack = this;
  while (!stack->template_ && stack->parent_ != nullptr) stack = stack->parent_->owner;
  return stack->template_ ? stack->template_->name() : "";
}

/// A tree that becomes large is looked ahead in, once: what would be refused in the end is refused while it is small.
void Stack::count_one_more(const Mark& mark) {
  static constexpr std::size_t k_large = 20;  ///< the part of what it may have
  const std::size_t most = tree_.settings.most_resources;
  if (++tree_.resources == most / k_large) {
    Stack* root = this;
    while (root->parent_ != nullptr) root = root->parent_->owner;
    if (will_be_too_many(*root)) tree_.resources = most + 1;
  }
  if (tree_.resources > most)
    throw validation_fault(cat("more than ", most, " resources in this tree of stacks"), mark);
}

void Stack::add_resource(const ResourceDefinition& definition) {
  count_one_more(definition.mark);
  if (!definition.type.is_string()) {
    throw validation_fault(cat("Resource \"", definition.name, "\" type is not a string"),
                           definition.type.mark().known() ? definition.type.mark() : definition.mark);
  }
  auto resource = std::make_unique<Resource>();
  resource->name = definition.name;
  resource->path = below(path_, definition.name);
  resource->type = definition.type.text();
  resource->mark = definition.mark;
  resource->owner = this;
  resource->definition = &definition;
  try {
    resource->implementation = registry_.find(resource->type, resource->name);
    if (resource->implementation.kind == Implementation::Kind::nested) {
      resource->family = Family::nested;
      // A type written in a template is relative to it; an entry of the registry to its environment.
      const std::string from = resource->implementation.path.empty() ? nearest_template() : "";
      resource->real_type = tree_.files.resolve(
          from.empty() ? tree_.sources.name(resource->implementation.mark.file) : from, resource->implementation.name);
    } else {
      resource->real_type = resource->implementation.name;
      resource->family = family_of(resource->real_type);
      resource->table = find_resource_type(resource->real_type);
    }
  } catch (const Fault& fault) {
    Fault located =
        fault.as(fault.type() == "EntityNotFound" ? "StackValidationFailed" : fault.type()).at(definition.type.mark());
    throw located;
  }
  if (definition.external_id) resource->family = Family::external;
  identify(*resource);
  by_name_[resource->name] = resource.get();
  users_.reset();
  resources_.push_back(std::move(resource));
}

void Stack::identify(Resource& resource) {
  resource.uuid =
      derived_uuid(tree_.settings.seed, "resource", cat(identity_.id, "/", resource.name, tree_.era_of(resource.path)));
  resource.physical_name =
      physical_name(identity_.name, resource.name, resource.uuid, description_of(resource.family).longest_name);
  tree_.by_id[resource.uuid] = &resource;
}

void Tree::spend(std::uint64_t bytes) {
  if (breathe) breathe();
  made += bytes;
  if (made > settings.most_made)
    throw value_fault(cat("the stack's values come to more than ", settings.most_made >> 20U, " MiB"));
}

std::string Tree::era_of(const std::string& path) const {
  const auto known = eras.find(path);
  const std::size_t number = known == eras.end() ? era : known->second;
  return number == 0 ? "" : cat("#", number);
}

std::vector<Resource*> Stack::resources() {
  read_resources();
  std::vector<Resource*> all;
  for (const auto& resource : resources_) all.push_back(resource.get());
  return all;
}

Resource* Stack::find(std::string_view name) {
  read_resources();
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? nullptr : found->second;
}

Resource* Stack::find_path(std::string_view path) {
  // Names may hold dots: the longest name that fits comes first.
  for (std::size_t end = path.size(); end != std::string_view::npos && end > 0; end = path.rfind('.', end - 1)) {
    Resource* found = find(path.substr(0, end));
    if (found == nullptr) continue;
    if (end == path.size()) return found;
    Stack* inner = nested_of(*found);
    return inner == nullptr ? nullptr : inner->find_path(path.substr(end + 1));
  }
  return nullptr;
}

Value Stack::remember(Resource& resource, Resource::Memo& memo, const std::function<Value()>& evaluate) {
  if (!memo.value) {
    if (memo.failed && memo.failed_in == tree_.validation) throw Fault(*memo.failed);
    if (memo.busy) {
      std::string circle;
      const auto begin = std::find(tree_.chain.begin(), tree_.chain.end(), resource.path);
      for (auto name = begin; name != tree_.chain.end(); ++name) {
        if (circle.empty() || *(name - 1) != *name) circle += *name + " -> ";
      }
      throw Fault("CircularDependencyException", cat("Circular Dependency Found: ", circle, resource.path),
                  resource.mark);
    }
    // What functions are written around each attribute counts, too: then fewer resources are too many.
    const std::size_t length = tree_.chain.size();
    if (length > k_deepest_evaluation || (length > 1 && call_room() < k_least_call_room)) {
      tree_.too_deep = true;  // each of its resources would be found to be so anew
      throw validation_fault(
          cat("resources depend on each other in a chain of more than ", std::min(length - 1, k_deepest_evaluation)),
          resource.mark);
    }
    if (tree_.breathe) tree_.breathe();
    std::set<std::string> events;
    tree_.frames.push_back(&events);
    tree_.chain.push_back(resource.path);
    memo.busy = true;
    const auto leave = [&] {
      memo.busy = false;
      tree_.frames.pop_back();
      tree_.chain.pop_back();
    };
    try {
      memo.value = evaluate();
    } catch (const Fault& fault) {
      leave();
      // What is wrong with a chain or a circle is wrong with who asked.
      const bool own = fault.type() != "CircularDependencyException" && !tree_.exhausted();
      if (own && tree_.validation != 0) {
        memo.failed = std::make_shared<const Fault>(fault);
        memo.failed_in = tree_.validation;
      }
      throw;
    } catch (...) {
      leave();
      throw;
    }
    leave();
    for (const std::string& path : events) tree_.users[path].insert(&resource);
    memo.events = std::move(events);
  }
  if (!tree_.frames.empty()) tree_.frames.back()->insert(memo.events.begin(), memo.events.end());
  return *memo.value;
}

void Stack::use_event(const std::string& path) {
  if (!tree_.frames.empty()) tree_.frames.back()->insert(path);
}

Value Stack::raw_properties(Resource& resource) {
  return remember(resource, resource.raw, [&]() -> Value {
    const ExpressionPtr& written = resource.definition->properties;
    if (!written) return Value::map({}).with_mark(resource.mark);
    check(*written, *this);
    MapBuilder members;
    if (written->type != Expression::Type::map && written->type != Expression::Type::constant)
      return resolve(*written, *this);
    const auto add = [&](const Value& key, const Value& value) {
      if (!value.is_omitted()) members.set(key, value);
    };
    if (written->type == Expression::Type::constant) return written->constant;
    for (std::size_t i = 0; i < written->keys.size(); ++i) {
      const std::string name = python_str(written->keys[i]);
      try {
        add(written->keys[i], resolve(*written->items[i], *this, true));
      } catch (const Fault& fault) {
        if (fault.type() == "CircularDependencyException" || fault.type() == "StackValidationFailed") throw;
        const bool found_before = !is_cfn(template_ ? template_->version() : Version::v2013_05_23);
        if (fault.type() == "InvalidTemplateReference" && found_before) throw fault.at(written->items[i]->mark);
        throw validation_fault(fault.text(), fault.mark().known() ? fault.mark() : written->items[i]->mark,
                               cat("Property error: resources.", resource.name, ".properties.", name))
            .advised_as(fault);
      }
    }
    Value value = Value::map(std::move(members)).with_mark(written->mark);
    require_size(value.size(), cat("properties of ", resource.name), resource.mark);
    if (tree_.settings.keeps_properties) spend(value.size());
    return value;
  });
}

Value Stack::properties(Resource& resource) {
  return remember(resource, resource.typed, [&]() -> Value {
    Value raw = raw_properties(resource);
    const bool as_given = takes_anything(resource) || resource.family == Family::external;
    if (raw.is_waiting() || resource.table == nullptr || as_given) return raw;
    try {
      const ExpressionPtr& written = resource.definition->properties;
      const bool as_heat = tree_.settings.checked_as_heat_does && written;
      const Value given = translated_properties(resource.real_type, raw.is_map() ? raw : Value::map({}));
      const PropertyTable& table = resource.table->properties;
      const Value typed = convert_properties(as_heat ? constraints_on_known(table, *written, *this) : table, given);
      return resource.family == Family::value ? with_typed_value(typed, raw) : typed;
    } catch (const Fault& fault) {
      Fault located = fault.below(cat("Property error: resources.", resource.name, ".properties")).at(resource.mark);
      throw located;
    }
  });
}

Value Stack::metadata_of(Resource& resource) {
  if (!resource.definition->metadata) return Value::map({});
  check(*resource.definition->metadata, *this);
  const Value value = resolve(*resource.definition->metadata, *this);
  return value.is_null() ? Value::map({}) : value;
}

const std::vector<std::string>& Stack::needs(Resource& resource) {
  (void)remember(resource, resource.needs_memo, [&]() -> Value {
    resource.needs.clear();
    std::unordered_set<std::string> seen;
    const auto add = [&](const std::string& name, const Mark& mark, const std::string& place) {
      if (undecided_.count(name) > 0) return;
      if (by_name_.count(name) == 0) {
        if (disabled_.count(name) > 0 && place.find('.') == std::string::npos) return;
        throw unknown_reference(name, place, resource_names(), mark);
      }
      if (seen.insert(name).second) resource.needs.push_back(name);
    };
    const std::vector<Value>& depends_on = resource.definition->depends_on;
    for (const Value& name : depends_on) {
      if (by_name_.count(name.text()) > 0) add(name.text(), name.mark(), resource.name);
    }
    const auto collect = [&](const ExpressionPtr& expression, std::string_view section) {
      if (!expression) return;
      check(*expression, *this);
      std::vector<Reference> found;
      collect_references(*expression, *this, found, cat(resource.name, ".", section));
      for (const Reference& reference : found) add(reference.resource, reference.mark, reference.path);
    };
    collect(resource.definition->properties, "Properties");
    collect(resource.definition->metadata, "Metadata");
    collect(resource.definition->external_id, "external_id");
    for (const Value& name : depends_on) add(name.text(), name.mark(), resource.name);  // Heat looks for those last
    if (resource.family == Family::port || resource.family == Family::subnet) {
      // A port comes after the subnets of its network.
      for (const auto& other : resources_) {
        if (resource.family == Family::port && other->family == Family::subnet && seen.count(other->name) == 0) {
          const Value network = network_of(raw_properties(resource));
          if (!network.is_null() && network == network_of(raw_properties(*other)))
            add(other->name, resource.mark, resource.name);
        }
      }
    }
    return {};
  });
  return resource.needs;
}

Stack* Stack::nested_of(Resource& resource) {
  if (resource.nested) return resource.nested.get();
  if (description_of(resource.family).role != live::Role::nested) return nullptr;
  std::vector<Event> waits;
  resource.nested = make_nested(*this, resource, registry_.for_child(resource.name, resource.implementation), waits);
  return resource.nested.get();
}

std::vector<Resource*> Stack::learn(const std::string& path, const Value& attributes) {
  const auto known = tree_.learned.find(path);
  if (known != tree_.learned.end() && known->second == attributes) return {};
  tree_.learned[path] = attributes;
  tree_.made = 0;
  tree_.patterns = PatternBudget();
  const auto found = tree_.users.find(path);
  if (found == tree_.users.end()) return {};
  std::vector<Resource*> changed(found->second.begin(), found->second.end());
  std::sort(changed.begin(), changed.end(), [](const Resource* a, const Resource* b) { return a->path < b->path; });
  tree_.users.erase(found);
  std::vector<std::string> gone;
  for (Resource* resource : changed) {
    if (std::any_of(gone.begin(), gone.end(),
                    [&](const std::string& g) { return resource->path.rfind(g + ".", 0) == 0; }))
      continue;
    forget(*resource);
    if (resource->nested && resource->family != Family::config) {
      gone.push_back(resource->path);  // its members are made anew, with the same ids
    }
  }
  std::vector<Resource*> left;
  for (Resource* resource : changed) {
    const bool below_gone = std::any_of(gone.begin(), gone.end(),
                                        [&](const std::string& g) { return resource->path.rfind(g + ".", 0) == 0; });
    if (!below_gone) left.push_back(resource);
  }
  for (Resource* resource : left) resource->nested.reset();
  tree_.resources = tree_.by_id.size();  // those that are made anew are no others
  return left;
}

std::optional<Value> Stack::parameter(std::string_view name) { return parameters_->value(name); }

/// For advice only: with thousands of wrong references among thousands of names it is worth less than it costs.
std::vector<std::string> Stack::resource_names() const {
  static constexpr std::size_t k_most_compared = 500'000;
  if (tree_.suggested_from >= k_most_compared) return {};
  tree_.suggested_from += resources_.size();
  std::vector<std::string> names;
  for (const auto& resource : resources_) names.push_back(resource->name);
  return names;
}

bool Stack::has_resource(std::string_view name) { return find(name) != nullptr || undecided_.count(name) > 0; }

Value Stack::reference(std::string_view name) {
  Resource* resource = find(name);
  if (resource == nullptr) {
    if (const auto waits = undecided_.find(name); waits != undecided_.end()) return Value::waiting(waits->second);
    throw unknown_reference(name, "unknown", resource_names(), {});
  }
  if (tree_.settings.checked_as_heat_does) return Value::string(resource->name);  // until it is made
  return reference_of(*resource);
}

bool Stack::has_attribute(std::string_view name, std::string_view attribute) {
  Resource* resource = find(name);
  if (resource == nullptr) return undecided_.count(name) > 0;
  if (takes_anything(*resource)) return true;
  switch (resource->family) {
    case Family::opaque:
    case Family::deployment:
    case Family::deployment_group: return true;
    case Family::group:
    case Family::chain: return members_have(*resource, attribute);
    case Family::nested: {
      Stack* inner = nested_of(*resource);
      return tree_.settings.checked_as_heat_does || attribute == "show" || inner == nullptr ||
             inner->has_output(attribute);
    }
    default: break;
  }
  if (attribute == "show" || resource->table == nullptr) return true;
  const auto& known = resource->table->attributes;
  return std::find(known.begin(), known.end(), attribute) != known.end();
}

std::vector<std::string> Stack::attribute_names(std::string_view name) {
  const Resource* resource = find(name);
  if (resource == nullptr) return {};
  std::vector<std::string> names;
  if (resource->table != nullptr) names.assign(resource->table->attributes.begin(), resource->table->attributes.end());
  if (resource->nested != nullptr && resource->nested->definition() != nullptr) {
    for (const OutputDefinition& output : resource->nested->definition()->outputs()) names.push_back(output.name);
  }
  return names;
}

/// What a group does not know itself, its members are asked for: "resource.0.ip", or just "ip".
bool Stack::members_have(Resource& group, std::string_view attribute) {
  for (const std::string_view own : {"refs", "refs_map", "attributes", "removed_rsrc_list", "show"}) {
    if (attribute == own && (group.family == Family::group || own == "refs" || own == "attributes" || own == "show"))
      return true;
  }
  Stack* members = nested_of(group);
  if (members == nullptr || members->resources().empty()) return true;
  std::string name = members->resources().front()->name;
  if (attribute.rfind("resource.", 0) == 0) {
    attribute.remove_prefix(9);
    const std::size_t dot = attribute.find('.');
    name = std::string(attribute.substr(0, dot));
    if (dot == std::string_view::npos || members->find(name) == nullptr) return true;  // a reference, or not there yet
    attribute.remove_prefix(dot + 1);
  }
  return members->has_attribute(name, attribute);
}

Value Stack::attribute(std::string_view name, const std::vector<Value>& path) {
  Resource* resource = find(name);
  if (resource == nullptr) return reference(name);  // waits, or throws
  if (!path.empty() && !has_attribute(name, python_str(path[0]))) {
    throw Fault("InvalidTemplateAttribute",
                cat("The Referenced Attribute (", name, " ", python_str(path[0]), ") is incorrect."), path[0].mark())
        .suggest(python_str(path[0]), attribute_names(name));
  }
  if (tree_.settings.checked_as_heat_does) return Value::waiting({{resource->path, "creation"}});
  return attribute_of(*resource, path);
}

Value Stack::condition(const Value& name) {
  return conditions_ ? conditions_->enabled(name, *this) : Value::boolean(true);
}

std::optional<Value> Stack::file(std::string_view name) {
  const std::string full = tree_.files.resolve(template_ ? template_->name() : "", std::string(name));
  const auto known = tree_.texts.find(full);
  if (known != tree_.texts.end()) return known->second;
  std::optional<std::string> text = tree_.files.read(full);
  if (!text) return std::nullopt;
  return tree_.texts[full] = Value::string(std::move(*text)).with_mark({tree_.sources.add(full), 1, 1});
}

std::string Stack::advice_of_file(std::string_view name) {
  return metadata::advice_of_file(tree_.files,
                                  tree_.files.resolve(template_ ? template_->name() : "", std::string(name)));
}

std::string advice_of_file(FileSource& files, const std::string& name) {
  const auto bare = [](const std::string& path) { return path.substr(path.rfind('/') + 1); };
  std::vector<std::string> names = files.beside(name);
  for (std::string& each : names) each = bare(each);
  const auto near = nearest(bare(name), names);
  return near ? cat("Did you mean ", *near, "?") : "";
}

Value Stack::facade(std::string_view which) {
  if (parent_ == nullptr) throw Fault("AttributeError", "a root stack has no parent resource for resource_facade");
  if (which == "metadata" || which == "Metadata") return parent_->owner->metadata_of(*parent_);
  if (which == "deletion_policy" || which == "DeletionPolicy")
    return Value::string(parent_->definition->deletion_policy);
  return parent_->definition->update_policy ? resolve(*parent_->definition->update_policy, *parent_->owner)
                                            : Value::map({});
}

Value Stack::mappings() { return template_ ? template_->section("", "Mappings") : Value(); }

bool Stack::has_output(std::string_view name) const {
  return template_ && template_->output(std::string(name)) != nullptr;
}

Value Stack::output(const std::string& name) {
  const OutputDefinition* definition = template_ ? template_->output(name) : nullptr;
  if (definition == nullptr) return {};
  if (definition->condition) {
    check(*definition->condition, *this);
    Value enabled = conditions_->enabled(resolve(*definition->condition, *this), *this);
    if (enabled.is_waiting()) return enabled;
    if (!enabled.as_bool()) return {};
  }
  try {
    check(*definition->value, *this);
    Value value = resolve(*definition->value, *this);
    require_size(value.size(), cat("output ", name), definition->mark);
    if (tree_.settings.keeps_properties) spend(value.size());
    return value;
  } catch (const Fault& fault) {
    throw fault.at(definition->mark);
  }
}

void check_template_size(std::size_t bytes, std::size_t most) {
  if (bytes <= most) return;
  throw Fault("RequestLimitExceeded", cat("Request limit exceeded: Template size (", bytes,
                                          " bytes) exceeds maximum allowed size (", most, " bytes)."));
}

TemplatePtr template_of(Tree& tree, const std::string& file) {
  const auto known = tree.templates.find(file);
  if (known != tree.templates.end()) return known->second;
  const std::optional<std::string> text = tree.files.read(file);
  if (!text) {
    Fault fault = validation_fault(cat("there is no template ", file));
    if (std::string advice = advice_of_file(tree.files, file); !advice.empty()) fault.hint(std::move(advice));
    throw fault;
  }
  check_template_size(text->size(), tree.settings.largest_template);
  const std::string mended = tree.mend_text ? tree.mend_text(file, *text, "template") : "";
  std::string_view read = tree.mend_text ? mended : *text;
  if (tree.files.strips_templates()) read = read.substr(0, read.find_last_not_of(" \t\r\n\f\v") + 1);
  Value document = read_template_text(read, file, tree.sources);
  if (tree.mend) document = tree.mend(file, document);
  const auto source = std::make_shared<const Template>(std::move(document), file);
  if (tree.mend) {
    for (Fault& fault : source->faults()) tree.further.push_back(std::move(fault));
  }
  source->check();
  return tree.templates[file] = source;
}

void for_each_resource(Stack& stack, const std::function<void(Resource&)>& visit) {
  for (Resource* resource : stack.resources()) {
    visit(*resource);
    if (Stack* nested = stack.nested_of(*resource)) for_each_resource(*nested, visit);
  }
}

}  // namespace hearth::metadata
