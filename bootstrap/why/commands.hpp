// `hearth why THING`: the true cause first, in a sentence, with what shows it and what to do next.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "bootstrap/why/causes/image_causes.hpp"

namespace hearth::bootstrap {

/// What the builds of an image noted, by its name. Throws where nothing is known of it.
using ImageWhy = std::function<why::ImageFacts(const std::string&)>;

/// `value_why` prints where a value in a server's metadata came from: `metadata explain`, its options are taken, too.
[[nodiscard]] std::vector<cli::Command> why_commands(ImageWhy image_why, const cli::Command& value_why);

}  // namespace hearth::bootstrap
