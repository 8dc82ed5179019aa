#include "builder/elements/catalog.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/elements/phase.hpp"

namespace hearth::builder {

namespace {

/// A link to an element counts under the name of what it points to.
std::string element_name(const fs::path& path) {
  boost::system::error_code missing;
  if (!fs::is_symlink(path, missing)) return path.filename().string();
  const fs::path resolved = fs::canonical(path, missing);
  return (missing ? path : resolved).filename().string();
}

Element read_element(const FileReader& files, const fs::path& path, bool built_in) {
  return {.name = element_name(path),
          .path = path,
          .deps = parse_element_names(files.read(path / "element-deps").value_or("")),
          .provides = parse_element_names(files.read(path / "element-provides").value_or("")),
          .built_in = built_in};
}

/// Also by another spelling: "elements/", "./elements", through a link.
bool is_same_directory(const fs::path& one, const fs::path& other) {
  boost::system::error_code missing;
  return one == other || (!one.empty() && fs::equivalent(one, other, missing) && !missing);
}

/// An entry of ELEMENTS_PATH that holds no elements, and the one that was meant.
struct OddEntry {
  std::string why;
  fs::path meant;
};

std::optional<OddEntry> oddity_of(const FileReader& files, const fs::path& directory) {
  const auto has = [&](const char* name) { return files.status(directory / name).has_value(); };
  const bool is_element =
      has("element-deps") || has("element-provides") || has("package-installs.yaml") || has("environment.d") ||
      std::any_of(k_phases.begin(), k_phases.end(),
                  [&](const PhaseInfo& each) { return is_directory(files, directory / directory_name(each.phase)); });
  if (is_element) return OddEntry{cat(directory.string(), " is an element itself"), directory.parent_path()};
  if (is_directory(files, directory / "elements") && !files.list(directory / "elements").empty())
    return OddEntry{cat(directory.string(), " has its elements in elements/"), directory / "elements"};
  return std::nullopt;
}

}  // namespace

Catalog Catalog::scan(const FileReader& files, const std::vector<fs::path>& search_path, const fs::path& built_in,
                      const std::vector<fs::path>& fallback) {
  Catalog catalog;
  for (const fs::path& directory : search_path) {
    const bool is_built_in = is_same_directory(directory, built_in);
    catalog.add(files, is_built_in ? built_in : directory, is_built_in, false);
  }
  catalog.add(files, built_in, true, false);
  for (const fs::path& directory : fallback) catalog.add(files, directory, false, true);
  return catalog;
}

void Catalog::add(const FileReader& files, const fs::path& directory, bool built_in, bool fallback) {
  search_path_.push_back(directory);
  if (directory.empty() || !is_directory(files, directory)) {
    throw Error(ErrorKind::input, cat("ELEMENTS_PATH entry '", directory.string(), "' is not a directory"))
        .hint("ELEMENTS_PATH is a list of directories separated by ':'; each holds one directory per element.");
  }
  if (!built_in && !fallback) {
    const std::optional<OddEntry> odd = oddity_of(files, directory);
    if (odd) doubts_.push_back(odd->why);
    meant_path_.push_back(odd ? odd->meant : directory);
  }
  std::map<fs::path, std::vector<std::string>> hidden;  // by where those lie that are taken in their place
  for (const std::string& name : files.list(directory)) {
    const fs::path path = directory / name;
    if (name.front() == '.' || !is_directory(files, path)) continue;  // hidden ones are not elements
    if (fallback && (name.starts_with("__") || elements_.count(name) > 0)) continue;
    Element element = read_element(files, path, built_in);
    element.fallback = fallback;
    const auto known = elements_.find(element.name);
    if (known == elements_.end()) {
      elements_.emplace(element.name, std::move(element));
    } else if (known->second.path != path && !fallback) {
      hidden[known->second.path.parent_path()].push_back(name);
    }
  }
  constexpr std::size_t k_told_each = 3;
  for (const auto& [winner, names] : hidden) {
    if (names.size() > k_told_each)
      notes_.push_back(cat(names.size(), " elements of ", winner.string(), " override those of ", directory.string()));
    for (const std::string& name : names.size() > k_told_each ? std::vector<std::string>() : names)
      notes_.push_back(cat("Element <", (winner / name).string(), "> overrides <", (directory / name).string(), ">"));
  }
}

const Element* Catalog::find(const std::string& name) const {
  const auto found = elements_.find(name);
  return found == elements_.end() ? nullptr : &found->second;
}

std::vector<std::string> Catalog::names() const {
  std::vector<std::string> names;
  for (const auto& [name, element] : elements_) names.push_back(name);
  return names;
}

std::string Catalog::search_path_text() const {
  std::vector<std::string> texts;
  for (const fs::path& directory : search_path_) texts.push_back(directory.string());
  return join(texts, ":");
}

std::string Catalog::searched_text() const {
  return cat("Searched: ", search_path_text(), "; ELEMENTS_PATH=DIR[:DIR…] adds directories that hold elements");
}

std::string Catalog::doubts() const {
  if (doubts_.empty()) return "";
  std::vector<std::string> paths;
  for (const fs::path& path : meant_path_) {
    const std::string text = path.empty() ? "." : path.string();
    if (std::find(paths.begin(), paths.end(), text) == paths.end()) paths.push_back(text);
  }
  return cat(join(doubts_, "; "), ": export ELEMENTS_PATH=", shell_quote(join(paths, ":")));
}

}  // namespace hearth::builder
