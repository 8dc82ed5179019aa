// Nested stacks: of templates, and of the members of ResourceGroup, ResourceChain and the deployment groups.
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "metadata/graph/identity.hpp"
#include "metadata/graph/stack.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

ExpressionPtr as_written(const Value& value) {
  auto expression = std::make_shared<Expression>();
  expression->constant = value;
  expression->mark = value.mark();
  return expression;
}

StackIdentity nested_identity(Stack& stack, const Resource& resource) {
  return {resource.physical_name, derived_uuid(stack.tree().settings.seed, "stack", resource.uuid),
          stack.identity().project};
}

void check_depth(Stack& stack, const Resource& resource) {
  std::size_t depth = 1;
  for (Resource* parent = stack.parent(); parent != nullptr; parent = parent->owner->parent()) ++depth;
  if (depth > stack.tree().settings.deepest) {
    throw validation_fault(cat("stacks are nested deeper than ", stack.tree().settings.deepest), resource.mark);
  }
}

/// A template inside itself with the same values goes on for ever; with others it may end, by its conditions.
void check_template_circle(Stack& stack, const Resource& resource, const Value& given) {
  std::vector<std::string> chain{resource.real_type};
  std::size_t times = 0;
  bool same = false;
  for (Stack* each = &stack; each != nullptr && !same; each = each->parent() ? each->parent()->owner : nullptr) {
    if (each->source() == nullptr) continue;
    chain.push_back(each->source()->name());
    if (each->source()->name() != resource.real_type) continue;
    ++times;
    const Resource* parent = each->parent();  // the root was given nothing by a resource
    same = parent != nullptr && parent->given == given;
  }
  if (!same && times < stack.tree().settings.most_of_one_template) return;
  std::reverse(chain.begin(), chain.end());
  const std::string circle = join(chain, " -> ");
  Fault fault = validation_fault(same ? cat("Circular nesting of templates: ", circle)
                                      : cat("a template is inside itself more than ", times, " times: ", circle),
                                 resource.mark);
  fault.hint(cat("Give ", resource.name, " another type, or a condition that ends the nesting."));
  throw fault;
}

/// A list goes to a parameter of the type comma_delimited_list as text: nothing for null, ".member.N.k=v" for maps.
Value comma_text(const Value& list) {
  std::vector<std::string> texts;
  const bool maps = !list.items().empty() && list.items()[0].is_map();  // the first one tells
  for (std::size_t i = 0; i < list.items().size(); ++i) {
    const Value& item = list.items()[i];
    if (maps && item.is_map()) {
      std::vector<std::string> parts;
      for (const Entry& entry : item.entries())
        parts.push_back(cat(".member.", i, ".", python_str(entry.key), "=", python_str(entry.value)));
      texts.push_back(join(parts, ","));
    } else {
      if (!item.is_null() && !item.is_string()) {
        throw type_fault(cat("items of a list for a nested template's parameter are texts; item ", i, " is ",
                             type_name(item), " ", python_repr(item)),
                         item.mark().known() ? item.mark() : list.mark());
      }
      texts.push_back(item.is_null() ? "" : item.text());
    }
  }
  return Value::string(join(texts, ",")).with_mark(list.mark());
}

/// A parameter as a property of the resource: its type, and whether it must be given. Its constraints are the nested
/// stack's affair, unless all is checked in Heat's order.
PropertySchema property_of(const ParameterSchema& parameter, const Value& defaults, bool checked) {
  const bool has_default = !parameter.default_value.is_null() || !member(defaults, parameter.name).is_null();
  return {.type = parameter.type,
          .required = !has_default,
          .from_parameter = true,
          .constraints = checked ? parameter.constraints : std::vector<Constraint>{}};
}

/// What does not fit, or is not there, is the zero of its type.
Value converted_where_it_fits(const PropertyTable& table, const Value& raw) {
  MapBuilder members;
  for (const auto& [name, schema] : table) {
    const Value* value = raw.find(name);
    if (value == nullptr && !schema.required) continue;
    try {
      members.set(name, convert_property(schema, value == nullptr ? Value() : *value, name));
    } catch (const Fault&) {
      members.set(name, convert_property(schema, {}, name));
    }
  }
  return Value::map(std::move(members));
}

