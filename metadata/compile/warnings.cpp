// What is allowed but likely not meant.
#include <algorithm>
#include <array>
#include <set>

#include "base/sys/heat_hooks.hpp"
#include "base/text.hpp"
#include "metadata/compile/validation.hpp"
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

/// Deployments that no hook of ours runs, or that nobody answers for.
void warn_of_silence(Resource& deployment, Warnings& found) {
  const Value given = deployment.owner->properties(deployment);
  const auto& known = deployment.owner->tree().by_id;
  const auto config = known.find(python_str(member(given, "config")));
  if (given.is_waiting() || config == known.end() || config->second->family != Family::config) return;
  if (config->second->real_type == "OS::Heat::SoftwareComponent") return;
  const Value asked = member(config->second->owner->properties(*config->second), "group");
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
  found.emplace_back(config->second->mark,
                     cat("hearth-agent has no hook for the group ", group,
                         near ? cat("; did you mean ", *near, "?")
                              : ", and no element in ELEMENTS_PATH brings one; hearth help heat-config-hook: how to "
                                "write it"));
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
  for_each_resource(root, [&](Resource& resource) {
    if (resource.family == Family::deployment) warn_of_silence(resource, found);
  });
  return found;
}

}  // namespace hearth::metadata
