// The sources that documents come from (source.hpp has their table): what each reads, and for some, where the report of
// a run goes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/collect/source.hpp"

namespace hearth::agent {

// The `local` source: directories of JSON files, one document a file. Only files that nobody else could have written
// are trusted, since what they say becomes configuration of a root process.

/// All files of all directories in [local] path, sorted by name. One untrusted or broken file makes the whole source
/// unavailable.
[[nodiscard]] Collection collect_local(const SourceContext& context);

// The `heat_local` source: the JSON files that Heat's user-data left at boot.

/// The objects of all files in [heat_local] path that can be read, the later over the earlier, key by key.
[[nodiscard]] Collection collect_heat_local(const SourceContext& context);

// The `heat` source: resource metadata from Heat's own API, by a Keystone password token.

/// GET ORCHESTRATION/stacks/STACK/resources/RESOURCE/metadata. Deployments are exploded.
[[nodiscard]] Collection collect_heat(const SourceContext& context);

/// POSTs the report of a run to ORCHESTRATION/stacks/STACK/resources/RESOURCE/run, which is ours, not Heat's. The
/// answer's status; nothing where the source is not configured.
[[nodiscard]] std::optional<int> post_heat_report(const SourceContext& context, const std::string& report);

// The `cfn` source: resource metadata from Heat's CloudFormation-compatible API.

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

// The `request` source: a JSON object behind a plain URL, mostly a Swift TempURL.

/// HEAD, whose status does not matter, then GET [request] metadata_url. Deployments are exploded.
[[nodiscard]] Collection collect_request(const SourceContext& context);

/// POSTs the report of a run to that URL where the last poll's HEAD said that reports are taken there
/// (X-Hearth-Run-Reports): a Swift, or whatever web server the URL is of, gets none. The answer's status; nothing where
/// it was not said, or the source is not configured.
[[nodiscard]] std::optional<int> post_request_report(const SourceContext& context, const std::string& report);

// The `zaqar` source: metadata that Heat puts as messages into a queue.

/// Takes the oldest message of the queue. Deployments are exploded.
[[nodiscard]] Collection collect_zaqar(const SourceContext& context);

// The `ec2` source: the instance metadata tree, from the config drive or the metadata service. It does not change
// while an instance lives, so what the cache has is never asked for again.

/// Walks the tree below `root_url` (ending in "/"). Listings (URLs ending in "/") have an entry per line: "NAME/" is a
/// directory, "N=LABEL" the directory N, anything else a leaf, whose text is its value. `get` gives the text behind a
/// URL, or nothing to end the walk. Nothing also when the tree is absurdly deep or large.
[[nodiscard]] std::optional<Json> walk_metadata(
    const std::string& root_url, const std::function<std::optional<std::string>(const std::string&)>& get);

[[nodiscard]] Collection collect_ec2(const SourceContext& context);

}  // namespace hearth::agent
