// `hearth init`: a few questions become an image description, or a site file (which bootstrap/site asks for).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "base/path.hpp"
#include "bootstrap/site/site_questions.hpp"

namespace hearth::bootstrap::program {

/// What is to be doubted of packages in this system, as its repositories are known; empty: nothing.
using PackageDoubts = std::function<std::string(const std::string& system, const std::string& packages)>;

/// Asks what an image of this name is to be, and gives the text of images.yaml; packages that are in doubt are asked
/// for again, and taken when they are said twice. Throws Error when the answers end before.
[[nodiscard]] std::string ask_for_image(const bootstrap::Ask& ask, const bootstrap::Say& say, const std::string& name,
                                        const PackageDoubts& doubts = {});

[[nodiscard]] std::vector<cli::Command> init_commands(const fs::path& executable);

}  // namespace hearth::bootstrap::program
