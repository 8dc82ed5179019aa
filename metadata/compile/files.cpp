#include "metadata/compile/files.hpp"

namespace hearth::metadata {

std::string relative_to(const std::string& from, const std::string& reference) {
  if (reference.empty() || reference.front() == '/' || reference.find("://") != std::string::npos) return reference;
  const std::size_t scheme = from.find("://");
  const std::string prefix = scheme == std::string::npos ? "" : from.substr(0, scheme + 3);
  const std::size_t slash = from.rfind('/');
  const std::string directory = slash == std::string::npos ? "" : from.substr(prefix.size(), slash + 1 - prefix.size());
  return prefix + fs::path(directory + reference).lexically_normal().string();
}

std::optional<std::string> DiskFiles::read(const std::string& name) { return reader_.read(name); }

std::string DiskFiles::resolve(const std::string& from, const std::string& reference) {
  return relative_to(from, reference.rfind("file://", 0) == 0 ? reference.substr(7) : reference);
}

std::vector<std::string> DiskFiles::beside(const std::string& name) {
  const fs::path directory = fs::path(name).parent_path();
  try {
    return reader_.list(directory.empty() ? fs::path(".") : directory);
  } catch (const Error&) {  // whoever asks only wants to advise
    return {};
  }
}

std::optional<std::string> MapFiles::read(const std::string& name) {
  const auto found = files_.find(name);
  return found == files_.end() ? std::nullopt : std::optional<std::string>(found->second);
}

std::vector<std::string> MapFiles::beside(const std::string& name) {
  const auto above = [](const std::string& path) { return path.substr(0, path.rfind('/') + 1); };
  std::vector<std::string> names;
  for (const auto& [each, text] : files_) {
    if (above(each) == above(name)) names.push_back(each);
  }
  return names;
}

std::string MapFiles::resolve(const std::string& from, const std::string& reference) {
  return files_.count(reference) > 0 ? reference : relative_to(from, reference);
}

}  // namespace hearth::metadata
