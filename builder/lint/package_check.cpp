#include "builder/lint/package_check.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/lint/hook_installs.hpp"
#include "builder/lint/package_lists.hpp"
#include "builder/packages/packed_text.hpp"

namespace hearth::builder {

namespace {

struct Wanted {
  std::string name;
  fs::path file;
  int line = 0;
};

/// What is bootstrapped, as far as the elements' names and the caller's variables tell.
std::optional<PackagedSystem> system_of(const FileReader& files, const BuildPlan& plan,
                                        const Environment& environment) {
  PackagedSystem system;
  for (const char* distro : {"debian", "ubuntu"}) {
    if (plan.elements.find(cat(distro, "-minimal")) != nullptr) system.distro = distro;
  }
  if (system.distro.empty()) return std::nullopt;
  system.release = variable(environment, "DIB_RELEASE");
  if (system.release.empty()) system.release = host_release(files, system.distro);
  if (system.release.empty()) return std::nullopt;
  return system;
}

/// Whether packages may come from repositories that no list here is of.
bool has_further_sources(const FileReader& files, const BuildPlan& plan, const Environment& environment) {
  if (!variable(environment, "DIB_APT_SOURCES_CONF").empty() || !variable(environment, "DIB_APT_SOURCES").empty()) {
    return true;
  }
  const auto& elements = plan.elements.elements;
  return std::any_of(elements.begin(), elements.end(), [&](const Element& element) {
    return !element.built_in && (is_named_in(files, element.path, "sources.list", 2) ||
                                 is_named_in(files, element.path, "add-apt-repository", 2));
  });
}

std::vector<std::string> mapped(const FileReader& files, const PackageEntry& entry, const BuildPlan& plan,
                                const PackagedSystem& system) {
  const Element* const element = plan.elements.find(entry.element);
  if (element == nullptr) return {entry.package};
  return names_behind(files, element->path / "pkg-map", entry.package, system);
}

/// Whether a package counts of whose conditions nobody knows yet: environment.d is yet to set their variables.
enum class Undecided { passed_over, taken };

std::vector<Wanted> wanted_packages(const FileReader& files, const ImageRequest& request, const BuildPlan& plan,
                                    const PackagedSystem& system, Undecided undecided = Undecided::passed_over) {
  Environment environment = request.environment;
  environment["ARCH"] = request.architecture;
  environment["DISTRO_NAME"] = system.distro;
  environment["DIB_RELEASE"] = system.release;
  environment.emplace("DIB_DEFAULT_INSTALLTYPE", request.install_type);
  std::vector<Wanted> wanted;
  for (const PackageEntry& entry : plan.packages) {
    if (entry.action == PackageEntry::Action::uninstall) continue;
    try {
      const bool is_taken = undecided == Undecided::taken;
      if (choose_packages({is_taken ? for_any_build(entry) : entry}, environment).empty()) continue;
    } catch (const Error&) {
      if (undecided == Undecided::passed_over) continue;
    }
    for (const std::string& name : mapped(files, entry, plan, system))
      wanted.push_back({name, entry.file, entry.at.line});
  }
  for (const std::string& name : request.packages) wanted.push_back({name, "-p", 0});
  return wanted;
}

/// Whether a name that the lists lack is in no repository of the build's either: they are of the mirror that it asks
/// and of its components, and the release gets no new packages from day to day.
bool are_whole(const std::vector<fs::path>& lists, const PackagedSystem& system, const Environment& environment) {
  static const std::set<std::string_view> moving = {"sid", "unstable", "testing", "experimental", "devel"};
  if (moving.count(system.release) > 0 || !variable(environment, "DIB_DEBIAN_COMPONENTS").empty() ||
      !variable(environment, "DIB_UBUNTU_COMPONENTS").empty())
    return false;
  std::string mirror = variable(environment, "DIB_DISTRIBUTION_MIRROR");
  if (mirror.empty()) return true;
  if (const std::size_t host = mirror.find("://"); host != std::string::npos) mirror.erase(0, host + 3);
  while (mirror.ends_with('/')) mirror.pop_back();
  const std::string begin = cat(replace_all(mirror, "/", "_"), "_dists_");
  return std::any_of(lists.begin(), lists.end(),
                     [&](const fs::path& list) { return list.filename().string().starts_with(begin); });
}

/// environment.d may name another repository than the caller.
bool names_repositories(const FileReader& files, const BuildPlan& plan) {
  const auto& elements = plan.elements.elements;
  return std::any_of(elements.begin(), elements.end(), [&](const Element& element) {
    const auto named = [&](const char* word) { return is_named_in(files, element.path / "environment.d", word, 0); };
    return !element.built_in && (named("DIB_RELEASE") || named("_MIRROR") || named("_COMPONENTS"));
  });
}

/// Hooks may bring a repository by a package of it, by a key and a file, or by somebody's script.
bool brings_packages(const FileReader& files, const BuildPlan& plan) {
  const auto& elements = plan.elements.elements;
  return std::any_of(elements.begin(), elements.end(), [&](const Element& element) {
    const auto named = [&](const char* word) { return is_named_in(files, element.path, word, 2); };
    return !element.built_in && (named("dpkg") || named("apt") || named("extrepo") || named("curl") || named("wget"));
  });
}

}  // namespace

std::vector<std::string> packages_behind(const FileReader& files, const BuildPlan& plan, const Environment& environment,
                                         const PackageEntry& entry) {
  const std::optional<PackagedSystem> system = system_of(files, plan, environment);
  return system ? mapped(files, entry, plan, *system) : std::vector<std::string>{entry.package};
}

std::vector<Finding> unknown_packages(const FileReader& files, const ImageRequest& request, const BuildPlan& plan,
                                      std::vector<std::string>& known) {
  const std::optional<PackagedSystem> system = system_of(files, plan, request.environment);
  if (!system || has_further_sources(files, plan, request.environment)) return {};
  const auto memory = [&](const std::string& name) {
    return cat("package ", system->distro, " ", system->release, " ", name);
  };
  const std::set<std::string> seen(known.begin(), known.end());
  std::vector<Wanted> open = wanted_packages(files, request, plan, *system);
  for (Wanted& each : open) each.name = plain_package(each.name);
  std::erase_if(open, [&](const Wanted& each) { return each.name.empty() || seen.count(memory(each.name)) > 0; });
  if (open.empty()) return {};
  std::unordered_set<std::string> names;
  const std::vector<fs::path> lists = package_lists(files, request.cache, request.architecture, *system);
  bool has_main = false;
  bool all_read = true;
  for (const fs::path& list : lists) {
    const std::optional<std::string> text = unpacked_text(files.read(list).value_or(""));
    add_package_names(text.value_or(""), names);
    all_read = all_read && text.has_value();
    has_main =
        has_main || list.filename().string().find(cat("_dists_", system->release, "_main_")) != std::string::npos;
  }
  if (names.empty()) return {};
  const bool is_certain = has_main && all_read && are_whole(lists, *system, request.environment) &&
                          !names_repositories(files, plan) && !brings_packages(files, plan);
  std::vector<Finding> found;
  for (const Wanted& each : open) {
    if (names.count(each.name) > 0) {
      known.push_back(memory(each.name));
      continue;
    }
    const auto near = nearest(each.name, {names.begin(), names.end()});
    const bool is_file = each.file == "-p" && files.read(request.start_directory / each.name).has_value();
    found.push_back({each.file, each.line, is_certain ? Severity::error : Severity::warning, "package",
                     cat(each.name, " is in no repository of ", system->distro, " ", system->release,
                         is_file            ? cat("; for the names in that file: -p @", each.name)
                         : near.has_value() ? cat("; did you mean ", *near, "?")
                                            : "")});
  }
  return found;
}

namespace {

/// Programs that scripts are for, which are in no base system, and whose package brings each.
constexpr std::array<std::pair<std::string_view, const char*>, 10> k_interpreters = {{{"python3", "python3-minimal"},
                                                                                      {"ruby", "ruby"},
                                                                                      {"node", "nodejs"},
                                                                                      {"tclsh", "tcl"},
                                                                                      {"zsh", "zsh"},
                                                                                      {"fish", "fish"},
                                                                                      {"ksh", "ksh"},
                                                                                      {"tcsh", "tcsh"},
                                                                                      {"php", "php-cli"},
                                                                                      {"expect", "expect"}}};

/// Of lists: what each package needs, and which provide a name.
class PackageGraph {
 public:
  void add_list(std::string_view list) {
    std::string package;
    for (std::size_t at = 0; at < list.size();) {
      const std::size_t end = std::min(list.find('\n', at), list.size());
      const std::string_view line = list.substr(at, end - at);
      at = end + 1;
      const auto value = [&](std::string_view field) {
        return line.starts_with(field) ? std::optional(line.substr(field.size())) : std::nullopt;
      };
      if (const auto name = value("Package: ")) {
        package = trim(*name);
        needs_[package];
      } else if (value("Essential: yes")) {
        essential_.push_back(package);
      } else if (const auto pre = value("Pre-Depends: ")) {
        needs_[package] += cat(",", *pre);
      } else if (const auto other = value("Depends: ")) {
        needs_[package] += cat(",", *other);
      } else if (const auto provided = value("Provides: ")) {
        for (const std::string& each : split(*provided, ',')) providers_[first_word(each)].push_back(package);
      }
    }
  }

