// A person at a terminal who is asked for a site file, or for anything else.
#pragma once

#include <optional>
#include <string>

namespace hearth::bootstrap {

/// Asks on standard error, reads from standard input; `hidden`: what is typed is not shown. Nothing at the end.
[[nodiscard]] std::optional<std::string> ask_person(const std::string& question, const std::string& usual, bool hidden);
void say_to_person(const std::string& line);

}  // namespace hearth::bootstrap
