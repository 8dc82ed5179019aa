// Checks of one text file of an element, by its text and place alone. Those that diskimage-builder's dib-lint makes
// carry its names; the others are ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "builder/report/finding.hpp"

namespace hearth::builder {

/// What a finding "hookname" begins with, of an executable file of a phase whose name no hook has.
inline constexpr const char* k_never_run = "it is never run as a hook";

struct ScriptFile {
  fs::path path;      ///< for findings
  std::string place;  ///< below its element: "install.d/10-name"
  std::string_view text;
  bool is_executable = false;
};

/// Whether one of a script's `set` lines switches an option on, by letter or by -o NAME.
[[nodiscard]] bool sets_option(const std::vector<std::string>& lines, char letter, std::string_view name);

/// Findings of checks that neither `disabled` nor the file's own comments switch off.
[[nodiscard]] std::vector<Finding> lint_script(const ScriptFile& file, const Disabled& disabled);

}  // namespace hearth::builder
