#include "builder/run/requested_elements.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

/// "-t qcow2 tar" asks for an element tar, which nobody has.
[[noreturn]] void refuse_type(const ImageRequest& request, const std::string& name) {
  std::vector<std::string> types;
  for (const OutputFormat& format : request.formats) types.push_back(format.name);
  types.push_back(name);
  throw Error(ErrorKind::input, cat("Element '", name, "' not found: it is an image type"))
      .hint(cat("Types have commas between them, and no blanks: -t ", join(types, ",")));
}

}  // namespace

std::vector<std::string> requested_elements(const ImageRequest& request, const Catalog& catalog) {
  std::vector<std::string> elements = request.elements;
  for (const std::string& name : elements) {
    if (is_format(name) && catalog.find(name) == nullptr) refuse_type(request, name);
  }
  if (!request.default_layout) return elements;
  for (const std::string& name : elements) {
    const Element* const own = catalog.find(name);
    if (own != nullptr && std::count(own->provides.begin(), own->provides.end(), "block-device") > 0) return elements;
  }
  const Element* const vm = catalog.find("vm");
  const bool efi =
      vm == nullptr || vm->built_in || request.architecture == "arm64" || request.architecture == "aarch64";
  elements.emplace_back(efi ? "block-device-efi" : "block-device-mbr");
  return elements;
}

}  // namespace hearth::builder
