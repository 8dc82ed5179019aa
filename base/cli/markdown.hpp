// Pages in Markdown, made from a command table as the manual pages are: one of all commands, one of each command, each
// link and each topic. The manual's site is built of them (docs/site).
#pragma once

#include "base/cli/manual.hpp"

namespace hearth::cli {

/// Text with nothing in it that Markdown would take for markup.
[[nodiscard]] std::string markdown(std::string_view text);

/// Its whole page.
[[nodiscard]] std::string reference_text(const Reference& reference);

/// "commands.md", "hearth-image-create.md", …, "exit-codes.md".
[[nodiscard]] std::vector<ManualPage> markdown_pages(const Program& program, const std::vector<Command>& rows);

}  // namespace hearth::cli
