#include "metadata/compile/validation.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <set>

#include "base/text.hpp"
#include "metadata/graph/network.hpp"
#include "metadata/language/functions.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

class Validator {
 public:
  explicit Validator(Stack& stack) : stack_(stack) {}

  std::vector<Fault> run() {
    std::vector<Fault> found = look();
    if (as_heat()) return found;
    const std::vector<Fault> undeclared = stack_.parameters().undeclared();  // which keep nothing else from being seen
    found.insert(found.begin(), undeclared.begin(), undeclared.end());
    return found;
  }

 private:
  std::vector<Fault> look() {
    const bool whole = as_heat() && stack_.parent() == nullptr;  // Heat asks first who may have such resources
    if (whole && !loads()) return std::move(faults_);
    if (as_heat()) {
      attempt([&] { stack_.parameters().validate(stack_.tree().patterns, !only_names()); });
    } else {
      attempt([&] { stack_.parameters().validate_declared(stack_.tree().patterns); });
    }
    if (!faults_.empty()) return std::move(faults_);  // nothing can be said about values that are not there
    if (whole) attempt([&] { stack_.definition()->check_parameter_groups(); });
    if (as_heat() && !whole && !loads()) return std::move(faults_);
    std::vector<Resource*> resources;
    attempt([&] { resources = stack_.resources(); });
    attempt([&] { conditions(); });
    if (as_heat()) attempt([&] { names(resources); });
    for (Resource* each : resources) {
      if (is_enough()) break;
      attempt([&] { (void)stack_.needs(*each); }, each->mark);
    }
    if (as_heat()) attempt([&] { read_outputs(); });
    if (as_heat() && faults_.empty()) attempt([&] { names_of_attributes(resources); });
    if (faults_.empty()) attempt([&] { circle(); });
    if (!faults_.empty()) return std::move(faults_);
    if (stack_.parent() == nullptr) attempt([&] { reserve_addresses(resources); });
    if (!faults_.empty()) return std::move(faults_);
    if (as_heat() && of_group() && resources.size() > 1) resources.resize(1);  // as good as all of them
    for (Resource* each : resources) {
      one(*each);
      if (stack_.tree().exhausted() || is_enough()) return std::move(faults_);
    }
    outputs();
    if (!as_heat()) attempt([&] { names(resources); });
    return std::move(faults_);
  }

  /// What Heat finds while it reads the resources, before it looks at anything else.
  bool loads() {
    std::vector<Resource*> resources;
    if (stack_.definition() != nullptr) attempt([&] { as_written(*stack_.definition()); });
    attempt([&] { resources = stack_.resources(); });
    attempt([&] { nested_schemata(resources); });
    attempt([&] { faulty_functions(resources); });
    for (Resource* each : resources) {
      attempt([&] { deletion_policy(*each); });
      attempt([&] { type_of_value(*each); });
    }
    return faults_.empty();
  }

  /// Heat parses all conditions before the first resource.
  void as_written(const Template& source) {
    source.check_sections();
    for (const std::string& name : source.condition_names()) check(*source.condition(name), stack_);
  }

  /// A value is converted by its type as soon as there is a resource for it.
  void type_of_value(const Resource& resource) {
    if (resource.family != Family::value || !resource.definition->properties) return;
    written_out(resource);
    const Expression& written = *resource.definition->properties;
    const std::optional<Value> type = value_at(written, "type");
    if (!type || type->is_null() || type->is_string() || type->is_bool() || type->is_integer() || type->is_waiting())
      return;
    throw value_fault(cat("Value must be a string; got ", python_repr(*type)), resource.mark);
  }

  /// Whatever is wrong with the value is a ValueError to Heat where it asks for one property.
  std::optional<Value> value_at(const Expression& properties, std::string_view name) {
    if (properties.type == Expression::Type::constant) {
      const Value* found = properties.constant.find(name);
      return found == nullptr ? std::nullopt : std::optional<Value>(*found);
    }
    for (std::size_t i = 0; i < properties.keys.size(); ++i) {
      if (!properties.keys[i].is_string() || properties.keys[i].text() != name) continue;
      try {
        return resolve(*properties.items[i], stack_);
      } catch (const Fault& fault) {
        if (fault.type() == "StackValidationFailed") throw;
        throw value_fault(fault.text(), fault.mark()).advised_as(fault);
      }
    }
    return std::nullopt;
  }

