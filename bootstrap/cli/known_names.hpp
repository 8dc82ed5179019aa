// What there is of what the command tables call NODE, STACK, DRIVER and their like, for shells' completion.
#pragma once

#include <string>
#include <vector>

namespace hearth::bootstrap {

/// `words` are those typed behind the command: --state, --url and --token-file hold as they would for it. Nothing where
/// nobody knows: a line that is being typed has no errors.
[[nodiscard]] std::vector<std::string> known_names(const std::string& what, const std::vector<std::string>& words);

}  // namespace hearth::bootstrap
