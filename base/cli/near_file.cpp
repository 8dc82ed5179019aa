#include "base/cli/near_file.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.hpp"

namespace hearth::cli {

namespace {

constexpr std::size_t k_most_entries = 2000;  ///< of a folder: more are not looked through
constexpr std::size_t k_most_told = 3;
constexpr std::size_t k_longest_file_name = 200;

std::vector<std::string> entries_of(const fs::path& folder) {
  std::vector<std::string> names;
  boost::system::error_code failed;
  fs::directory_iterator at(folder.empty() ? fs::path(".") : folder, failed);
  for (; !failed && at != fs::directory_iterator() && names.size() < k_most_entries; at.increment(failed))
    names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool is_there(const fs::path& path) {
  boost::system::error_code hidden;
  return fs::exists(path, hidden);
}

/// "site" and "site.yml" for "site.yaml", "web" for "web.qcow2".
bool is_of_stem(const std::string& name, const std::string& entry) {
  const std::string stem = name.substr(0, name.rfind('.'));
  return entry.starts_with(cat(name, ".")) || (name.find('.') != std::string::npos && fs::path(entry).stem() == stem);
}

/// That the file of this name is, in a folder of this one.
std::vector<std::string> below(const fs::path& name) {
  std::vector<std::string> found;
  boost::system::error_code hidden;
  for (const std::string& folder : entries_of(".")) {
    if (folder.starts_with('.') || !fs::is_directory(folder, hidden)) continue;
    if (is_there(fs::path(folder) / name)) found.push_back((fs::path(folder) / name).string());
  }
  return found;
}

}  // namespace

std::vector<std::string> near_files(const std::string& word) {
  const fs::path path(word);
  const std::string name = path.filename().string();
  if (name.empty() || name == "." || name == ".." || word.size() > k_longest_file_name) return {};
  const bool is_file_name = word.find_first_of("./") != std::string::npos;  // else it may be anything's name
  for (const fs::path& place : {fs::path(name), ".." / fs::path(name)}) {
    if (is_file_name && place != path && is_there(place)) return {place.string()};
  }
  const std::vector<std::string> entries = entries_of(path.parent_path());
  std::vector<std::string> found;
  for (const std::string& entry : entries) {
    if (is_of_stem(name, entry) && !entry.ends_with(".d")) found.push_back((path.parent_path() / entry).string());
  }
  if (!found.empty() || !is_file_name) return found;
  if (const std::optional<std::string> near = nearest(name, entries)) return {(path.parent_path() / *near).string()};
  return below(path.filename());
}

std::string near_file_told(const std::string& story, const std::vector<std::string>& words) {
  const auto says = [&](std::string_view text) { return story.find(text) != std::string::npos; };
  const bool is_missing =
      says("there is no ") || says("not found") || says("neither a file") || says("No such file or directory");
  if (!is_missing || says("(HTTP ")) return "";
  if (says("id you mean")) return "";
  for (const std::string& word : words) {
    const std::string value = word.starts_with('-') ? word.substr(std::min(word.find('='), word.size() - 1) + 1) : word;
    if (value.empty() || value.size() > k_longest_file_name || story.find(value) == std::string::npos ||
        is_there(value))
      continue;
    const bool is_file_name = value.find_first_of("./") != std::string::npos;
    const bool is_of_files =
        says("file ") || says("image") || says("bundle") || says("Element") || says(cat("there is no ", value));
    if (!is_file_name && !is_of_files) continue;
    std::vector<std::string> near = near_files(value);
    if (near.empty()) continue;
    if (near.size() > k_most_told) near.resize(k_most_told);
    return cat("Did you mean ", join(near, " or "), "?");
  }
  return "";
}

}  // namespace hearth::cli
