// Where a value in a server's metadata came from.
#pragma once

#include <string>
#include <vector>

#include "metadata/compile/compiler.hpp"

namespace hearth::metadata {

/// `server` is a path, a name or an id; `key` goes into the document: "deployments.NetworkDeployment.inputs.foo", list
/// items by name or number. Lines: the value, where it stood, what put it there. Throws Error(not_found) with the
/// nearest name.
[[nodiscard]] std::vector<std::string> explain(StackModel& model, const Compiled& compiled, const std::string& server,
                                               const std::string& key);

}  // namespace hearth::metadata
