// The network that hooks get: what of this machine's loopback they reach, and their own one around it.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "builder/fetch/local_access.hpp"
#include "builder/fetch/private_network.hpp"
#include "builder/plan/build_plan.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

/// What of this machine's loopback the caller named: his proxies and package indexes, the remote cache, and what
/// --allow-local and the mirror's variables say. Not what a provenance may have set.
[[nodiscard]] std::set<fetch::LocalPlace> named_places(const ImageRequest& request);

/// Hooks' own network, where fetches are neither recorded nor replayed; nothing where they get the machine's. What they
/// don't reach, or reach though they should not, goes to `notes`.
[[nodiscard]] std::unique_ptr<fetch::PrivateNetwork> private_network(const ImageRequest& request, const BuildPlan& plan,
                                                                     std::vector<std::string>& notes);

}  // namespace hearth::builder
