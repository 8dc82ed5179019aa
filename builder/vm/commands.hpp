// `hearth image boot` and `hearth image test`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/cli/command.hpp"
#include "base/path.hpp"

namespace hearth::builder::vm {

/// Where else images come from than files.
struct ImageSource {
  std::vector<cli::Option> options;
  std::function<fs::path(const std::string& word, const cli::Arguments& arguments)> image_named;
  std::function<fs::path(const fs::path& image)> manifest_of;  ///< the record of its build, which need not be there
};

[[nodiscard]] std::vector<cli::Command> commands(const ImageSource& source);

}  // namespace hearth::builder::vm
