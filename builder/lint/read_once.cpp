#include "builder/lint/read_once.hpp"

namespace hearth::builder {

namespace {

/// What `ask` throws is asked for again.
template <typename Known, typename Ask>
const Known& known_or(std::map<std::string, Known>& all, const fs::path& path, const Ask& ask) {
  const auto found = all.find(path.string());
  return found != all.end() ? found->second : all.emplace(path.string(), ask()).first->second;
}

}  // namespace

std::optional<std::string> ReadOnce::read(const fs::path& path) const {
  return known_or(texts_, path, [&] { return files_.read(path); });
}

std::optional<FileStatus> ReadOnce::status(const fs::path& path) const {
  return known_or(statuses_, path, [&] { return files_.status(path); });
}

std::vector<std::string> ReadOnce::list(const fs::path& directory) const {
  return known_or(names_, directory, [&] { return files_.list(directory); });
}

}  // namespace hearth::builder