  void attempt(const std::function<void()>& step, const Mark& mark = {}) {
    try {
      step();
    } catch (const Fault& fault) {
      faults_.push_back(fault.at(mark));
    }
  }

  void conditions() {
    if (stack_.definition() == nullptr) return;
    Conditions(stack_.definition()).validate(stack_);
  }

  /// More than anybody is told (mending.cpp); to find each of 200,000 would take minutes.
  [[nodiscard]] bool is_enough() const { return faults_.size() >= 2000; }

  [[nodiscard]] bool as_heat() const { return stack_.tree().settings.checked_as_heat_does; }

  [[nodiscard]] bool of_group() const {
    const Resource* parent = stack_.parent();
    return parent != nullptr && (parent->family == Family::group || parent->family == Family::deployment_group);
  }
  /// Inside nested stacks Heat looks at the names of properties before it makes them.
  [[nodiscard]] bool only_names() const { return as_heat() && stack_.parent() != nullptr; }
  [[nodiscard]] bool only_names(const Resource& resource) const {
    const auto family = resource.family;  // of others it looks at values that it needs
    return only_names() &&
           (family == Family::config || family == Family::none || family == Family::nested ||
            family == Family::random_string || family == Family::wait_handle || family == Family::wait_condition);
  }

  static void names_of_properties(const Resource& resource) {
    const ExpressionPtr& written = resource.definition->properties;
    if (!written || resource.table == nullptr || resource.real_type == "OS::Heat::None") return;
    const bool constant = written->type == Expression::Type::constant && written->constant.is_map();
    try {
      check_property_names(resource.table->properties, constant ? names_in(written->constant) : written->keys);
    } catch (const Fault& fault) {
      throw fault.below(cat("Property error: resources.", resource.name, ".properties"));
    }
  }

  void deletion_policy(const Resource& resource) {
    if (!resource.definition->computed_deletion_policy) return;
    const Value policy = resolve(*resource.definition->computed_deletion_policy, stack_);
    if (policy.is_waiting()) return;
    for (const std::string_view word : {"Delete", "Retain", "Snapshot", "delete", "retain", "snapshot"}) {
      if (policy.is_string() && policy.text() == word) return;
    }
    throw validation_fault(cat("Invalid deletion policy \"", python_str(policy), "\""), policy.mark())
        .suggest(python_str(policy), {"Delete", "Retain", "Snapshot"});
  }

  /// Only what can be copied before it goes.
  void snapshot_policy(const Resource& resource) const {
    const std::string_view type = resource.real_type;
    const bool can = type == "OS::Heat::None" || type == "OS::Nova::Server" || type == "OS::Cinder::Volume" ||
                     type == "AWS::EC2::Volume";
    const bool known = resource.table != nullptr || type.rfind("OS::Heat::", 0) == 0;
    if (resource.definition->deletion_policy != "Snapshot" || can || !known) return;
    throw validation_fault("\"Snapshot\" deletion policy not supported", resource.mark,
                           cat("resources.", resource.name, ".deletion_policy"));
  }

  /// "~" is none, and a number an address, too.
  static void gateway(const Value& given) {
    if (!given.is_string() || given.text() == "~" || integer_from(given.text())) return;
    try {
      Constraint{.kind = Constraint::Kind::custom, .text = "ip_addr"}.check(given, DataType::string);
    } catch (const Fault&) {
      throw validation_fault(cat("Gateway IP address \"", given.text(), "\" is in invalid format."), given.mark());
    }
  }