/// What of "resources" the parent gives: converted by the types of the template's parameters.
Value given_to(Stack& stack, Resource& resource, const Template& source) {
  const bool as_heat = stack.tree().settings.checked_as_heat_does;
  const bool only_names = as_heat && stack.parent() != nullptr;
  Value raw = Value::map({});
  try {
    raw = stack.raw_properties(resource);
  } catch (const Fault&) {
    if (!only_names) throw;
  }
  if (raw.is_waiting() || !raw.is_map()) return Value::map({});
  PropertyTable table;
  for (const ParameterSchema& parameter : source.parameters()) {
    table.emplace_back(parameter.name,
                       property_of(parameter, stack.tree().environment.parameter_defaults, as_heat && !only_names));
  }
  Value converted;
  try {
    if (only_names) check_property_names(table, names_in(raw));
    converted = only_names ? converted_where_it_fits(table, raw) : convert_properties(table, raw);
  } catch (const Fault& fault) {
    throw fault.below(cat("Property error: resources.", resource.name, ".properties")).at(resource.mark);
  }
  MapBuilder given;
  for (const Entry& entry : converted.entries()) {
    const auto& parameters = source.parameters();
    const auto schema = std::find_if(parameters.begin(), parameters.end(),
                                     [&](const ParameterSchema& p) { return p.name == entry.key.text(); });
    const bool as_text = schema->type == DataType::list && entry.value.is_list() && !entry.value.has_waiting();
    given.set(entry.key, as_text ? comma_text(entry.value) : entry.value);
  }
  return Value::map(std::move(given));
}

std::unique_ptr<Stack> make_from_template(Stack& stack, Resource& resource, const Registry& registry) {
  check_depth(stack, resource);
  TemplatePtr source;
  try {
    source = template_of(stack.tree(), resource.real_type);
  } catch (const Fault& fault) {
    throw fault.mark().known() ? fault : fault.at(resource.mark);
  }
  const Value given = given_to(stack, resource, *source);
  check_template_circle(stack, resource, given);
  resource.given = given;
  return std::make_unique<Stack>(stack.tree(), source, nested_identity(stack, resource), given, resource, registry);
}

/// `index_var` replaced in all texts, keys of maps left alone; what holds none of it stays shared.
Value with_index(const Value& value, const std::string& variable, const std::string& index) {
  if (value.is_string()) {
    if (value.text().find(variable) == std::string::npos) return value;
    return Value::string(replace_all(value.text(), variable, index)).with_mark(value.mark());
  }
  bool changed = false;
  if (value.is_list()) {
    std::vector<Value> items;
    items.reserve(value.items().size());
    for (const Value& item : value.items()) {
      items.push_back(with_index(item, variable, index));
      changed = changed || !items.back().same(item);
    }
    return changed ? Value::list(std::move(items)).with_mark(value.mark()) : value;
  }
  if (!value.is_map()) return value;
  std::vector<Value> values;
  for (const Entry& entry : value.entries()) {
    values.push_back(with_index(entry.value, variable, index));
    changed = changed || !values.back().same(entry.value);
  }
  if (!changed) return value;
  MapBuilder members;
  for (std::size_t i = 0; i < values.size(); ++i) members.set(value.entries()[i].key, std::move(values[i]));
  return Value::map(std::move(members)).with_mark(value.mark());
}

Value without_nulls(const Value& map) {
  const bool any =
      std::any_of(map.entries().begin(), map.entries().end(), [](const Entry& e) { return e.value.is_null(); });
  if (!any) return map;
  MapBuilder members;
  for (const Entry& entry : map.entries()) {
    if (!entry.value.is_null()) members.set(entry.key, entry.value);
  }
  return Value::map(std::move(members)).with_mark(map.mark());
}

/// What removal_policies name: members, by name or by reference.
std::vector<std::string> named_by_policies(const Value& given) {
  std::vector<std::string> named;
  const Value policies = member(given, "removal_policies");
  for (const Value& policy : policies.is_list() ? policies.items() : std::vector<Value>{}) {
    const Value names = member(policy, "resource_list");
    for (const Value& name : names.is_list() ? names.items() : std::vector<Value>{}) named.push_back(python_str(name));
  }
  return named;
}

