// What is allowed but likely not meant.
#include <algorithm>
#include <array>
#include <set>

#include "base/sys/heat_hooks.hpp"
#include "base/text.hpp"
#include "metadata/compile/validation.hpp"
#include "metadata/graph/server_metadata.hpp"
#include "metadata/language/functions.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

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

/// Defaults that no template asks for.
void unread_defaults(const Stack& root, Warnings& found) {
  std::vector<std::string> declared;
  for (const auto& [file, source] : root.tree().templates) {
    for (const ParameterSchema& parameter : source->parameters()) declared.push_back(parameter.name);
  }
  const Value& defaults = root.tree().environment.parameter_defaults;
  for (const Entry& entry : defaults.is_map() ? defaults.entries() : std::vector<Entry>{}) {
    const std::string name = python_str(entry.key);
    if (std::find(declared.begin(), declared.end(), name) != declared.end()) continue;
    const auto near = nearest(name, declared);
    found.emplace_back(entry.key.mark(), cat("no template in use has the parameter ", name, " of parameter_defaults",
                                             near ? cat("; did you mean ", *near, "?") : ""));
  }
}

/// The names that get_param and Ref ask for anywhere inside.
void gather_read(const Value& value, std::set<std::string>& names) {
  if (value.is_list()) {
    for (const Value& item : value.items()) gather_read(item, names);
  }
  if (!value.is_map()) return;
  for (const Entry& entry : value.entries()) {
    const std::string key = python_str(entry.key);
    if (key == "get_param" || key == "Ref") {
      const Value& asked = entry.value.is_list() && !entry.value.items().empty() ? entry.value.items()[0] : entry.value;
      if (asked.is_string()) names.insert(asked.text());
    }
    gather_read(entry.value, names);
  }
}

/// Of the root alone: nested templates declare what their interface asks for.
void unread_parameters(const Template& source, Warnings& found) {
  std::set<std::string> read;
  for (const auto& [hot, cfn] :
       {std::pair{"resources", "Resources"}, std::pair{"outputs", "Outputs"}, std::pair{"conditions", "Conditions"}}) {
    gather_read(source.section(hot, cfn), read);
  }
  for (const ParameterSchema& parameter : source.parameters()) {
    if (read.count(parameter.name) > 0) continue;
    found.emplace_back(parameter.mark, cat("nothing reads the parameter ", parameter.name));
  }
}

/// Conditions that can't be decided. Heat decides one when something asks for it, and what asks is refused by
/// validation.
void unasked_conditions(Stack& root, Warnings& found) {
  for (const std::string& name : root.source()->condition_names()) {
    try {
      (void)root.condition(Value::string(name));
    } catch (const Fault& fault) {
      const Mark mark = fault.mark().known() ? fault.mark() : root.source()->condition(name)->mark;
      found.emplace_back(mark, cat("the condition ", name, ", which nothing asks for, can't be decided: ", fault.text(),
                                   fault.advice().empty() ? "" : " ", fault.advice()));
    }
  }
}

/// Once: a template that is used again says the same again.
void add_once(const Mark& mark, std::string text, Warnings& found) {
  const auto same = [&](const auto& other) {
    return other.second == text && other.first.file == mark.file && other.first.line == mark.line &&
           other.first.column == mark.column;
  };
  if (std::none_of(found.begin(), found.end(), same)) found.emplace_back(mark, std::move(text));
}

/// Null where it is not of this stack, or not known yet.
Resource* own_config(Resource& deployment) {
  const Value given = deployment.owner->properties(deployment);
  const Value id = member(given, "config");
  const bool is_own = !given.is_waiting() && !id.is_waiting() && deployment.owner->tree().by_id.count(python_str(id));
  return is_own ? config_of(deployment) : nullptr;
}

/// Deployments that no hook of ours runs, or that nobody answers for.
void warn_of_silence(Resource& deployment, Warnings& found) {
  const Value given = deployment.owner->properties(deployment);
  Resource* config = own_config(deployment);
  if (config == nullptr || config->real_type == "OS::Heat::SoftwareComponent") return;
  const Value asked = member(config->owner->properties(*config), "group");
  if (asked.is_waiting()) return;
  const std::string group = truth(asked) ? python_str(asked) : "Heat::Ungrouped";
  const bool silent = python_str(member(given, "signal_transport")) == "NO_SIGNAL";
  if (group == "Heat::Ungrouped") {
    if (!silent) {
      found.emplace_back(deployment.mark, cat(deployment.path,
                                              " never signals: its config has no group, so that no "
                                              "hook runs it; give it one, or signal_transport: NO_SIGNAL"));
    }
    return;
  }
  const std::vector<std::string>& hooks = agents_hooks();
  if (needs_no_hook(group) || std::find(hooks.begin(), hooks.end(), group) != hooks.end()) return;
  const auto& brings = deployment.owner->tree().settings.brings_hook;
  if (brings && brings(group)) return;
  const auto near = nearest(group, hooks);
  found.emplace_back(config->mark,
                     cat("hearth-agent has no hook for the group ", group,
                         near ? cat("; did you mean ", *near, "?")
                              : ", and no element in ELEMENTS_PATH brings one; hearth help heat-config-hook: how to "
                                "write it"));
}