  [[nodiscard]] bool knows(const std::string& name) const { return needs_.contains(name) || providers_.contains(name); }

  /// Whether `package` comes with these or the base system. Of alternatives apt takes the first that is a package.
  [[nodiscard]] bool is_reached(const std::string& package, std::vector<std::string> names) const {
    names.insert(names.end(), essential_.begin(), essential_.end());
    names.emplace_back("apt");
    std::unordered_set<std::string> seen;
    while (!names.empty()) {
      const std::string name = std::move(names.back());
      names.pop_back();
      if (!seen.insert(name).second) continue;
      if (name == package) return true;
      if (const auto virtual_one = providers_.find(name); !needs_.contains(name) && virtual_one != providers_.end())
        names.insert(names.end(), virtual_one->second.begin(), virtual_one->second.end());
      const auto found = needs_.find(name);
      for (const std::string& need : found == needs_.end() ? Names() : split(found->second, ',')) {
        for (const std::string& choice : split(need, '|')) {
          names.push_back(first_word(choice));
          if (needs_.contains(names.back())) break;
        }
      }
    }
    return false;
  }

 private:
  using Names = std::vector<std::string>;

  /// "python3:any (>= 3.9)" → "python3".
  static std::string first_word(const std::string& text) {
    const std::vector<std::string> words = split_words(text);
    return words.empty() ? "" : words.front().substr(0, words.front().find(':'));
  }

