// The programs that the one agent binary is, as rows of a table: what each is called, where its links lie, what it
// does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/cli/command.hpp"

namespace hearth::agent {

/// How a program was started.
struct Invocation {
  std::vector<std::string> argv;   ///< the whole command line as the process got it
  std::vector<std::string> words;  ///< the applet's arguments
};

struct Applet {
  std::string_view name;                    ///< the name that a link to the binary selects it by
  std::string_view link;                    ///< where install-links puts that link, below its directory; empty = none
  std::string_view summary;                 ///< one line
  int (*run)(const Invocation&) = nullptr;  ///< returns the exit status
  cli::Command (*describe)() = nullptr;     ///< its options, for the manual; null = it takes none worth a page
};

/// All applets, in the order of --help.
[[nodiscard]] const std::vector<Applet>& applets();

/// The applet of that name; null when there is none.
[[nodiscard]] const Applet* find_applet(std::string_view name);

}  // namespace hearth::agent
