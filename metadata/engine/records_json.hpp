// Stacks and resources as JSON, as the repository keeps them.
#pragma once

#include "metadata/engine/records.hpp"

namespace hearth::metadata::live {

/// What the repository keeps of a value. Throws Error(input) for one that kept_json() would not read: nothing is kept
/// by which the next start would fail. `what` names it.
[[nodiscard]] std::string kept_text(const Json& value, std::string_view what);
/// Reads it. Four times as deep as what others may send. Throws Error(input).
[[nodiscard]] Json kept_json(std::string_view text, std::string_view what);

/// What a resource's agent shows to be let in, and where its signals go: ids of keys, names of objects. Of any JSON.
[[nodiscard]] std::vector<std::string> credentials_in(const Json& resource);

[[nodiscard]] Json to_json(const ResourceData& data);
/// Throws Json::exception for a member of another kind than ours.
[[nodiscard]] ResourceData resource_data_from(const Json& json);
[[nodiscard]] Json to_json(const StackRecord& stack);
[[nodiscard]] Json to_json(const ResourceRecord& resource);
[[nodiscard]] Json to_json(const DeploymentState& state);
[[nodiscard]] StackRecord stack_from(const Json& json);
[[nodiscard]] ResourceRecord resource_from(const Json& json);
[[nodiscard]] DeploymentState deployment_from(const Json& json);

/// Of a stack or a resource in an export; 0 where it tells none.
[[nodiscard]] std::size_t exported_era(const Json& row);

}  // namespace hearth::metadata::live