  /// What one of several properties must tell.
  void needed_properties(const Resource& resource, const Value& properties) const {
    const auto has = [&](std::string_view name) {
      const Value* value = properties.find(name);
      return value != nullptr && truth(*value);
    };
    if (resource.real_type == "OS::Neutron::Subnet" && !has("cidr") && !has("subnetpool")) {
      throw Fault("PropertyUnspecifiedError",
                  "At least one of the following properties must be specified: subnetpool, cidr.", resource.mark);
    }
    const auto given = [&](std::string_view name) {
      const Value* value = properties.find(name);
      return value != nullptr && !value->is_null();
    };
    if (resource.real_type == "OS::Neutron::Subnet" && given("cidr") && given("subnetpool")) {
      throw Fault("ResourcePropertyConflict",
                  "Cannot define the following properties at the same time: subnetpool, cidr.", resource.mark);
    }
    if (resource.real_type == "OS::Neutron::Subnet" && has("gateway_ip")) gateway(*properties.find("gateway_ip"));
    if (resource.family == Family::key_pair && !has("public_key") && !as_heat())
      throw made_by_a_cloud(resource, "Give its public_key: only a cloud makes a pair and keeps the private key.");
    if (!as_heat()) return;  // a machine of ours may have its image already
    if (resource.real_type == "OS::Nova::Server" && !has("image") && !has("block_device_mapping") &&
        !has("block_device_mapping_v2")) {
      throw validation_fault(cat("Neither image nor bootable volume is specified for instance ", resource.name),
                             resource.mark);
    }
  }

  void update_policy(const Resource& resource) {
    const bool known =
        resource.table != nullptr || resource.family == Family::nested || resource.family == Family::none;
    if (!resource.definition->update_policy || !known) return;
    const std::string path = cat("Property error: resources.", resource.name, ".update_policy");
    Value given;
    try {
      given = resolve(*resource.definition->update_policy, stack_);
    } catch (const Fault& fault) {
      throw validation_fault(fault.text(), fault.mark(), path).advised_as(fault);
    }
    if (!given.is_map()) return;
    try {
      (void)convert_properties(update_policy_table(resource.real_type), given);
    } catch (const Fault& fault) {
      throw fault.below(path);
    }
  }

  /// Heat knows the parameters of a nested template before it looks at anything else.
  void nested_schemata(const std::vector<Resource*>& resources) {
    for (const Resource* each : resources) {
      if (each->family != Family::nested) continue;
      try {
        (void)template_of(stack_.tree(), each->real_type);
      } catch (const Fault& fault) {
        if (fault.type() == "InvalidSchemaError") throw;
      }
    }
  }

  /// Heat reads the functions of all resources before it looks at what they refer to.
  void faulty_functions(const std::vector<Resource*>& resources) {
    for (const Resource* each : resources) {
      for (const ExpressionPtr& written : {each->definition->properties, each->definition->metadata}) {
        if (written) check(*written, stack_);
      }
    }
  }

  /// Heat asks for all attributes, of resources and outputs, before it validates any.
  void names_of_attributes(const std::vector<Resource*>& resources) {
    std::vector<Reference> found;
    const auto collect = [&](const ExpressionPtr& written) {
      if (written && written->type != Expression::Type::faulty) collect_references(*written, stack_, found, "");
    };
    for (const Resource* each : resources) {
      collect(each->definition->properties);
      collect(each->definition->metadata);
    }
    if (stack_.definition() != nullptr) {
      for (const OutputDefinition& output : stack_.definition()->outputs()) {
        try {
          if (output_enabled(output)) collect(output.value);
        } catch (const Fault& fault) {  // told when the output is validated
          if (fault.type() != "InvalidTemplateReference" && fault.type() != "InvalidTemplateAttribute") throw;
        }
      }
    }
    for (const Reference& each : found) {
      const bool hashable = each.attribute.empty() || !(each.attribute[0].is_list() || each.attribute[0].is_map());
      if (hashable && !stack_.has_resource(each.resource)) continue;
      const bool named = each.attribute.empty() || each.attribute[0].is_string() || each.attribute[0].is_null();
      if (!named) throw type_fault(cat("an attribute of ", each.resource, " is named by a text"), each.mark);
    }
  }

  /// Heat takes functions inside properties and update_policy, not in their place.
  void written_out(const Resource& resource) const {
    const auto computed = [](const ExpressionPtr& written) {
      return written && (written->type == Expression::Type::call || written->type == Expression::Type::branch);
    };
    const bool properties = computed(resource.definition->properties);
    if (!properties && !computed(resource.definition->update_policy)) return;
    const std::string text = cat(properties ? "properties" : "update_policy", " of ", resource.name, " is no map");
    if (properties && resource.family == Family::value) throw type_fault(text, resource.mark);
    throw validation_fault(text, resource.mark);
  }

