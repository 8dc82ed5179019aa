// The `cfn` source: resource metadata from Heat's CloudFormation-compatible API.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/collect/source.hpp"

namespace hearth::agent {

/// RESOURCE.FIELD[.KEY…], as [cfn] path has it.
struct CfnPath {
  std::string text;
  std::string resource;
  std::string field;
  std::vector<std::string> keys;
  bool operator==(const CfnPath&) const = default;
};
[[nodiscard]] std::optional<CfnPath> parse_cfn_path(const std::string& text);

/// The value that `path` names in a DescribeStackResource answer. The error is the whole message for the log.
[[nodiscard]] Result<Json, std::string> value_in_answer(const CfnPath& path, std::string_view xml);

/// The values of all paths, later over earlier, key by key. Deployments are exploded, with the keys of the global and
/// of the cfn section.
[[nodiscard]] Collection collect_cfn(const SourceContext& context);

/// POSTs the report of a run, as the owner of the polled resource. The answer's status; nothing where the source is not
/// configured.
[[nodiscard]] std::optional<int> post_cfn_report(const SourceContext& context, const std::string& report);

}  // namespace hearth::agent
