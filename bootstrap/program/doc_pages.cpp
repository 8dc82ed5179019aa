#include "bootstrap/program/doc_pages.hpp"

#include <algorithm>
#include <string_view>

namespace hearth::bootstrap::program {

std::vector<cli::Page> doc_pages() {
  std::vector<cli::Page> pages;
  for (const EmbeddedFile& file : embedded_doc_pages()) {
    const std::string_view text(reinterpret_cast<const char*>(file.bytes), file.size);
    const std::string_view name = file.name;
    const std::string_view headline = text.substr(0, text.find('\n'));
    pages.push_back({std::string(name.substr(0, name.rfind('.'))),
                     std::string(headline.substr(std::min<std::size_t>(2, headline.size()))), text});
  }
  return pages;
}

}  // namespace hearth::bootstrap::program
