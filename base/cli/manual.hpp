// Manual pages in man(7)'s macros, made from a command table: one of the program, one of each command and each link,
// one of each page of a manual.
#pragma once

#include "base/cli/command.hpp"

namespace hearth::cli {

struct ManualPage {
  std::string file;  ///< "hearth-image-create.1"
  std::string text;
};

/// What all pages of a program have in common.
struct Manual {
  std::string program;  ///< "hearth": the page that the others point to
  std::string source;   ///< "hearth 0.1.0"
};

/// Text with nothing in it that troff would take for a request or an escape.
[[nodiscard]] std::string troff(std::string_view text);

/// The page of one command that people start as `name` ("hearth image create").
[[nodiscard]] ManualPage command_page(const Manual& manual, const std::string& name, const Command& command);

/// The pages of a program with these commands, and of its links.
[[nodiscard]] std::vector<ManualPage> manual_pages(const Program& program, const std::vector<Command>& rows);

/// Those of its manual, in section 7. Apart, for programs that have none and shall stay small.
[[nodiscard]] std::vector<ManualPage> manual_chapters(const Program& program);

/// The same, as files below `directory`, which is made if need be; returns the exit code.
int write_manual(const std::vector<ManualPage>& pages, const std::string& directory);

}  // namespace hearth::cli