/// The names that a group passes over, as Heat decides it. In a group that is there already ("refs_map" tells its
/// members) policies name members, or what was passed over before; in a new one whatever they say counts.
std::set<std::string> passed_over(const Value& known, const Value& given) {
  const Value before = member(known, "removed_rsrc_list");
  std::set<std::string> earlier;
  for (const Value& name : before.is_list() ? before.items() : std::vector<Value>{}) earlier.insert(python_str(name));
  if (truth(member(known, "decided"))) return earlier;
  const bool forgets = python_str(member(given, "removal_policies_mode")) == "update";
  std::set<std::string> passed = forgets ? std::set<std::string>{} : earlier;
  const Value members = member(known, "refs_map");
  for (const std::string& name : named_by_policies(given)) {
    if (!members.is_map() || earlier.count(name) > 0 || members.find(name) != nullptr) {
      passed.insert(name);
      continue;
    }
    for (const Entry& each : members.entries()) {
      if (each.value.is_string() && each.value.text() == name) passed.insert(python_str(each.key));
    }
  }
  return passed;
}

ResourceDefinition definition(const std::string& name, const Resource& of, const Value& type, const Value& properties,
                              const Value& metadata) {
  ResourceDefinition made{.name = name,
                          .mark = of.mark,
                          .type = type,
                          .properties = as_written(properties),
                          .metadata = nullptr,
                          .condition = nullptr,
                          .update_policy = nullptr,
                          .depends_on = {},
                          .description = {}};
  if (truth(metadata)) made.metadata = as_written(metadata);
  return made;
}

/// Ours are the same ids each time, so that a new group's policies may name members by their references, too: by their
/// own id, or the one that their template gives them. Puts names for these; true when there were any.
bool names_for_references(Stack& nested, std::set<std::string>& passed) {
  if (std::all_of(passed.begin(), passed.end(), [](const std::string& p) { return parse_number(p).has_value(); }))
    return false;
  bool any = false;
  for (Resource* each : nested.resources()) {
    const Value reference = nested.reference_of(*each);
    const bool named = passed.erase(each->uuid) > 0 || (reference.is_string() && passed.erase(reference.text()) > 0);
    if (named) passed.insert(each->name);
    any = any || named;
  }
  return any;
}

/// Whether the type is a ResourceGroup, whatever stands for it.
bool is_group(const Registry& registry, const Value& type) {
  if (!type.is_string()) return false;
  try {
    const Implementation found = registry.find(type.text(), "0");
    return found.kind != Implementation::Kind::nested && family_of(found.name) == Family::group;
  } catch (const Fault&) {
    return false;
  }
}

/// How many resources a member of a group comes to at least, as far as that can be told before any is made: groups
/// inside groups multiply. No more than `most` and one.
std::size_t foreseen(const Registry& registry, const Value& pattern, std::size_t most) {
  const Value count = member(member(pattern, "properties"), "count");
  if (count.kind() != Kind::integer || count.as_integer() <= 0 || !is_group(registry, member(pattern, "type")))
    return 1;
  const auto members = static_cast<std::size_t>(count.as_integer());
  const std::size_t each = foreseen(registry, member(member(pattern, "properties"), "resource_def"), most);
  return each > most / members ? most + 1 : 1 + members * each;
}

void add_group_members(Resource& resource, Stack& nested, const Value& given, const Registry& registry) {
  const Value wanted = member(given, "count");
  const std::int64_t count = wanted.kind() == Kind::integer ? wanted.as_integer() : 1;
  const Value pattern = member(given, "resource_def");
  const std::string variable = python_str(member(given, "index_var"));
  Value properties = truth(member(pattern, "properties")) ? member(pattern, "properties") : Value::map({});
  if (!nested.tree().settings.checked_as_heat_does) properties = without_nulls(properties);
  Tree& tree = nested.tree();
  const std::size_t most = tree.settings.most_resources;
  const auto room = static_cast<std::int64_t>(most - std::min(most, tree.resources));
  if (count > room / static_cast<std::int64_t>(foreseen(registry, pattern, most))) {
    tree.resources = most + 1;
    throw validation_fault(cat("more than ", most, " resources in this tree of stacks"), resource.mark);
  }
  std::int64_t index = 0;
  for (std::int64_t made = 0; made < count; ++index) {
    const std::string name = std::to_string(index);
    if (resource.passed_over.count(name) > 0) continue;
    ++made;
    const Value own = with_index(properties, variable, name);
    if (!own.same(properties)) nested.spend(own.size());
    nested.add_member(definition(name, resource, with_index(member(pattern, "type"), variable, name), own,
                                 with_index(member(pattern, "metadata"), variable, name)));
  }
}