  void names(const std::vector<Resource*>& resources) {
    std::vector<std::string> both;
    Mark mark;
    for (const Resource* resource : resources) {
      if (!stack_.parameters().declares(resource->name)) continue;
      both.push_back(resource->name);
      mark = resource->mark;
    }
    if (!both.empty()) throw validation_fault(cat("Duplicate names {'", join(both, "', '"), "'}"), mark);
  }

  void circle() {
    const std::vector<std::string> names = find_circle(stack_);
    if (names.empty()) return;
    const Resource* first = stack_.find(names.front());
    throw Fault("CircularDependencyException", cat("Circular Dependency Found: ", join(names, " -> ")),
                first == nullptr ? Mark{} : first->mark);
  }

  void one(Resource& resource) {
    if (resource.family == Family::external)
      return attempt([&] { (void)stack_.reference_of(resource); }, resource.mark);
    const std::size_t before = faults_.size();
    if (as_heat()) attempt([&] { written_out(resource); });
    if (faults_.size() > before) return;
    attempt(
        [&] {
          if (resource.definition->properties) {
            validate(*resource.definition->properties, stack_, cat("resources.", resource.name, ".properties"));
          }
        },
        resource.mark);
    if (faults_.size() > before) return;
    attempt([&] { update_policy(resource); }, resource.mark);
    attempt([&] { deletion_policy(resource); }, resource.mark);
    attempt([&] { snapshot_policy(resource); }, resource.mark);
    attempt(
        [&] {
          if (only_names(resource)) return names_of_properties(resource);
          const Value properties = stack_.properties(resource);
          if (!properties.is_waiting()) needed_properties(resource, properties);
        },
        resource.mark);
    attempt([&] { metadata(resource); }, resource.mark);
    if (!only_names(resource)) attempt([&] { check_addresses(resource); }, resource.mark);
    if (!as_heat() && faults_.size() == before) attempt([&] { fits_together(resource); }, resource.mark);
    if (resource.family == Family::opaque && !as_heat())
      faults_.push_back(made_by_a_cloud(resource,
                                        "Map it in an environment's resource_registry: to OS::Heat::None, or "
                                        "to a template that stands for it."));
    if (resource.family == Family::random_string && !only_names())
      attempt([&] { (void)stack_.reference_of(resource); }, resource.mark);
    if (faults_.size() == before) inside(resource);
    if (as_heat() && faults_.size() == before) attempt([&] { facade(resource); });
  }

  /// What Heat's own classes of these types refuse.
  void fits_together(Resource& resource) {
    if (resource.real_type == "OS::Heat::SoftwareComponent") one_config_an_action(resource);
    if (resource.family != Family::deployment) return;
    const Value on = member(stack_.properties(resource), "server");
    const auto& known = stack_.tree().by_id;
    const auto server = on.is_string() ? known.find(on.text()) : known.end();
    if (server == known.end() || server->second->owner != &stack_ || server->second->real_type != "OS::Nova::Server")
      return;
    const Value format = member(stack_.properties(*server->second), "user_data_format");
    if (format.is_waiting() || python_str(format) == "SOFTWARE_CONFIG") return;
    throw validation_fault(cat("Resource ", server->second->name,
                               "'s property user_data_format should be set to SOFTWARE_CONFIG since there are software "
                               "deployments on it."),
                           resource.mark);
  }

  void one_config_an_action(Resource& resource) {
    std::set<std::string> taken;
    const Value configs = member(stack_.properties(resource), "configs");
    for (const Value& config : configs.is_list() ? configs.items() : std::vector<Value>{}) {
      const Value actions = member(config, "actions");
      std::set<std::string> own;
      for (const Value& action : actions.is_list() ? actions.items() : std::vector<Value>{})
        own.insert(python_str(action));
      for (const std::string& action : own) {
        if (taken.insert(action).second) continue;
        throw validation_fault(cat("Defining more than one configuration for the same action in SoftwareComponent \"",
                                   resource.name, "\" is not allowed."),
                               resource.mark);
      }
    }
  }

