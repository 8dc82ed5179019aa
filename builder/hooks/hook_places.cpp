#include "builder/hooks/hook_places.hpp"

#include <cctype>

#include "base/text.hpp"

namespace hearth::builder {

namespace {

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("._-+").find(c) != std::string_view::npos;
}

std::string told_from(const fs::path& path, const fs::path& start) {
  const std::string prefix = cat(start.string(), "/");
  const std::string full = path.string();
  return !start.empty() && full.starts_with(prefix) ? full.substr(prefix.size()) : full;
}

/// "50-web: line 6" ends where its place does, and so does "50-web:6".
std::size_t end_of_words(std::string_view rest, std::string& number) {
  static constexpr std::string_view k_line = ": line ";
  if (!rest.starts_with(k_line)) return 0;
  std::size_t end = k_line.size();
  while (end < rest.size() && std::isdigit(static_cast<unsigned char>(rest[end])) != 0) number += rest[end++];
  return number.empty() ? 0 : end;
}

}  // namespace

std::string with_elements_places(std::string line, const HookTree& hooks, const std::vector<std::string>& merged,
                                 const fs::path& start) {
  for (const std::string& place : merged) {
    const std::string prefix = cat(place, "/");
    for (std::size_t at = line.find(prefix); at != std::string::npos; at = line.find(prefix, at)) {
      const std::size_t begin = at;
      std::size_t end = at + prefix.size();
      while (end < line.size() && (is_of_name(line[end]) || line[end] == '/')) ++end;
      const std::string path = line.substr(begin + prefix.size(), end - begin - prefix.size());
      at = end;
      const std::size_t slash = path.find('/');
      if (slash == std::string::npos) continue;
      const auto& entries = hooks.directory(path.substr(0, slash));
      const auto found = entries.find(path.substr(slash + 1));
      if (found == entries.end()) continue;
      std::string number;
      end += end_of_words(std::string_view(line).substr(end), number);
      const std::string told = cat(told_from(found->second.path, start), number.empty() ? "" : cat(":", number));
      line.replace(begin, end - begin, told);
      at = begin + told.size();
    }
  }
  return line;
}

}  // namespace hearth::builder