  std::unordered_map<std::string, std::string> needs_;
  std::unordered_map<std::string, Names> providers_;
  Names essential_;
};

/// "#!/usr/bin/env -S python3 -u" → "python3".
std::string interpreter_of(const std::string& text) {
  if (!text.starts_with("#!")) return "";
  std::vector<std::string> words = split_words(text.substr(2, text.find('\n') - 2));
  if (!words.empty() && words.front().ends_with("/env")) {
    words.erase(words.begin());
    while (!words.empty() && words.front().starts_with("-")) words.erase(words.begin());
  }
  return words.empty() ? "" : words.front().substr(words.front().rfind('/') + 1);
}

/// Scripts of an element that start in the image, with the program that each is for.
void add_scripts(const FileReader& files, const fs::path& directory, int depth,
                 std::vector<std::pair<fs::path, std::string>>& scripts) {
  for (const std::string& name : files.list(directory)) {
    const fs::path path = directory / name;
    const std::optional<FileStatus> status = files.status(path);
    if (!status || name == ".git" || name == "test-elements") continue;
    if (status->type == FileStatus::Type::directory && depth > 0) add_scripts(files, path, depth - 1, scripts);
    if (status->type != FileStatus::Type::regular || (status->mode & 0111U) == 0) continue;
    if (std::string program = interpreter_of(files.read(path).value_or("")); !program.empty())
      scripts.emplace_back(path, std::move(program));
  }
}

std::vector<std::pair<fs::path, std::string>> scripts_in_image(const FileReader& files, const BuildPlan& plan) {
  constexpr int k_deepest = 8;
  std::vector<std::pair<fs::path, std::string>> scripts;
  for (const Element& element : plan.elements.elements) {
    if (element.built_in) continue;
    for (const PhaseInfo& phase : k_phases) {
      if (phase.place == Place::target) add_scripts(files, element.path / directory_name(phase.phase), 1, scripts);
    }
    for (const char* part : {"static", "os-refresh-config"})
      add_scripts(files, element.path / part, k_deepest, scripts);
  }
  return scripts;
}

/// The packages that any list may ask for, in order.
std::vector<std::string> all_asked(const FileReader& files, const ImageRequest& request, const BuildPlan& plan,
                                   const PackagedSystem& system) {
  std::set<std::string> names;
  for (const Wanted& each : wanted_packages(files, request, plan, system, Undecided::taken))
    names.insert(plain_package(each.name));
  return {names.begin(), names.end()};
}

std::string package_of(const std::string& program) {
  const auto found = std::find_if(k_interpreters.begin(), k_interpreters.end(),
                                  [&](const auto& each) { return each.first == program; });
  return found == k_interpreters.end() ? std::string() : found->second;
}

/// Nothing where a list can't be read.
std::optional<PackageGraph> package_graph(const FileReader& files, const std::vector<fs::path>& lists) {
  PackageGraph graph;
  for (const fs::path& list : lists) {
    const std::optional<std::string> text = unpacked_text(files.read(list).value_or(""));
    if (!text) return std::nullopt;
    graph.add_list(*text);
  }
  return graph;
}

}  // namespace

std::vector<Finding> missing_interpreters(const FileReader& files, const ImageRequest& request, const BuildPlan& plan,
                                          std::vector<std::string>& known) {
  const std::optional<PackagedSystem> system = system_of(files, plan, request.environment);
  if (!system || !variable(request.environment, "DIB_DEBOOTSTRAP_EXTRA_ARGS").empty()) return {};
  std::vector<std::pair<fs::path, std::string>> scripts = scripts_in_image(files, plan);
  std::erase_if(scripts, [&](const auto& script) { return package_of(script.second).empty(); });
  if (scripts.empty()) return {};
  std::optional<std::vector<std::string>> by_hooks = installed_by_hooks(files, plan);
  if (!by_hooks) return {};
  std::vector<std::string> asked = all_asked(files, request, plan, *system);
  asked.insert(asked.end(), by_hooks->begin(), by_hooks->end());
  const std::string asking = hex_digest(HashKind::sha256, join(asked, " "));
  const auto memory = [&](const std::string& program) {
    return cat("program ", system->distro, " ", system->release, " ", program, " ", asking);
  };
  const std::set<std::string> seen(known.begin(), known.end());
  std::erase_if(scripts, [&](const auto& script) { return seen.count(memory(script.second)) > 0; });
  if (scripts.empty()) return {};
  const std::optional<PackageGraph> graph =
      package_graph(files, package_lists(files, request.cache, request.architecture, *system));
  const bool is_known =
      graph && std::all_of(asked.begin(), asked.end(), [&](const auto& name) { return graph->knows(name); });
  if (!is_known) return {};
  std::vector<Finding> found;
  for (const auto& [path, program] : scripts) {
    const std::string package = package_of(program);
    if (!graph->knows(package)) continue;
    if (graph->is_reached(package, asked)) {
      if (const std::string here = memory(program); known.empty() || known.back() != here) known.push_back(here);
      continue;
    }
    found.push_back(
        {path, 1, Severity::warning, "interpreter",
         cat("it is for ", program, ", which no package of this image brings; ",
             program == "node" || program == "php" ? package : program, ": in a package-installs.yaml does")});
  }
  return found;
}

}  // namespace hearth::builder