  void metadata(Resource& resource) {
    if (!resource.definition->metadata) return;
    validate(*resource.definition->metadata, stack_, cat("resources.", resource.name, ".metadata"));
    if (!as_heat()) (void)stack_.metadata_of(resource);
  }

  /// A template that stands for a built-in type has to look like it.
  void facade(const Resource& resource) {
    const ResourceType* type = find_resource_type(resource.type);
    if (resource.family != Family::nested || type == nullptr) return;
    const TemplatePtr source = template_of(stack_.tree(), resource.real_type);
    const auto wrong = [&](const std::string& text) { return validation_fault(text, resource.mark); };
    const auto kind = [](DataType each) { return each == DataType::integer ? DataType::number : each; };
    std::vector<std::string> given;
    for (const ParameterSchema& parameter : source->parameters()) {
      given.push_back(parameter.name);
      const PropertySchema* property = type->property(parameter.name);
      const bool required = parameter.default_value.is_null();
      if (property == nullptr && required)
        throw wrong(cat("Provider requires property ", parameter.name, " unknown in facade ", resource.type));
      if (property != nullptr && kind(property->type) != parameter.type)
        throw wrong(cat("Property ", parameter.name, " type mismatch between facade ", resource.type, " and provider"));
    }
    for (const auto& [name, property] : type->properties) {
      if (property.required && std::find(given.begin(), given.end(), name) == given.end())
        throw wrong(cat("Required property ", name, " for facade ", resource.type, " missing in provider"));
    }
    for (const std::string& attribute : type->attributes) {
      const auto& outputs = source->outputs();
      const bool known = attribute == "show" || std::any_of(outputs.begin(), outputs.end(), [&](const auto& output) {
                           return output.name == attribute;
                         });
      if (!known) throw wrong(cat("Attribute ", attribute, " for facade ", resource.type, " missing in provider"));
    }
  }

  static Fault made_by_a_cloud(const Resource& resource, std::string advice) {
    return validation_fault(cat(resource.real_type, " needs a cloud to be made"), resource.mark,
                            cat("resources.", resource.name))
        .hint(std::move(advice));
  }

  void inside(Resource& resource) {
    Stack* nested = nullptr;
    try {
      nested = stack_.nested_of(resource);
    } catch (const Fault& fault) {
      const bool own = fault.path().rfind("Property error", 0) == 0;  // what the parent gives, not what is inside
      faults_.push_back(own ? fault.at(resource.mark) : seen_from_outside(fault, resource).at(resource.mark));
      return;
    }
    if (nested == nullptr) return;
    for (const Fault& fault : Validator(*nested).run()) faults_.push_back(seen_from_outside(fault, resource));
  }

  static Fault seen_from_outside(const Fault& fault, const Resource& resource) {
    const bool nested = resource.family == Family::nested;
    const std::string here = nested ? cat("resources.", resource.name, "<", resource.implementation.name, ">")
                                    : cat("resources.", resource.name);
    const std::string text = fault.what();
    const bool path = text.rfind("resources.", 0) == 0 || text.rfind("outputs.", 0) == 0;
    const bool schema = fault.type() == "InvalidSchemaError" && text.find("Parameter '") == std::string::npos;
    const bool circle = fault.type() == "CircularDependencyException" && nested;
    return Fault(circle || schema ? fault.type() : "StackValidationFailed", cat(here, path ? "." : ": ", text),
                 fault.mark())
        .advised_as(fault);
  }

  /// Whether the output is there. What stands in one that is not may name resources that are not there either.
  bool output_enabled(const OutputDefinition& output) {
    if (!output.condition) return true;
    try {
      check(*output.condition, stack_);
      const Value enabled = stack_.condition(resolve(*output.condition, stack_));
      return enabled.is_waiting() || enabled.as_bool();
    } catch (const Fault& fault) {
      const std::string path = cat("outputs.", output.name, ".condition");
      if (fault.type() != "ValueError" && fault.type() != "StackValidationFailed")
        throw fault.below(path).at(output.mark);
      throw validation_fault(fault.text(), fault.mark().known() ? fault.mark() : output.mark, path).advised_as(fault);
    }
  }

