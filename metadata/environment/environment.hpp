// Environment files: parameters, parameter_defaults and the resource_registry, merged in order as Heat merges them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "metadata/parameters/schema.hpp"

namespace hearth::metadata {

struct Environment {
  Value parameters{};
  Value parameter_defaults{};
  Value resource_registry{};
  Value encrypted_param_names{};
  Value event_sinks{};
};

/// One file as read: a map of sections. Old flat files (no section at all) are parameters.
struct EnvironmentFile {
  std::string name;
  Value sections;
};

/// Throws ValueError: wrong or empty sections, no map.
[[nodiscard]] Value check_environment(const Value& document);
/// Of environment files, for editors (JSON Schema, draft 7). One that is flat is Hearth's own, and not described.
[[nodiscard]] std::string environment_schema();
/// Reads the text of a file; what comes in a request may not be flat. Throws Fault.
[[nodiscard]] EnvironmentFile read_environment(std::string_view text, const std::string& name, Sources& sources,
                                               bool may_be_flat = true, const DocumentFilter& filter = {});

/// Schemata of the parameters of all templates by name: merge strategies need the types.
using Schemata = std::map<std::string, DataType>;
/// `given`: parameters that files merge into, as if they stood in a file before them. Throws
/// ConflictingMergeStrategyForParam, InvalidMergeStrategyForParam, ValueError.
[[nodiscard]] Environment merge_environments(const std::vector<EnvironmentFile>& files, const Schemata& schemata,
                                             const Value& given = Value::map({}));

}  // namespace hearth::metadata
