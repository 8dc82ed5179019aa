#include "builder/elements/upstream_tree.hpp"

#include "base/error.hpp"
#include "base/sys/user_places.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_setting = "HEARTH_UPSTREAM_ELEMENTS";

bool has_elements(const FileReader& files, const fs::path& directory) {
  return files.status(directory / "package-installs").has_value();  // an element that every image of upstream's has
}

/// The package in one of Python's directories: "lib" of a prefix. PATH may name directories that only others may read.
std::optional<fs::path> in_prefix(const FileReader& files, const fs::path& library) try {
  for (const std::string& python : files.list(library)) {
    if (!python.starts_with("python3")) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      const fs::path elements = library / python / packages / "diskimage_builder/elements";
      if (has_elements(files, elements)) return elements;
    }
  }
  return std::nullopt;
} catch (const Error&) {
  return std::nullopt;
}

std::optional<fs::path> search(const FileReader& files, const Environment& environment) {
  const fs::path kept = kept_trees(environment) / "diskimage-builder/elements";
  if (has_elements(files, kept)) return kept;
  std::vector<fs::path> libraries;
  for (const std::string& directory : split(variable(environment, "PATH"), ':')) {
    if (directory.starts_with("/")) libraries.push_back(fs::path(directory).parent_path() / "lib");
  }
  libraries.push_back(home_directory(environment) / ".local/lib");
  libraries.insert(libraries.end(), {"/usr/local/lib", "/usr/lib"});
  for (const fs::path& library : libraries) {
    if (std::optional<fs::path> found = in_prefix(files, library)) return found;
  }
  return std::nullopt;
}

}  // namespace

fs::path kept_trees(const Environment& environment) {
  const std::string data = variable(environment, "XDG_DATA_HOME");
  return (data.starts_with("/") ? fs::path(data) : home_directory(environment) / ".local/share") / "hearth/elements";
}

std::optional<UpstreamTree> find_upstream_tree(const FileReader& files, const Environment& environment) {
  const std::string setting = variable(environment, k_setting);
  if (setting == "no") return std::nullopt;
  UpstreamTree tree{.first = setting == "first"};
  if (!setting.empty() && !tree.first) {
    if (!has_elements(files, setting)) {
      throw Error(ErrorKind::input, cat(k_setting, ": ", setting, " does not hold diskimage-builder's elements"))
          .hint("It is 'no', 'first' (before Hearth's own), or the directory with package-installs and its like.");
    }
    tree.elements = setting;
    return tree;
  }
  const std::optional<fs::path> found = search(files, environment);
  if (!found) return std::nullopt;
  tree.elements = *found;
  return tree;
}

}  // namespace hearth::builder
