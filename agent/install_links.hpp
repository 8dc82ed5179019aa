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

/// The links of an applet, of a hook ("puppet", "hooks/cfn-init"), or of all "hooks". Throws Error(usage) for any other
/// name.
[[nodiscard]] std::vector<std::string> links_of(const std::string& name);
/// The links of all applets and hooks.
[[nodiscard]] std::vector<std::string> all_links();

/// `hearth-agent install-links DIR [NAME…]`: the links of these names, or all; returns the exit status.
[[nodiscard]] int install_links_main(const std::vector<std::string>& words);

}  // namespace hearth::agent
