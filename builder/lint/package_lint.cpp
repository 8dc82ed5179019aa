#include "builder/lint/package_lint.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "builder/elements/dependency_graph.hpp"
#include "builder/packages/package_installs.hpp"
#include "builder/packages/package_map.hpp"
#include "builder/packages/packed_text.hpp"

namespace hearth::builder {

namespace {

/// The line that has the word; 0 where none has.
int line_with(const std::string& text, const std::string& word) {
  constexpr std::string_view k_within = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._";
  int number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      const bool begins = at == 0 || k_within.find(line[at - 1]) == std::string_view::npos;
      if (begins && (end == line.size() || k_within.find(line[end]) == std::string_view::npos)) return number;
    }
  }
  return 0;
}

/// Whether it, of those that an image may have beside Hearth's own, has packages come from elsewhere.
bool brings_repositories(const FileReader& files, const Element& element) {
  constexpr const char* k_words[] = {"sources.list", "add-apt-repository", "extrepo", "DIB_APT_SOURCES"};
  return !element.built_in && std::any_of(std::begin(k_words), std::end(k_words),
                                          [&](const char* word) { return is_named_in(files, element.path, word, 2); });
}

Environment conditions_of(const PackagedSystem& system, const std::string& architecture) {
  return {{"ARCH", architecture},
          {"DISTRO_NAME", system.distro},
          {"DIB_RELEASE", system.release},
          {"DIB_DEFAULT_INSTALLTYPE", "source"}};
}

}  // namespace

PackageLint::PackageLint(const FileReader& files, const Catalog& catalog, const fs::path& cache,
                         const std::string& architecture)
    : files_(files), catalog_(catalog), architecture_(architecture) {
  for (PackagedSystem& system : listed_systems(files, cache, architecture)) {
    std::vector<fs::path> lists = package_lists(files, cache, architecture, system);
    repositories_.push_back({std::move(system), std::move(lists)});
  }
}

std::vector<PackageLint::Repository*> PackageLint::repositories_for(const Element& element) {
  std::set<std::string> distributions;
  bool is_another = false;
  for (const auto& [name, node] : dependency_graph(catalog_, {element.name}).nodes) {
    const Element* const needed = name == element.name ? &element : catalog_.find(name);
    if (needed == nullptr) continue;
    if (brings_repositories(files_, *needed)) return {};
    if (std::count(needed->provides.begin(), needed->provides.end(), "operating-system") == 0) continue;
    if (name == "debian-minimal" || name == "ubuntu-minimal")
      distributions.insert(name.substr(0, 6));
    else
      is_another = true;
  }
  std::vector<Repository*> chosen;
  for (Repository& each : repositories_) {
    if (distributions.empty() ? !is_another : distributions.count(each.system.distro) > 0) chosen.push_back(&each);
  }
  return chosen;
}

/// What its sections for these systems name: those for all may be meant for others.
std::vector<PackageLint::Asked> PackageLint::asked_by_map(const fs::path& map,
                                                          const std::vector<Repository*>& among) const {
  const std::optional<std::string> text = files_.read(map);
  if (!text) return {};
  const auto for_all = PackageMap::parse(*text, map.string(), "", "");
  if (!for_all) return {};  // told with the data
  std::map<std::string, std::vector<Repository*>> found;
  for (Repository* const each : among) {
    const auto names = PackageMap::parse(*text, map.string(), each->system.distro, each->system.release);
    if (!names) return {};
    for (const auto& [name, packages] : names.value().names()) {
      if (for_all.value().find(name) == split_words(packages)) continue;
      for (const std::string& package : split_words(packages)) found[package].push_back(each);
    }
  }
  std::vector<Asked> asked;
  for (auto& [name, where] : found) asked.push_back({map, line_with(*text, name), name, std::move(where)});
  return asked;
}

std::vector<PackageLint::Asked> PackageLint::asked_by_lists(const Element& element,
                                                            const std::vector<Repository*>& among) const {
  std::vector<Asked> asked;
  for (const char* list : {"package-installs.yaml", "package-installs.json"}) {
    const fs::path file = element.path / list;
    const std::optional<std::string> text = files_.read(file);
    if (!text) continue;
    const auto entries = parse_package_installs(*text, file.string(), element.name);
    if (!entries) continue;  // told with the data
    for (const PackageEntry& entry : entries.value()) {
      if (entry.action == PackageEntry::Action::uninstall) continue;
      std::map<std::string, std::vector<Repository*>> found;
      for (Repository* const each : among) {
        if (choose_packages({for_any_build(entry)}, conditions_of(each->system, architecture_)).empty()) continue;
        for (const std::string& name : names_behind(files_, element.path / "pkg-map", entry.package, each->system))
          found[name].push_back(each);
      }
      for (auto& [name, where] : found) asked.push_back({file, entry.at.line, name, std::move(where)});
    }
  }
  return asked;
}

/// Where a list can't be read, anything may be in it.
bool PackageLint::has(Repository& repository, const std::string& name) const {
  if (repository.names.empty()) {
    for (const fs::path& list : repository.lists) {
      const std::optional<std::string> text = unpacked_text(files_.read(list).value_or(""));
      if (!text) return true;
      add_package_names(*text, repository.names);
    }
  }
  return repository.names.empty() || repository.names.count(name) > 0;
}

std::vector<Finding> PackageLint::unknown(const Element& element) {
  if (element.built_in || is_blind()) return {};
  const std::vector<Repository*> among = repositories_for(element);
  if (among.empty()) return {};
  std::vector<Asked> asked = asked_by_map(element.path / "pkg-map", among);
  std::set<std::string> mapped;
  for (const Asked& each : asked) mapped.insert(each.name);
  for (Asked& each : asked_by_lists(element, among)) {
    if (mapped.count(each.name) == 0) asked.push_back(std::move(each));
  }
  std::vector<Finding> found;
  for (const Asked& each : asked) {
    const std::string name = plain_package(each.name);
    const auto lists_it = [&](Repository* one) { return has(*one, name); };
    if (name.empty() || std::any_of(each.where.begin(), each.where.end(), lists_it)) continue;
    std::vector<std::string> systems;
    for (const Repository* one : each.where) systems.push_back(cat(one->system.distro, " ", one->system.release));
    const auto& names = each.where.front()->names;
    const std::optional<std::string> near = nearest(name, {names.begin(), names.end()});
    found.push_back({each.file, each.line, Severity::warning, "package",
                     cat(name, " is in no repository of ", join(systems, " or "),
                         near ? cat("; did you mean ", *near, "?")
                              : "; if it comes from another one, '# dib-lint: disable=package' says so")});
  }
  return found;
}

}  // namespace hearth::builder
