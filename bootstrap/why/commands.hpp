// `hearth why THING`: the true cause first, in a sentence, with what shows it and what to do next.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/cli/command.hpp"

namespace hearth::bootstrap {

/// Prints why the last build of an image did what it did: `image why`.
using ImageWhy = std::function<int(const cli::Arguments&)>;

/// `value_why` prints where a value in a server's metadata came from: `metadata explain`, its options are taken, too.
[[nodiscard]] std::vector<cli::Command> why_commands(ImageWhy image_why, const cli::Command& value_why);

}  // namespace hearth::bootstrap
