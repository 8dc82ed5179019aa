#include "bootstrap/page/page_files.hpp"

#include <array>

#include "base/hash.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

std::string type_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, const char*>, 4> types = {{{".html", "text/html; charset=utf-8"},
                                                                              {".css", "text/css; charset=utf-8"},
                                                                              {".js", "text/javascript; charset=utf-8"},
                                                                              {".svg", "image/svg+xml"}}};
  for (const auto& [ending, type] : types) {
    if (name.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

}  // namespace

std::vector<PageFile> page_files() {
  std::vector<PageFile> files;
  for (const EmbeddedFile& file : embedded_page_files()) {
    const std::string_view body(reinterpret_cast<const char*>(file.bytes), file.size);
    files.push_back(
        {file.name, type_of(file.name), cat('"', hex_digest(HashKind::sha256, body).substr(0, 24), '"'), body});
  }
  return files;
}

}  // namespace hearth::bootstrap
