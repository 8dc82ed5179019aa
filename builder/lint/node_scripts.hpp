// Scripts of an element's os-refresh-config that no node would run: the image takes them all, and nothing is said
// there.
#pragma once

#include <vector>

#include "base/sys/file.hpp"
#include "builder/elements/element.hpp"
#include "builder/report/finding.hpp"

namespace hearth::builder {

/// Scripts with a name that run-parts does not take, or without an x bit; those in no phase, or in a directory that is
/// none. What another file of the element mentions is its own affair.
[[nodiscard]] std::vector<Finding> idle_node_scripts(const FileReader& files, const Element& element);

}  // namespace hearth::builder
