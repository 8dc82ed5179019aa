// The manual's pages (docs/*/*.md), compiled in, so that `hearth help ssh` needs no file and no browser.
#pragma once

#include <cstddef>
#include <vector>

#include "base/cli/command.hpp"

namespace hearth::bootstrap::program {

/// As the build embeds it (cmake/EmbedFiles.cmake).
struct EmbeddedFile {
  const char* name;
  const unsigned char* bytes;
  std::size_t size;
};
[[nodiscard]] std::vector<EmbeddedFile> embedded_doc_pages();

/// "howto/ssh", the page's headline, its text.
[[nodiscard]] std::vector<cli::Page> doc_pages();

}  // namespace hearth::bootstrap::program
