#include "builder/inspect/file_tree.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"

namespace hearth::builder {

std::optional<std::string> FileTree::text(const std::string& path) const {
  const auto found = texts.find(path);
  if (found != texts.end()) return found->second;
  const auto entry = entries.find(path);
  if (entry == entries.end() || entry->second.kind != 'l') return std::nullopt;
  const std::string& target = entry->second.content;
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "" : path.substr(0, slash);
  std::vector<std::string> parts;
  for (const std::string& part : split(target.starts_with('/') ? target : cat(directory, "/", target), '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else {
      parts.push_back(part);
    }
  }
  const auto there = texts.find(join(parts, "/"));
  return there == texts.end() ? std::nullopt : std::optional(there->second);
}

bool keep_text(std::string_view path) {
  static constexpr std::array<std::string_view, 6> names = {
      "etc/os-release", "usr/lib/os-release", "etc/hostname", "etc/fstab", "var/lib/dpkg/status", "boot/grub/grub.cfg"};
  static constexpr std::array<std::string_view, 3> own = {"boot/", "usr/",
                                                          "var/"};  // a file system may have these alone
  const auto is_one = [](const std::string& each) {
    return std::find(names.begin(), names.end(), each) != names.end() || each.starts_with("etc/dib-manifests/") ||
           (each.starts_with("var/lib/dpkg/info/") && each.ends_with(".list"));
  };
  return is_one(std::string(path)) ||
         std::any_of(own.begin(), own.end(), [&](std::string_view top) { return is_one(cat(top, path)); });
}

void graft(FileTree& tree, const std::string& at, const FileTree& inner) {
  const std::string below = at.empty() ? "" : cat(at, "/");
  for (auto it = tree.entries.lower_bound(below); !below.empty() && it != tree.entries.end();) {
    if (!it->first.starts_with(below)) break;
    it = tree.entries.erase(it);
  }
  for (const auto& [path, entry] : inner.entries) tree.entries[path.empty() ? at : cat(below, path)] = entry;
  for (const auto& [path, text] : inner.texts) tree.texts[cat(below, path)] = text;
}

std::optional<std::string> normal_path(std::string_view name) {
  std::vector<std::string> parts;
  for (const std::string& part : split(name, '/')) {
    if (part == "..") return std::nullopt;
    if (!part.empty() && part != ".") parts.push_back(part);
  }
  return join(parts, "/");
}

}  // namespace hearth::builder
