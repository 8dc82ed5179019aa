#include "builder/lint/package_lists.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "builder/packages/package_map.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_apt_lists = "/var/lib/apt/lists";

/// Those of the release: its own, updates and security, plain or compressed.
std::vector<fs::path> lists_in(const FileReader& files, const fs::path& directory, const std::string& architecture,
                               const std::string& release) {
  std::vector<fs::path> lists;
  for (const std::string& name : files.list(directory)) {
    const bool is_list = name.find(cat("_binary-", architecture, "_Packages")) != std::string::npos;
    const bool is_ours = name.find(cat("_dists_", release, "_")) != std::string::npos ||
                         name.find(cat("_dists_", release, "-")) != std::string::npos;
    if (is_list && is_ours) lists.push_back(directory / name);
  }
  return lists;
}

}  // namespace

std::string host_release(const FileReader& files, const std::string& distro) {
  std::string id;
  std::string codename;
  for (const std::string& line : split_lines(files.read("/etc/os-release").value_or(""))) {
    if (line.starts_with("ID=")) id = line.substr(3);
    if (line.starts_with("VERSION_CODENAME=")) codename = line.substr(17);
  }
  return id == distro ? codename : "";
}

std::vector<fs::path> package_lists(const FileReader& files, const fs::path& cache, const std::string& architecture,
                                    const PackagedSystem& system) {
  const fs::path cached = cache / "apt" / system.distro / cat("lists-", system.release, "-", architecture);
  std::vector<fs::path> lists = lists_in(files, cached, architecture, system.release);
  return lists.empty() ? lists_in(files, k_apt_lists, architecture, system.release) : lists;
}

std::vector<PackagedSystem> listed_systems(const FileReader& files, const fs::path& cache,
                                           const std::string& architecture) {
  std::vector<PackagedSystem> systems;
  for (const char* distro : {"debian", "ubuntu"}) {
    std::set<std::string> releases = {host_release(files, distro)};
    for (const std::string& name : files.list(cache / "apt" / distro)) {
      const std::string end = cat("-", architecture);
      if (name.starts_with("lists-") && name.ends_with(end))
        releases.insert(name.substr(6, name.size() - 6 - end.size()));
    }
    for (const std::string& release : releases) {
      if (release.empty()) continue;
      PackagedSystem system{distro, release};
      const std::vector<fs::path> lists = package_lists(files, cache, architecture, system);
      const bool has_main = std::any_of(lists.begin(), lists.end(), [&](const fs::path& list) {
        return list.filename().string().find(cat("_dists_", release, "_main_")) != std::string::npos;
      });
      if (has_main) systems.push_back(std::move(system));
    }
  }
  return systems;
}

void add_package_names(std::string_view list, std::unordered_set<std::string>& names) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find('\n', at), list.size());
    const std::string_view line = list.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("Package: ")) {
      names.emplace(trim(line.substr(9)));
    } else if (line.starts_with("Provides: ")) {
      for (const std::string& each : split(line.substr(10), ',')) {
        const std::vector<std::string> words = split_words(each);
        if (!words.empty()) names.insert(words.front().substr(0, words.front().find(':')));
      }
    }
  }
}

std::string plain_package(const std::string& word) {
  const std::string name = word.substr(0, word.find_first_of(":=/"));
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
  });
  const bool begins = !name.empty() && std::isalnum(static_cast<unsigned char>(name.front())) != 0;
  return plain && begins && !name.ends_with("-") && !name.ends_with("+") ? name : "";
}

std::vector<std::string> names_behind(const FileReader& files, const fs::path& map, const std::string& name,
                                      const PackagedSystem& system) {
  const std::optional<std::string> text = files.read(map);
  if (!text) return {name};
  const Result<PackageMap> names = PackageMap::parse(*text, map.string(), system.distro, system.release);
  if (!names.ok()) return {};
  return names.value().find(name).value_or(std::vector<std::string>{name});
}

bool is_named_in(const FileReader& files, const fs::path& directory, std::string_view word, int depth) {
  for (const std::string& name : files.list(directory)) {
    const fs::path path = directory / name;
    const std::optional<FileStatus> status = files.status(path);
    if (!status) continue;
    if (status->type == FileStatus::Type::directory) {
      if (depth > 0 && is_named_in(files, path, word, depth - 1)) return true;
    } else if (status->type == FileStatus::Type::regular) {
      if (files.read(path).value_or("").find(word) != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace hearth::builder