void add_chain_members(Resource& resource, Stack& nested, const Value& given) {
  const Value properties =
      truth(member(given, "resource_properties")) ? member(given, "resource_properties") : Value::map({});
  const bool concurrent = truth(member(given, "concurrent"));
  std::size_t index = 0;
  const Value types = member(given, "resources");
  for (const Value& type : types.items()) {
    ResourceDefinition made = definition(std::to_string(index), resource, type, properties, {});
    if (!concurrent && index > 0) made.depends_on.push_back(Value::string(std::to_string(index - 1)));
    nested.add_member(std::move(made));
    ++index;
  }
}

void add_deployments(Resource& resource, Stack& nested, const Value& given) {
  const bool structured = resource.real_type.find("Structured") != std::string::npos;
  const Value type = Value::string(structured ? "OS::Heat::StructuredDeployment" : "OS::Heat::SoftwareDeployment")
                         .with_mark(resource.mark);
  const Value servers = member(given, "servers");
  for (const Entry& server : servers.is_map() ? servers.entries() : std::vector<Entry>{}) {
    MapBuilder properties;
    for (const Entry& entry : given.entries()) {
      if (entry.key.text() != "servers") properties.set(entry.key, entry.value);
    }
    properties.set("server", server.value);
    nested.add_member(definition(python_str(server.key), resource, type,
                                 Value::map(std::move(properties)).with_mark(given.mark()), {}));
  }
}

/// The parts of the properties that decide what members there are.
std::vector<Event> structure_events(const Resource& resource, const Value& given) {
  if (given.is_waiting()) return given.events();
  std::vector<std::string_view> keys{"count", "removal_policies", "index_var"};
  if (resource.family == Family::chain) keys = {"resources", "concurrent"};
  std::vector<Event> events;
  for (const std::string_view key : keys) {
    const std::vector<Event> more = events_in(member(given, key));
    events.insert(events.end(), more.begin(), more.end());
  }
  for (const char* key : {"servers", "resource_def"}) {
    const Value value = member(given, key);
    if (value.is_waiting()) events.insert(events.end(), value.events().begin(), value.events().end());
  }
  const std::vector<Event> type = events_in(member(member(given, "resource_def"), "type"));
  events.insert(events.end(), type.begin(), type.end());
  return events;
}

}  // namespace

bool has_removal_policies(Resource& group) { return !named_by_policies(group.owner->properties(group)).empty(); }

std::unique_ptr<Stack> make_nested(Stack& stack, Resource& resource, const Registry& registry,
                                   std::vector<Event>& waits) {
  if (resource.family == Family::nested) {
    if (stack.raw_properties(resource).is_waiting()) {
      waits = stack.raw_properties(resource).events();
      return nullptr;
    }
    return make_from_template(stack, resource, registry);
  }
  const Value given = stack.properties(resource);
  waits = structure_events(resource, given);
  if (!waits.empty()) return nullptr;
  check_depth(stack, resource);
  const auto empty = [&] {
    return std::make_unique<Stack>(stack.tree(), nullptr, nested_identity(stack, resource), Value::map({}), resource,
                                   registry);
  };
  std::unique_ptr<Stack> nested = empty();
  try {
    if (resource.family == Family::group) {
      stack.tree().users[resource.path].insert(&resource);  // made anew when more is learned of it
      resource.typed.events.insert(resource.path);
      const auto learned = stack.tree().learned.find(resource.path);
      const Value known = learned == stack.tree().learned.end() ? Value() : learned->second;
      resource.passed_over = passed_over(known, given);
      add_group_members(resource, *nested, given, registry);
      if (!member(known, "refs_map").is_map() && names_for_references(*nested, resource.passed_over)) {
        nested.reset();  // its members' ids are those of the next one's
        nested = empty();
        add_group_members(resource, *nested, given, registry);
      }
    }
    if (resource.family == Family::chain) add_chain_members(resource, *nested, given);
    if (resource.family == Family::deployment_group) add_deployments(resource, *nested, given);
  } catch (const Fault& fault) {
    throw fault.at(resource.mark);
  }
  return nested;
}

}  // namespace hearth::metadata