  /// Heat reads all outputs before it validates any.
  void read_outputs() {
    if (stack_.definition() == nullptr) return;
    for (const OutputDefinition& output : stack_.definition()->outputs()) (void)read(output);
  }

  bool read(const OutputDefinition& output) {
    if (!output_enabled(output)) return false;
    check(*output.value, stack_);
    return true;
  }

  void outputs() {
    if (stack_.definition() == nullptr) return;
    const bool cfn = is_cfn(stack_.definition()->version());
    for (const OutputDefinition& output : stack_.definition()->outputs()) {
      attempt(
          [&] {
            const std::string path = cat(cfn ? "Outputs." : "outputs.", output.name, cfn ? ".Value" : ".value");
            if (!read(output)) return;
            try {
              validate(*output.value, stack_, path);
            } catch (const Fault& fault) {
              if (fault.type() != "InvalidTemplateReference") throw;
              throw validation_fault(fault.text(), fault.mark(), path).advised_as(fault);
            }
            if (!as_heat()) (void)stack_.output(output.name);
          },
          output.mark);
      if (stack_.tree().exhausted() || is_enough()) return;
    }
  }

  Stack& stack_;
  std::vector<Fault> faults_;
};

/// Depth-first search that keeps its path.
class CircleSearch {
 public:
  explicit CircleSearch(Stack& stack) : stack_(stack) {}

  bool visit(const std::string& name) {
    const State state = states_[name];
    if (state == State::done) return false;
    path.push_back(name);
    if (state == State::open) return true;
    states_[name] = State::open;
    for (const std::string& needed : stack_.needs(*stack_.find(name))) {
      if (visit(needed)) return true;
    }
    states_[name] = State::done;
    path.pop_back();
    return false;
  }

  std::vector<std::string> path;

 private:
  enum class State { fresh, open, done };
  Stack& stack_;
  std::unordered_map<std::string, State> states_;
};

}  // namespace

std::vector<Fault> validate_stack(Stack& stack) {
  Tree& tree = stack.tree();
  const bool outermost = tree.validation == 0;
  if (outermost) tree.validation = ++tree.validations;
  std::vector<Fault> faults;
  try {
    faults = Validator(stack).run();
  } catch (...) {
    if (outermost) tree.validation = 0;
    throw;
  }
  if (outermost) tree.validation = 0;
  constexpr std::size_t most_looked_at = 200;  // what a request gives has no place, or all of it the same
  std::vector<Fault> found;
  std::map<std::array<std::uint32_t, 3>, std::vector<std::size_t>> told_at;  // by place
  for (Fault& fault : faults) {
    // What uses a faulty value fails likewise; the fault itself is told once.
    const std::string_view text = fault.what();
    std::vector<std::size_t>& earlier = told_at[{fault.mark().file, fault.mark().line, fault.mark().column}];
    const bool told = std::any_of(
        earlier.end() - static_cast<std::ptrdiff_t>(std::min(earlier.size(), most_looked_at)), earlier.end(),
        [&](std::size_t each) { return text.ends_with(std::string_view(found[each].what())); });
    if (told) continue;
    earlier.push_back(found.size());
    found.push_back(std::move(fault));
  }
  return found;
}

std::vector<std::string> find_circle(Stack& stack) {
  CircleSearch search(stack);
  for (const Resource* resource : stack.resources()) {
    if (!search.visit(resource->name)) continue;
    search.path.erase(search.path.begin(), std::find(search.path.begin(), search.path.end(), search.path.back()));
    return search.path;
  }
  return {};
}

void check_stack_name(const std::string& name) {
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  };
  const bool letter = !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
  if (letter && std::all_of(name.begin(), name.end(), allowed) && name.size() <= 255) return;
  throw validation_fault(cat("Invalid stack name ", name,
                             " must contain only alphanumeric or \"_-.\" characters, must start with alpha and "
                             "must be 255 characters or less."));
}

}  // namespace hearth::metadata
