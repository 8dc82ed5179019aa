#include "builder/layers/hook_entries.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "builder/plan/build_plan.hpp"

namespace hearth::builder {

bool is_of_scripts(const std::string& directory) {
  return directory == "environment.d" ||
         (directory.ends_with(".d") && parse_phase(directory.substr(0, directory.size() - 2)).has_value());
}

fs::path hook_entry(const HookTree& hooks, const std::string& path) {
  fs::path last;
  for (const fs::path& source : hooks.sources(path)) {
    boost::system::error_code failed;
    if (fs::exists(fs::symlink_status(source, failed))) last = source;
  }
  return last;
}

std::string look_of_entry(const fs::path& entry) {
  boost::system::error_code failed;
  const fs::file_status status = fs::symlink_status(entry, failed);
  if (status.type() == fs::symlink_file) return cat(" -> ", fs::read_symlink(entry, failed).string());
  if (status.type() != fs::regular_file) return "/";
  return cat(" ", static_cast<unsigned>(status.permissions()), " ", fs::file_size(entry, failed));
}

std::string told_of_entry(const fs::path& entry) {
  boost::system::error_code failed;
  const fs::file_status status = fs::symlink_status(entry, failed);
  if (status.type() != fs::regular_file) return entry.empty() ? "" : look_of_entry(entry);
  const bool is_program = (static_cast<unsigned>(status.permissions()) & 0111U) != 0;
  return cat(is_program ? "x" : "", fs::file_size(entry, failed) == 0 ? "0" : "");
}

bool is_link(const fs::path& path) {
  boost::system::error_code failed;
  return fs::is_symlink(fs::symlink_status(path, failed));
}

namespace {

/// Where a link that lies in `directory` leads among the hooks; empty where what is read by it has another path.
std::string way_of(const HookTree& hooks, const fs::path& directory, const fs::path& target) {
  if (target.is_absolute()) return "";
  const fs::path to = (directory / target).lexically_normal();
  fs::path above;
  for (const fs::path& name : to) {
    above /= name;
    if (name == ".." || is_link(hook_entry(hooks, above.string()))) return "";
  }
  const bool is_directory_of_all = hooks.directories().count(to.string()) > 0;
  return is_directory_of_all || !hook_entry(hooks, to.string()).empty() ? to.string() : "";
}

}  // namespace

std::map<std::string, HookLink> links_among(const HookTree& hooks,
                                            const std::function<std::vector<std::string>(const std::string&)>& names) {
  std::map<std::string, HookLink> links;
  const std::function<void(const std::string&)> add = [&](const std::string& directory) {
    for (const std::string& name : names(directory)) {
      const std::string path = cat(directory, "/", name);
      const fs::path entry = hook_entry(hooks, path);
      boost::system::error_code none;
      const fs::path target = fs::read_symlink(entry, none);
      if (!target.empty()) {
        links.emplace(path, HookLink{target.string(), way_of(hooks, directory, target)});
      } else if (fs::is_directory(entry, none)) {
        add(path);
      }
    }
  };
  for (const auto& [directory, entries] : hooks.directories()) {
    if (!is_of_scripts(directory)) add(directory);
  }
  return links;
}

}  // namespace hearth::builder
