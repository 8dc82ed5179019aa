#include "metadata/compile/wanted_parameters.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

std::string bounds(const Constraint& constraint, const char* from, const char* to) {
  std::string text;
  if (!constraint.low.is_null()) text += cat(" ", from, " ", python_str(constraint.low));
  if (!constraint.high.is_null()) text += cat(" ", to, " ", python_str(constraint.high));
  return text;
}

std::string words_of(const Constraint& constraint) {
  switch (constraint.kind) {
    case Constraint::Kind::length: return cat("length", bounds(constraint, "from", "to"));
    case Constraint::Kind::range: return cat("range", bounds(constraint, "from", "to"));
    case Constraint::Kind::modulo: return cat("steps", bounds(constraint, "of", "from"));
    case Constraint::Kind::allowed_pattern: return cat("matches ", constraint.text);
    case Constraint::Kind::custom: return constraint.text;
    case Constraint::Kind::allowed_values: break;
  }
  std::vector<std::string> allowed;
  for (const Value& each : constraint.allowed) allowed.push_back(python_str(each));
  return cat("one of ", join(allowed, ", "));
}

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
  std::string kind(type_text(schema.type, false));
  if (schema.hidden) kind += ", hidden";
  for (const Constraint& constraint : schema.constraints) kind += cat("; ", words_of(constraint));
  return cat(comment(kind), comment(schema.description), "  ", key_text(schema.name), ":", value.empty() ? "" : " ",
             value, "\n");
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
  if (entries.empty()) return cat("# ", file, " wants no parameters that have no value.\nparameters: {}\n");
  return cat("# Parameters of ", file, ". Fill them in, and give this file with -e.\nparameters:\n", entries);
}

}  // namespace hearth::metadata