/// What stands in a stack and asks for others: of an output that is not there, or can't be read, nothing.
std::vector<Reference> references_of(Stack& stack) {
  std::vector<Reference> found;
  for (const Resource* each : stack.resources()) {
    for (const ExpressionPtr& written : {each->definition->properties, each->definition->metadata}) {
      if (written) collect_references(*written, stack, found);
    }
  }
  if (stack.definition() == nullptr) return found;
  for (const OutputDefinition& output : stack.definition()->outputs()) {
    try {
      const Value enabled =
          output.condition ? stack.condition(resolve(*output.condition, stack)) : Value::boolean(true);
      if (enabled.is_waiting() || enabled.as_bool()) collect_references(*output.value, stack, found);
    } catch (const Fault&) {  // told by validation, where it is one
    }
  }
  return found;
}

/// Attributes of a deployment that its config does not declare: what a machine sends under such a name is dropped, and
/// what asks for it waits for ever. Heat takes them.
void warn_of_undeclared(Stack& stack, Warnings& found) {
  for (const Reference& each : references_of(stack)) {
    Resource* deployment = stack.find(each.resource);
    if (deployment == nullptr || each.attribute.empty() || !each.attribute[0].is_string()) continue;
    if (deployment->family != Family::deployment && deployment->family != Family::deployment_group) continue;
    const std::string& asked = each.attribute[0].text();
    const std::vector<std::string> own = stack.attribute_names(each.resource);
    Resource* config = own_config(*deployment);
    if (config == nullptr || std::find(own.begin(), own.end(), asked) != own.end()) continue;
    const Value outputs = member(config->owner->properties(*config), "outputs");
    if (outputs.has_waiting()) continue;
    std::vector<std::string> declared;
    for (const Value& output : outputs.is_list() ? outputs.items() : std::vector<Value>{})
      declared.push_back(python_str(member(output, "name")));
    if (std::find(declared.begin(), declared.end(), asked) != declared.end()) continue;
    std::vector<std::string> names = declared;
    names.insert(names.end(), own.begin(), own.end());
    const auto near = nearest(asked, names);
    std::string advice = declared.empty() ? "it declares none" : cat("it declares ", join(declared, ", "));
    if (near) advice = cat("did you mean ", *near, "?");
    const Mark mark = each.attribute[0].mark().known() ? each.attribute[0].mark() : each.mark;
    add_once(mark,
             cat("the config ", config->name, " of ", each.resource, " has no output \"", asked,
                 "\", so that no machine will ever tell it; ", advice),
             found);
  }
}

/// Keys of the property `metadata`, which is Nova's, that are likely meant for agents: those of theirs, and whatever is
/// no text, as in an agent's documents. Nova is given such values as JSON text.
void warn_of_novas_metadata(Resource& server, Warnings& found) {
  static const std::set<std::string> agents = {"os-collect-config", "os_collect_config", "os-net-config",
                                               "os_net_config",     "deployments",       "AWS::CloudFormation::Init"};
  const Value given = member(server.owner->raw_properties(server), "metadata");
  std::vector<std::string> keys;
  Mark mark = server.mark;
  for (const Entry& entry : given.is_map() ? given.entries() : std::vector<Entry>{}) {
    const std::string key = python_str(entry.key);
    if (!entry.value.is_map() && !entry.value.is_list() && agents.count(key) == 0) continue;
    if (keys.empty() && entry.key.mark().known()) mark = entry.key.mark();
    keys.push_back(key);
  }
  if (keys.empty()) return;
  add_once(mark,
           cat("properties.metadata of ", server.name, " is Nova's, and no agent reads it (", join(keys, ", "),
               "); what agents shall read stands under \"metadata:\" beside \"properties:\""),
           found);
}

}  // namespace

Warnings warnings_as_written(Stack& root, bool mended) {
  Warnings found = Registry(root.tree().environment.resource_registry).surprises();
  for (const auto& [file, source] : root.tree().templates) {
    const std::vector<std::string> names = function_names(source->version());
    for (const char* section : {"resources", "outputs"}) {
      find_misspelt(source->section(section, section), source->version(), names, found);
    }
  }
  unread_defaults(root, found);
  if (!mended) unread_parameters(*root.source(), found);
  return found;
}

Warnings warnings_of_values(Stack& root) {
  Warnings found;
  unasked_conditions(root, found);
  std::set<Stack*> deploying;
  for_each_resource(root, [&](Resource& resource) {
    if (resource.family == Family::server) warn_of_novas_metadata(resource, found);
    if (resource.family == Family::deployment) warn_of_silence(resource, found);
    if (resource.family != Family::deployment && resource.family != Family::deployment_group) return;
    if (deploying.insert(resource.owner).second) warn_of_undeclared(*resource.owner, found);
  });
  return found;
}

}  // namespace hearth::metadata
