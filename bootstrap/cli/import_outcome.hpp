// What BMCs have said to an import, or to a change of a node: which nodes they keep from where they should come. Told
// on standard error; the rows are {"uuid", "name", "provision_state", "last_error"}.
#pragma once

#include "base/json.hpp"
#include "bootstrap/client/conductor_client.hpp"

namespace hearth::bootstrap {

/// Waits until the BMCs of the nodes that an import has made or changed were asked, which takes moments; those that
/// have refused.
[[nodiscard]] Json failed_imports(ConductorClient& conductor, const Json& answer);

/// As it was, and as the answer to its PATCH has it.
struct ChangedNode {
  Json before;
  Json after;
};
/// Of nodes whose management a person has changed, which is asked at once: waits some seconds for what it says.
void tell_of_other_management(ConductorClient& conductor, const std::vector<ChangedNode>& changes);

/// Nodes that the file does not change, and that have come nowhere, which no import mends.
[[nodiscard]] Json still_refused(ConductorClient& conductor, const Json& answer);

}  // namespace hearth::bootstrap
