#include "builder/elements/upstream_tree.hpp"

#include <algorithm>

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

std::optional<fs::path> in_package(const FileReader& files, const fs::path& packages) {
  const fs::path elements = packages / "diskimage_builder/elements";
  return has_elements(files, elements) ? std::optional(elements) : std::nullopt;
}

/// Where `pip install -e` says in a file of Python's directories that the checkout is: a line of a .pth or .egg-link,
/// or 'diskimage_builder': '/PATH/diskimage_builder' in setuptools' finder.
std::optional<fs::path> in_checkout(const FileReader& files, const fs::path& packages, const std::string& name) {
  static constexpr std::string_view k_mapping = "'diskimage_builder': '";
  const bool has_lines = name.ends_with(".pth") || name.ends_with(".egg-link");
  const bool is_finder = name.starts_with("__editable__") && name.ends_with("_finder.py");
  if (!has_lines && !is_finder) return std::nullopt;
  const std::string text = files.read(packages / name).value_or("");
  if (is_finder) {
    const std::size_t at = text.find(k_mapping);
    if (at == std::string::npos) return std::nullopt;
    const std::size_t start = at + k_mapping.size();
    return in_package(files, fs::path(text.substr(start, text.find('\'', start) - start)).parent_path());
  }
  for (const std::string& line : split_lines(text)) {
    const std::string directory(trim(line));
    if (!directory.starts_with('/')) continue;
    if (auto found = in_package(files, directory)) return found;
  }
  return std::nullopt;
}

/// The package in one of Python's directories: "lib" of a prefix. PATH may name directories that only others may read.
std::optional<fs::path> in_prefix(const FileReader& files, const fs::path& library) try {
  for (const std::string& python : files.list(library)) {
    if (!python.starts_with("python3")) continue;
    for (const char* kind : {"site-packages", "dist-packages"}) {
      const fs::path packages = library / python / kind;
      if (auto elements = in_package(files, packages)) return elements;
      for (const std::string& name : files.list(packages)) {
        if (auto elements = in_checkout(files, packages, name)) return elements;
      }
    }
  }
  return std::nullopt;
} catch (const Error&) {
  return std::nullopt;
}

/// As Python looks: PYTHONPATH, the virtual environment, the user's own packages, the machine's.
std::optional<fs::path> search(const FileReader& files, const Environment& environment) {
  const fs::path kept = kept_trees(environment) / "diskimage-builder/elements";
  if (has_elements(files, kept)) return kept;
  for (const std::string& directory : split(variable(environment, "PYTHONPATH"), ':')) {
    if (directory.empty()) continue;
    if (auto found = in_package(files, fs::absolute(directory))) return found;
  }
  std::vector<fs::path> libraries;
  const std::string virtual_environment = variable(environment, "VIRTUAL_ENV");
  if (virtual_environment.starts_with("/")) libraries.push_back(fs::path(virtual_environment) / "lib");
  const std::vector<fs::path> machines = {"/usr/local/lib", "/usr/lib"};
  for (const std::string& directory : split(variable(environment, "PATH"), ':')) {
    const fs::path library = fs::path(directory).parent_path() / "lib";
    const bool is_machines =
        library == "/lib" || std::find(machines.begin(), machines.end(), library) != machines.end();
    if (directory.starts_with("/") && !is_machines) libraries.push_back(library);
  }
  libraries.push_back(home_directory(environment) / ".local/lib");
  libraries.insert(libraries.end(), machines.begin(), machines.end());
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
