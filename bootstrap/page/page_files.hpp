// The files of the status page (bootstrap/page/files), compiled in: it asks nobody else for anything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth::bootstrap {

/// As the build embeds it (cmake/EmbedFiles.cmake).
struct EmbeddedFile {
  const char* name;
  const unsigned char* bytes;
  std::size_t size;
};
[[nodiscard]] std::vector<EmbeddedFile> embedded_page_files();

struct PageFile {
  std::string name;  ///< "index.html"
  std::string type;  ///< of its content
  std::string etag;  ///< quoted
  std::string_view body;
};
[[nodiscard]] std::vector<PageFile> page_files();

}  // namespace hearth::bootstrap
