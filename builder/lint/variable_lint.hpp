// Variables of elements (DIB_…) by the texts that name them: which there are, and which a hook reads that nobody
// declares. Text work: a name that a script puts together is not found.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/sys/file.hpp"
#include "builder/elements/catalog.hpp"
#include "builder/report/finding.hpp"

namespace hearth::builder {

/// The names DIB_… in a text; what ends in "_" is the begin of names.
void add_variables_in(std::string_view text, std::set<std::string>& names);

/// Those that some element's environment.d gives a value, or tells of.
[[nodiscard]] std::set<std::string> environment_variables(const FileReader& files, const Catalog& catalog);

/// Variables that a hook under `set -u`, or a file of environment.d, reads without a default, and that neither its
/// element gives a value or tells of in its README, nor those that it depends on, nor any environment.d (`known`), nor
/// the builder.
[[nodiscard]] std::vector<Finding> undeclared_variables(const FileReader& files, const Catalog& catalog,
                                                        const Element& element, const std::set<std::string>& known);

}  // namespace hearth::builder
