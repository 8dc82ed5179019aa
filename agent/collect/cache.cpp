#include "agent/collect/cache.hpp"

#include <algorithm>

#include "agent/collect/same_value.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::string_view k_list_name = "os_config_files";
constexpr std::uint32_t k_file_mode = 0600;
constexpr std::uint32_t k_directory_mode = 0777;  // & ~umask
constexpr std::size_t k_longest_name = 240;       // NAME_MAX less ".json.orig" and some
constexpr PythonJsonStyle k_style = {.indent = 1};

fs::path with(const fs::path& path, std::string_view suffix) { return {cat(path.string(), suffix)}; }

/// Normal form with one slash at the end.
std::string directory_text(const fs::path& path) {
  std::string text = path.lexically_normal().string();
  if (text.size() > 1 && text.compare(text.size() - 2, 2, "/.") == 0) text.pop_back();
  return text.empty() || text.back() != '/' ? cat(text, "/") : text;
}

/// Whether one of the two lies in the other, or they are the same.
bool overlap(const fs::path& a, const fs::path& b) {
  const std::string left = directory_text(a);
  const std::string right = directory_text(b);
  return left.compare(0, right.size(), right) == 0 || right.compare(0, left.size(), left) == 0;
}

}  // namespace

bool Cache::is_safe_name(std::string_view name) {
  if (name.empty() || name.front() == '.' || name.size() > k_longest_name || name == k_list_name) return false;
  return name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

fs::path Cache::path_of(std::string_view name) const { return directory_ / cat(name, ".json"); }

void Cache::write(const fs::path& path, std::string_view data) { files_.write(path, data, {.mode = k_file_mode}); }

bool Cache::differs_from_last(const fs::path& path, const Json& content) const {
  const fs::path last = with(path, ".last");
  const std::optional<std::string> text = files_.read(last);
  if (!text) return true;
  const Result<Json> seen = parse_python_json(*text, last.string());
  if (!seen) log_.warning(cat("The cache is damaged: ", seen.error().text()));
  return !seen || !same_value(*seen, content);
}

Cache::Stored Cache::store(const std::string& name, const Json& content) {
  files_.make_directories(directory_, k_directory_mode);
  const fs::path path = path_of(name);
  const std::string data = python_json(content, k_style);
  if (files_.read(path) != data) write(path, data);  // an idle poll does not wear the disk
  const bool is_first = !files_.status(with(path, ".orig"));
  if (is_first) write(with(path, ".orig"), data);
  return {path, is_first || differs_from_last(path, content)};
}

void Cache::commit(const std::string& name) {
  const fs::path path = path_of(name);
  const std::optional<std::string> data = files_.read(path);
  if (data) write(with(path, ".last"), *data);
}

void Cache::store_list(const std::vector<std::string>& names) {
  Json paths = Json::array();
  for (const std::string& name : names) paths.push_back(path_of(name).string());
  write(path_of(k_list_name), python_json(paths));
}

void Cache::copy_to(const fs::path& backup) {
  files_.make_directories(backup, k_directory_mode);
  const std::vector<std::string> names = files_.list(directory_);
  for (const std::string& name : files_.list(backup)) {
    if (std::find(names.begin(), names.end(), name) == names.end()) files_.remove(backup / name);
  }
  for (const std::string& name : names) {
    if (!is_regular_file(files_, directory_ / name)) continue;
    const std::string data = files_.read(directory_ / name).value_or("");
    if (files_.read(backup / name) != data) write(backup / name, data);
  }
}

void Cache::back_up(const fs::path& backup) {
  if (overlap(directory_, backup)) {
    log_.warning(cat("No backup: ", backup.string(), " and the cache lie in each other"));
    return;
  }
  try {
    copy_to(backup);
  } catch (const Error& error) {
    log_.warning(cat("Could not back up the cache: ", error.what()));
  }
}

}  // namespace hearth::agent
