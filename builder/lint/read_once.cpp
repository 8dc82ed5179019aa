#include "builder/lint/read_once.hpp"

#include <algorithm>

namespace hearth::builder {

namespace {

constexpr std::size_t k_largest_kept = std::size_t{256} << 10U;

/// What `ask` throws is asked for again.
template <typename Known, typename Ask>
const Known& known_or(std::map<std::string, Known>& all, const fs::path& path, const Ask& ask) {
  const auto found = all.find(path.string());
  return found != all.end() ? found->second : all.emplace(path.string(), ask()).first->second;
}

}  // namespace

/// The directory that it would lie in was listed, and has no such name. Most of what is asked for of an element is not
/// there.
bool ReadOnce::is_known_to_miss(const fs::path& path) const {
  const std::string name = path.filename().string();
  if (name.empty() || name == "." || name == "..") return false;
  const auto listed = names_.find(path.parent_path().string());
  return listed != names_.end() && !std::binary_search(listed->second.begin(), listed->second.end(), name);
}

std::optional<std::string> ReadOnce::read(const fs::path& path) const {
  if (is_known_to_miss(path)) return std::nullopt;
  const auto found = texts_.find(path.string());
  if (found != texts_.end()) return found->second;
  std::optional<std::string> text = files_.read(path);
  if (!text || text->size() <= k_largest_kept) texts_.emplace(path.string(), text);
  return text;
}

std::optional<FileStatus> ReadOnce::status(const fs::path& path) const {
  if (is_known_to_miss(path)) return std::nullopt;
  return known_or(statuses_, path, [&] { return files_.status(path); });
}

std::vector<std::string> ReadOnce::list(const fs::path& directory) const {
  if (is_known_to_miss(directory)) return {};
  return known_or(names_, directory, [&] { return files_.list(directory); });
}

}  // namespace hearth::builder
