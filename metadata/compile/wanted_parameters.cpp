#include "metadata/compile/wanted_parameters.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

/// A comment has no line breaks of its own.
std::string comment(const std::string& text) {
  std::string out;
  for (const std::string& line : split(text, '\n')) {
    if (!trim(line).empty()) out += cat("  # ", trim(line), "\n");
  }
  return out;
}

std::string key_text(const std::string& name) {
  const bool plain = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
                     std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  return plain ? name : json_text(Value::string(name));
}

std::string entry_of(const ParameterSchema& schema, const std::string& value) {
  return cat(comment(kind_text(schema)), comment(schema.description), "  ", key_text(schema.name), ":",
             value.empty() ? "" : " ", value, "\n");
}

/// A value that will do, so that what lies behind can be looked at.
Value stand_in(const ParameterSchema& schema) {
  for (const Constraint& constraint : schema.constraints) {
    if (!constraint.allowed.empty()) return constraint.allowed.front();
    if (!constraint.low.is_null() && constraint.kind == Constraint::Kind::range) return constraint.low;
  }
  switch (schema.type) {
    case DataType::number: return Value::integer(1);
    case DataType::boolean: return Value::boolean(true);
    case DataType::map: return Value::map({});
    case DataType::list: return Value::list({});
    default: return Value::string("value");
  }
}

/// What templates inside ask for and neither their resource nor parameter_defaults give.
class NestedWants {
 public:
  explicit NestedWants(Stack& root) : tree_(root.tree()), kept_(tree_.environment.parameter_defaults) {
    for (bool more = true; more;) {
      const std::size_t before = schemata.size();
      unseen.clear();
      look(root);
      more = schemata.size() > before;
    }
    tree_.environment.parameter_defaults = kept_;
  }

  std::map<std::string, std::pair<ParameterSchema, std::string>> schemata;  ///< by name, with the file that asks first
  std::set<std::string> unseen;  ///< why what lies behind could not be looked at: it may ask for more

 private:
  /// First all of one level: what one of them is asked for may be another's output.
  void look(Stack& stack) {
    std::vector<Resource*> inner;
    for (Resource* resource : resources_of(stack)) {
      if (resource->family == Family::nested) ask(stack, *resource);
      inner.push_back(resource);
    }
    for (Resource* resource : inner) {
      try {
        if (Stack* nested = stack.nested_of(*resource); nested != nullptr) look(*nested);
      } catch (const Fault& fault) {
        note(fault);
      }
    }
  }

  std::vector<Resource*> resources_of(Stack& stack) {
    try {
      return stack.resources();
    } catch (const Fault& fault) {
      note(fault);
      return {};
    }
  }

  void note(const Fault& fault) {
    if (fault.type() != "UserParameterMissing") unseen.insert(fault.what());  // those are what is asked for
  }

  void ask(Stack& stack, Resource& resource) {
    try {
      const TemplatePtr source = template_of(tree_, resource.real_type);
      const Value given = stack.raw_properties(resource);
      for (const ParameterSchema& schema : source->parameters()) {
        const bool has_value = !schema.default_value.is_null() || given.find(schema.name) != nullptr ||
                               !member(tree_.environment.parameter_defaults, schema.name).is_null();
        if (!has_value) want(schema, resource.real_type);
      }
    } catch (const Fault& fault) {
      note(fault);
    }
  }

  void want(const ParameterSchema& schema, const std::string& file) {
    schemata.try_emplace(schema.name, schema, file);
    const Value& now = tree_.environment.parameter_defaults;
    MapBuilder defaults(now.is_map() ? now.entries() : std::vector<Entry>{});
    defaults.set(schema.name, stand_in(schema));
    tree_.environment.parameter_defaults = Value::map(std::move(defaults));
  }

  Tree& tree_;
  Value kept_;
};

std::string nested_entries(Stack& root) {
  std::string entries;
  const NestedWants wants(root);
  for (const auto& [name, wanted] : wants.schemata)
    entries += cat(comment(cat("asked for by ", wanted.second)), entry_of(wanted.first, ""));
  if (!entries.empty()) entries.insert(0, "parameter_defaults:\n");
  for (const std::string& why : wants.unseen) entries += comment(cat("There may be more; not looked at: ", why));
  return entries;
}

}  // namespace

std::string wanted_parameters(Stack& root, bool all) {
  StackParameters& parameters = root.parameters();
  std::string entries;
  for (const ParameterSchema& schema : parameters.schemata()) {
    const bool missing = parameters.origin(schema.name) == StackParameters::Origin::missing;
    if (missing) {
      entries += entry_of(schema, "");
    } else if (all && !schema.hidden) {
      entries += entry_of(schema, json_text(*parameters.value(schema.name)));
    }
  }
  const std::string& file = root.source()->name();
  const std::string nested = nested_entries(root);
  if (entries.empty() && nested.empty())
    return cat("# ", file, " wants no parameters that have no value.\nparameters: {}\n");
  return cat("# Parameters of ", file, ". Fill them in, and give this file with -e.\n",
             entries.empty() ? "" : cat("parameters:\n", entries), nested);
}

}  // namespace hearth::metadata
