// Pages of a manual, which are written in Markdown, as they are read on a terminal. Pure.
#pragma once

#include <string>

#include "base/cli/command.hpp"

namespace hearth::cli {

/// What `help` is to be asked for to print the page: the last part of its name, or all of it where that means another
/// thing.
[[nodiscard]] std::string word_for_page(const Program& program, const Page& page);

/// Paragraphs and items filled to `width`, tables drawn, what is indented as it is. A link names the page that it leads
/// to ("hearth help users"), or the file.
[[nodiscard]] std::string page_text(const Program& program, const Page& page, std::size_t width);

}  // namespace hearth::cli
