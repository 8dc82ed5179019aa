// The `ec2` source: the instance metadata tree, from the config drive or the metadata service. It does not change
// while an instance lives, so what the cache has is never asked for again.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "agent/collect/source.hpp"

namespace hearth::agent {

/// Walks the tree below `root_url` (ending in "/"). Listings (URLs ending in "/") have an entry per line: "NAME/" is a
/// directory, "N=LABEL" the directory N, anything else a leaf, whose text is its value. `get` gives the text behind a
/// URL, or nothing to end the walk. Nothing also when the tree is absurdly deep or large.
[[nodiscard]] std::optional<Json> walk_metadata(
    const std::string& root_url, const std::function<std::optional<std::string>(const std::string&)>& get);

[[nodiscard]] Collection collect_ec2(const SourceContext& context);

}  // namespace hearth::agent
