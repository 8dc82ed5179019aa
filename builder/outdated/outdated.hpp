// `hearth image outdated`, and what --if-outdated asks: images beside today's repositories, branches and elements.
#pragma once

#include "base/cli/command.hpp"
#include "base/clock.hpp"
#include "builder/outdated/image_age.hpp"

namespace hearth::builder {

struct OutdatedSetup {
  fs::path image_cache;  ///< package lists are kept below it, a gigabyte at most
  Environment environment;
};

/// Asks each server once. Throws Error when the image cache can't be written.
[[nodiscard]] std::vector<ImageAge> image_ages(const std::vector<BuildRecords>& images, const OutdatedSetup& setup,
                                               const Clock& clock);

[[nodiscard]] cli::Command outdated_command();

}  // namespace hearth::builder
