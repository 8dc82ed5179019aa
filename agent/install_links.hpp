// The links by which the agent binary is called under its many names.
#pragma once

#include <string>
#include <vector>

#include "base/path.hpp"

namespace hearth::agent {

/// Where the links of `install-links DIR` lead.
struct LinkPlan {
  fs::path link;
  std::string target;
  bool operator==(const LinkPlan&) const = default;
};

/// One link a (relative) path in `links`, below `directory`, all to `binary`, which must be absolute. A link that lies
/// in the binary's own directory is relative, so that an image tree can be made outside of its root.
[[nodiscard]] std::vector<LinkPlan> plan_links(const fs::path& directory, const fs::path& binary,
                                               const std::vector<std::string>& links);

/// Makes the links and the directories they need; what has such a name is replaced, but a directory never.
void make_links(const std::vector<LinkPlan>& plan);

/// `hearth-agent install-links DIR [APPLET…]`: links for the named applets, or for all; returns the exit status.
[[nodiscard]] int install_links_main(const std::vector<std::string>& words);

}  // namespace hearth::agent
