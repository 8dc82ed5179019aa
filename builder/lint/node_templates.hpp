// An element's os-apply-config: templates that no node could render, and headers beside them that it would refuse.
// os-apply-config then writes none of its files, on every node that has the image.
#pragma once

#include <vector>

#include "base/sys/file.hpp"
#include "builder/elements/element.hpp"
#include "builder/report/finding.hpp"

namespace hearth::builder {

/// Errors, and warnings of sections that are never closed and of headers without a template. `others`: elements that
/// an image has or may have with this one, whose templates its headers may be of.
[[nodiscard]] std::vector<Finding> node_template_faults(const FileReader& files, const Element& element,
                                                        const std::vector<Element>& others = {});

}  // namespace hearth::builder
