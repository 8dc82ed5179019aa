// Checks of the data files of an element by the parsers that a build uses, and of all other YAML for its syntax.
#pragma once

#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "builder/report/finding.hpp"

namespace hearth::builder {

/// What is wrong with one file of an element, `place` being its path below it; nothing for files that are not data.
[[nodiscard]] std::vector<Finding> lint_data(const FileReader& files, const fs::path& file, const std::string& place,
                                             const std::string& element);

}  // namespace hearth::builder
