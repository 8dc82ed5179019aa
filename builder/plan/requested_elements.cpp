#include "builder/plan/requested_elements.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/elements/unknown_element.hpp"
#include "builder/spec/image_description.hpp"

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

bool is_named_as_description(const std::string& name) { return name.ends_with(".yaml") || name.ends_with(".yml"); }

/// Files of images where the build is started.
std::vector<std::string> descriptions_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const std::string& name : RealFileSystem().list(directory)) {
    if (is_named_as_description(name) && fs::is_regular_file(directory / name)) names.push_back(name);
  }
  return names;
}

/// The file there that describes an image of this name; empty where none does.
std::string description_of(const std::string& image, const fs::path& directory) {
  for (const std::string& name : descriptions_in(directory)) {
    const auto images = parse_image_descriptions({{name, RealFileSystem().read(directory / name).value_or("")}});
    if (images.ok() && std::any_of(images.value().begin(), images.value().end(),
                                   [&](const ImageDescription& each) { return each.name == image; }))
      return name;
  }
  return "";
}

/// What somebody may have meant by the name of an element that nobody has; else resolving says that there is none.
void refuse_what_is_meant_otherwise(const ImageRequest& request, const std::string& name, const Catalog& catalog) {
  if (is_format(name)) refuse_type(request, name);
  if (is_named_as_description(name)) {
    Error error(ErrorKind::not_found, cat("there is no file ", name));
    error.hint("An element is called by its name; a file of images ends in .yaml, and must be there.");
    const fs::path file = fs::absolute(name, request.start_directory);
    if (const auto near = nearest(file.filename().string(), descriptions_in(file.parent_path())))
      error.hint(cat("Did you mean ", (fs::path(name).parent_path() / *near).string(), "?"));
    throw error;
  }
  if (!near_elements(catalog, name).empty()) return;
  if (const std::string file = description_of(name, request.start_directory); !file.empty())
    throw Error(ErrorKind::input, cat("Element '", name, "' not found: ", file, " describes an image of this name"))
        .hint(cat("hearth image create ", file, " --only ", name, " builds it."));
  if (request.packages.empty()) return;
  throw Error(ErrorKind::input,
              cat("Element '", name, "' not found: is it a package, as ", request.packages.back(), "?"))
      .hint(cat("Packages have commas between them, and no blanks: -p ", join(request.packages, ","), ",", name,
                ". Elements are looked for in ", catalog.search_path_text(), "."));
}

}  // namespace

std::vector<std::string> requested_elements(const ImageRequest& request, const Catalog& catalog) {
  std::vector<std::string> elements = request.elements;
  for (const std::string& name : elements) {
    if (catalog.find(name) == nullptr) refuse_what_is_meant_otherwise(request, name, catalog);
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
