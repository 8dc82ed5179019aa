// Packages that hooks install by themselves, as far as their text tells: `apt-get install -y nginx`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "builder/plan/build_plan.hpp"

namespace hearth::builder {

/// Of all elements but Hearth's own; nothing where it can't be told, as of a variable, a file or another installer.
[[nodiscard]] std::optional<std::vector<std::string>> installed_by_hooks(const FileReader& files,
                                                                         const BuildPlan& plan);

}  // namespace hearth::builder
