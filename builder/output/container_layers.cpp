#include "builder/output/container_layers.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <boost/filesystem/directory.hpp>
#include <map>
#include <unordered_map>

#include "base/error.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"
#include "builder/packages/dpkg_status.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_base = 0;
constexpr std::size_t k_packages = 1;
constexpr std::size_t k_rest = 2;
constexpr const char* k_dpkg_info = "var/lib/dpkg/info";

/// dpkg lists the names that packages have: /bin/sh, where bin is a link to usr/bin.
std::string real_name(const TreeReader& tree, std::map<std::string, std::string>& tops, const std::string& listed) {
  const std::string path = listed.substr(1);
  const std::size_t slash = path.find('/');
  if (slash == std::string::npos) return path;
  const std::string top = path.substr(0, slash);
  auto known = tops.find(top);
  if (known == tops.end()) {
    std::string leads_to = tree.link_text(top).value_or(top);
    leads_to.erase(0, leads_to.find_first_not_of('/'));
    known = tops.emplace(top, leads_to).first;
  }
  return cat(known->second, path.substr(slash));
}

/// Settings and what programs keep belong to the machine, even where a package brought the first version.
bool may_be_shared(const std::string& name) { return !name.starts_with("etc/") && !name.starts_with("var/"); }

/// Files of packages, and the layer of each.
std::unordered_map<std::string, std::size_t> packaged_files(const TreeReader& tree) {
  constexpr std::string_view suffix = ".list";
  std::unordered_map<std::string, std::size_t> layer_of;
  std::map<std::string, std::string> tops;
  const std::set<std::string> base = base_packages(tree.read("var/lib/dpkg/status").value_or(""));
  for (const std::string& file : tree.list(k_dpkg_info)) {
    if (!file.ends_with(suffix)) continue;
    const std::string package = file.substr(0, std::min(file.find(':'), file.size() - suffix.size()));
    const std::size_t layer = base.contains(package) ? k_base : k_packages;
    for (const std::string& listed : split_lines(tree.read(fs::path(k_dpkg_info) / file).value_or(""))) {
      if (!listed.starts_with('/')) continue;
      const std::string name = real_name(tree, tops, listed);
      if (may_be_shared(name)) layer_of.emplace(name, layer);
    }
  }
  return layer_of;
}

/// The files of a tree that packages brought.
class LayerWalk {
 public:
  explicit LayerWalk(std::unordered_map<std::string, std::size_t> packaged) : packaged_(std::move(packaged)) {}

  [[nodiscard]] bool any() const { return !packaged_.empty(); }

  void walk(const fs::path& directory, const std::string& name) {
    for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
      const std::string file = entry.path().filename().string();
      const std::string path = name.empty() ? file : cat(name, "/", file);
      struct stat status {};
      if (::lstat(entry.path().c_str(), &status) != 0) throw Error::from_errno("reading", entry.path().string());
      if (S_ISDIR(status.st_mode)) {
        walk(entry.path(), path);
      } else {
        place(path, status);
      }
    }
  }

  [[nodiscard]] std::vector<std::string> files_of(std::size_t layer) const {
    std::vector<std::string> names;
    for (const auto& [name, its] : single_) {
      if (its == layer) names.push_back(name);
    }
    for (const auto& [inode, links] : linked_) {
      if (links.layer == layer) names.insert(names.end(), links.names.begin(), links.names.end());
    }
    return names;
  }

 private:
  struct Links {
    std::size_t layer = 0;
    std::vector<std::string> names;
  };

  void place(const std::string& path, const struct stat& status) {
    const auto found = packaged_.find(path);
    const std::size_t layer = found == packaged_.end() ? k_rest : found->second;
    if (status.st_nlink < 2) {
      if (layer != k_rest) single_.emplace_back(path, layer);
      return;
    }
    Links& links = linked_[{status.st_dev, status.st_ino}];
    links.layer = std::max(links.layer, layer);
    links.names.push_back(path);
  }

  std::unordered_map<std::string, std::size_t> packaged_;
  std::vector<std::pair<std::string, std::size_t>> single_;
  std::map<std::pair<dev_t, ino_t>, Links> linked_;
};

/// The files, and the directories that they lie in.
std::set<std::string> with_directories(const std::vector<std::string>& files) {
  std::set<std::string> names(files.begin(), files.end());
  for (const std::string& file : files) {
    for (std::size_t at = file.rfind('/'); at != std::string::npos; at = file.rfind('/', at - 1)) {
      if (!names.insert(file.substr(0, at)).second) break;
    }
  }
  return names;
}

}  // namespace

std::set<std::string> base_packages(std::string_view status) {
  const std::map<std::string, InstalledPackage> all = parse_dpkg_status(status);
  std::set<std::string> base;
  std::vector<std::string> waiting;
  for (const auto& [name, package] : all) {
    if (package.is_base) waiting.push_back(name);
  }
  while (!waiting.empty()) {
    const std::string name = waiting.back();
    waiting.pop_back();
    const auto found = all.find(name);
    if (found == all.end() || !base.insert(name).second) continue;
    waiting.insert(waiting.end(), found->second.depends.begin(), found->second.depends.end());
  }
  return base;
}

std::vector<ContainerLayer> plan_container_layers(const fs::path& tree) {
  std::vector<ContainerLayer> layers;
  LayerWalk walk(packaged_files(TreeReader(tree)));
  std::set<std::string> shared;
  if (walk.any()) {
    walk.walk(tree, "");
    for (const auto& [layer, what] : {std::pair(k_base, "essential packages"), std::pair(k_packages, "packages")}) {
      const std::vector<std::string> files = walk.files_of(layer);
      if (files.empty()) continue;
      layers.push_back({what, false, with_directories(files)});
      shared.insert(files.begin(), files.end());
    }
  }
  layers.push_back({layers.empty() ? "the tree" : "settings, and what no package brought", true, std::move(shared)});
  return layers;
}

}  // namespace hearth::builder
