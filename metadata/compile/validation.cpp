#include "metadata/compile/validation.hpp"

#include <algorithm>
#include <cctype>
#include <functional>

#include "base/text.hpp"
#include "metadata/functions/table.hpp"
#include "metadata/graph/network.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

class Validator {
 public:
  explicit Validator(Stack& stack) : stack_(stack) {}

  std::vector<Fault> run() {
    attempt([&] { stack_.parameters().validate(); });
    if (!faults_.empty()) return std::move(faults_);  // nothing can be said about values that are not there
    std::vector<Resource*> resources;
    attempt([&] { resources = stack_.resources(); });
    attempt([&] { names(resources); });
    attempt([&] { conditions(); });
    for (Resource* each : resources) {
      attempt([&] { (void)stack_.needs(*each); }, each->mark);
    }
    if (faults_.empty()) attempt([&] { circle(); });
    if (!faults_.empty()) return std::move(faults_);
    if (stack_.parent() == nullptr) reserve_addresses(resources);
    for (Resource* each : resources) one(*each);
    outputs();
    return std::move(faults_);
  }

 private:
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
    if (as_heat()) return;
    for (const std::string& name : stack_.definition()->condition_names()) (void)stack_.condition(Value::string(name));
  }

  [[nodiscard]] bool as_heat() const { return stack_.tree().settings.checked_as_heat_does; }

  void deletion_policy(const Resource& resource) {
    if (!resource.definition->computed_deletion_policy) return;
    const Value policy = resolve(*resource.definition->computed_deletion_policy, stack_);
    if (policy.is_waiting()) return;
    for (const std::string_view word : {"Delete", "Retain", "Snapshot", "delete", "retain", "snapshot"}) {
      if (policy.is_string() && policy.text() == word) return;
    }
    throw validation_fault(cat("Invalid deletion policy \"", python_str(policy), "\""), policy.mark());
  }

  /// Only what can be copied before it goes.
  void snapshot_policy(const Resource& resource) const {
    const std::string_view type = resource.real_type;
    const bool can = type == "OS::Nova::Server" || type == "OS::Cinder::Volume" || type == "AWS::EC2::Volume";
    const bool known = resource.table != nullptr || type.rfind("OS::Heat::", 0) == 0;
    if (resource.definition->deletion_policy != "Snapshot" || can || !known) return;
    throw validation_fault("\"Snapshot\" deletion policy not supported", resource.mark,
                           cat("resources.", resource.name, ".deletion_policy"));
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
    const Value given = resolve(*resource.definition->update_policy, stack_);
    if (!given.is_map()) return;
    try {
      (void)convert_properties(update_policy_table(resource.real_type), given);
    } catch (const Fault& fault) {
      throw fault.below(cat("Property error: resources.", resource.name, ".update_policy"));
    }
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
    const std::size_t before = faults_.size();
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
          const Value properties = stack_.properties(resource);
          if (!properties.is_waiting()) needed_properties(resource, properties);
        },
        resource.mark);
    attempt([&] { (void)stack_.metadata_of(resource); }, resource.mark);
    attempt([&] { check_addresses(resource); }, resource.mark);
    if (resource.family == Family::opaque && !as_heat()) opaque(resource);
    if (resource.family == Family::random_string) attempt([&] { (void)stack_.reference_of(resource); }, resource.mark);
    if (faults_.size() == before) inside(resource);
  }

  void opaque(const Resource& resource) {
    Fault fault = validation_fault(cat(resource.real_type, " needs a cloud to be made"), resource.mark,
                                   cat("resources.", resource.name));
    fault.hint("Map it in an environment's resource_registry: to OS::Heat::None, or to a template that stands for it.");
    faults_.push_back(fault);
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
    const bool circle = fault.type() == "CircularDependencyException";
    return {circle ? fault.type() : "StackValidationFailed", cat(here, path ? "." : ": ", text), fault.mark()};
  }

  void output_condition(const OutputDefinition& output) {
    if (!output.condition) return;
    try {
      check(*output.condition, stack_);
      (void)stack_.condition(resolve(*output.condition, stack_));
    } catch (const Fault& fault) {
      throw validation_fault(fault.text(), fault.mark().known() ? fault.mark() : output.mark,
                             cat("outputs.", output.name, ".condition"));
    }
  }

  void outputs() {
    if (stack_.definition() == nullptr) return;
    const bool cfn = is_cfn(stack_.definition()->version());
    for (const OutputDefinition& output : stack_.definition()->outputs()) {
      attempt(
          [&] {
            const std::string path = cat(cfn ? "Outputs." : "outputs.", output.name, cfn ? ".Value" : ".value");
            check(*output.value, stack_);
            output_condition(output);
            try {
              validate(*output.value, stack_, path);
            } catch (const Fault& fault) {
              if (fault.type() != "InvalidTemplateReference") throw;
              throw validation_fault(fault.text(), fault.mark(), path);
            }
            if (!as_heat()) (void)stack_.output(output.name);
          },
          output.mark);
    }
  }

  Stack& stack_;
  std::vector<Fault> faults_;
};

using Warnings = std::vector<std::pair<Mark, std::string>>;

/// Maps of one key that looks like a function's name.
void find_misspelt(const Value& value, Version version, const std::vector<std::string>& names, Warnings& found) {
  if (value.is_list()) {
    for (const Value& item : value.items()) find_misspelt(item, version, names, found);
  }
  if (!value.is_map()) return;
  for (const Entry& entry : value.entries()) {
    const bool alone =
        value.entries().size() == 1 && entry.key.is_string() && entry.key.text().find('_') != std::string::npos;
    const bool known =
        alone && (find_function(entry.key.text(), version) != nullptr || is_branch(entry.key.text(), version));
    if (alone && !known) {
      if (const auto near = nearest(entry.key.text(), names)) {
        found.emplace_back(entry.key.mark(), cat("\"", entry.key.text(), "\" is no function of version ",
                                                 name_of(version), " and stays plain data; did you mean ", *near, "?"));
      }
    }
    find_misspelt(entry.value, version, names, found);
  }
}

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
  std::vector<Fault> found;
  for (Fault& fault : Validator(stack).run()) {
    // What uses a faulty value fails likewise; the fault itself is told once.
    const std::string_view text = fault.what();
    const bool told = std::any_of(found.begin(), found.end(), [&](const Fault& earlier) {
      const std::string_view other = earlier.what();
      return earlier.mark() == fault.mark() && text.size() >= other.size() &&
             text.substr(text.size() - other.size()) == other;
    });
    if (!told) found.push_back(std::move(fault));
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

std::vector<std::pair<Mark, std::string>> stack_warnings(Stack& root) {
  Warnings found = Registry(root.tree().environment.resource_registry).surprises();
  for (const auto& [file, source] : root.tree().templates) {
    const std::vector<std::string> names = function_names(source->version());
    for (const char* section : {"resources", "outputs"}) {
      find_misspelt(source->section(section, section), source->version(), names, found);
    }
  }
  return found;
}

}  // namespace hearth::metadata
