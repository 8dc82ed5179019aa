#include "base/sys/heat_hooks.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>

#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::string_view k_hooks_place = "heat-config/hooks";
constexpr int k_hooks_depth = 8;                         ///< static/usr/libexec/heat-config/hooks/GROUP, and room
constexpr std::uint64_t k_largest_script = 1ULL << 20U;  ///< what is larger names no place

bool has_whole_word(std::string_view text, std::string_view word) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
  }
  return false;
}

using Visit = std::function<bool(const fs::path& file, const FileStatus& status)>;

/// Visits the files of an element until a visit has found what it looks for. Whether one has.
bool find_below(const FileReader& files, const fs::path& directory, int depth, const Visit& visit) {
  const std::vector<std::string> names = files.list(directory);
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const fs::path path = directory / name;
    const std::optional<FileStatus> status = files.status(path);
    if (!status || name == ".git" || name.starts_with("README")) return false;
    if (status->type == FileStatus::Type::directory) return depth > 0 && find_below(files, path, depth - 1, visit);
    return status->type == FileStatus::Type::regular && visit(path, *status);
  });
}

bool is_hook_file(const fs::path& file) { return file.parent_path().string().ends_with(cat("/", k_hooks_place)); }

}  // namespace

const std::vector<std::string>& agents_hooks() {
  static const std::vector<std::string> groups = {"script",   "puppet",  "hiera", "json-file",  "apply-config",
                                                  "cfn-init", "ansible", "chef",  "docker-cmd", "docker-compose"};
  return groups;
}

bool needs_no_hook(const std::string& group) {
  return group.empty() || group == "os-apply-config" || group == "component" || group == "Heat::Ungrouped";
}

bool brings_hook(const FileReader& files, const fs::path& element, const std::string& group) {
  return !group.empty() &&
         find_below(files, element, k_hooks_depth, [&](const fs::path& file, const FileStatus& status) {
           if (is_hook_file(file) && file.filename() == group) return true;
           if (status.size > k_largest_script) return false;
           const std::string text = files.read(file).value_or("");
           return text.find(k_hooks_place) != std::string::npos && has_whole_word(text, group);
         });
}

std::vector<fs::path> hook_files(const FileReader& files, const fs::path& element) {
  std::vector<fs::path> found;
  find_below(files, element, k_hooks_depth, [&](const fs::path& file, const FileStatus&) {
    if (is_hook_file(file)) found.push_back(file);
    return false;
  });
  return found;
}

bool brings_hook_in(const FileReader& files, const std::string& elements_path, const std::string& group) {
  for (const std::string& directory : split(elements_path, ':')) {
    if (directory.empty()) continue;
    for (const std::string& element : files.list(directory)) {
      if (is_directory(files, fs::path(directory) / element) &&
          brings_hook(files, fs::path(directory) / element, group))
        return true;
    }
  }
  return false;
}

}  // namespace hearth
