// `hearth init`: a few questions become an image description, or a site file (which bootstrap/site asks for).
#pragma once

#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "base/path.hpp"
#include "bootstrap/site/site_questions.hpp"

namespace hearth::bootstrap::program {

/// Asks what an image of this name is to be, and gives the text of images.yaml. Throws Error when the answers end
/// before.
[[nodiscard]] std::string ask_for_image(const bootstrap::Ask& ask, const bootstrap::Say& say, const std::string& name);

[[nodiscard]] std::vector<cli::Command> init_commands(const fs::path& executable);

}  // namespace hearth::bootstrap::program
