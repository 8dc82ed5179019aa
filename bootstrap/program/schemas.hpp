// `hearth schema`: JSON schemas of the files that people write, for editors. Each is made by the reader of its file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/cli/command.hpp"

namespace hearth::bootstrap::program {

struct Schema {
  const char* name;
  const char* files;  ///< that are such a one
  std::string (*text)();
};
[[nodiscard]] std::span<const Schema> schemas();

[[nodiscard]] std::vector<cli::Command> schema_commands();

}  // namespace hearth::bootstrap::program
