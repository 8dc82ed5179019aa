#include <algorithm>
#include <array>

#include "agent/cfn/init.hpp"
#include "agent/cfn/rpm_version.hpp"
#include "agent/value/value.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 5> k_first = {"dpkg", "rpm", "apt", "yum", "dnf"};

std::size_t rank(const std::string& manager) {
  return static_cast<std::size_t>(std::find(k_first.begin(), k_first.end(), manager) - k_first.begin());
}

Words in_order(const Json& packages) {
  Words names;
  for (const auto& [name, entries] : packages.items()) names.push_back(name);
  std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return to_lower(a) < to_lower(b);
  });
  return names;
}

/// The versions of one package: a text, or a list of texts.
Words versions_of(const Json& entry) {
  Words versions;
  if (entry.is_string() && is_set(&entry)) versions.push_back(entry.get<std::string>());
  if (!entry.is_array()) return versions;
  for (const Json& version : entry) versions.push_back(value_text(&version));
  return versions;
}

Words names_of(const Json& entries) {
  Words names;
  for (const auto& [name, versions] : entries.items()) names.push_back(name);
  return names;
}

void run_with(Words argv, const Words& more, const CfnWorld& world) {
  argv.insert(argv.end(), more.begin(), more.end());
  world.log.info(cat("Installing packages: ", join(more, " ")));
  if (run_logged(argv, world) != 0) world.log.warning(cat("Failed to install packages: ", join(more, " ")));
}

void apply_apt(const Json& entries, const CfnWorld& world) {
  Command command{.argv = {"apt-get", "-y", "install"}, .env = world.env};
  command.env->insert_or_assign("DEBIAN_FRONTEND", "noninteractive");
  for (const std::string& name : names_of(entries)) command.argv.push_back(name);
  if (run_logged(std::move(command), world) != 0) world.log.warning("Failed to install packages with apt-get");
}

void apply_gems(const Json& entries, const CfnWorld& world) {
  for (const auto& [name, entry] : entries.items()) {
    Words argv = {"gem", "install", "-b", "-y"};
    const Words versions = versions_of(entry);
    if (!versions.empty()) argv.insert(argv.end(), {"--version", versions.front()});
    run_with(std::move(argv), {name}, world);
  }
}

/// yum, dnf and zypper: each package is installed, upgraded or downgraded to the newest version that is named.
class RpmPackages {
 public:
  RpmPackages(std::string manager, const CfnWorld& world) : manager_(std::move(manager)), world_(world) {}

  void apply(const Json& entries) {
    for (const auto& [name, entry] : entries.items()) sort_in(name, newest_rpm_version(versions_of(entry)));
    if (!installs_.empty()) run_with(install_command(), installs_, world_);
    if (!downgrades_.empty()) run_with(downgrade_command(), downgrades_, world_);
  }

 private:
  void sort_in(const std::string& name, const std::string& version) {
    const std::string package = version.empty() ? name : cat(name, "-", version);
    if (run_logged({"rpm", "-q", package}, world_) == 0) return;
    if (run_logged(search_command(package), world_) != 0) {
      world_.log.warning(cat("Skipping package '", package, "'. Not available via ", manager_));
      return;
    }
    const std::string current = version.empty() ? "" : installed_version(name);
    const bool newer_is_there = !current.empty() && compare_rpm_versions(current, version) > 0;
    (newer_is_there ? downgrades_ : installs_).push_back(package);
  }

  std::string installed_version(const std::string& name) {
    const CommandResult result =
        world_.runner.run({.argv = {"rpm", "-q", "--queryformat", "%{VERSION}-%{RELEASE}", name}, .env = world_.env});
    return succeeded(result.status) ? result.out : "";
  }

  [[nodiscard]] Words search_command(const std::string& package) const {
    if (manager_ == "zypper") return {"zypper", "-n", "--no-refresh", "search", package};
    return {manager_, "-y", "--showduplicates", "list", "available", package};
  }
  [[nodiscard]] Words install_command() const {
    if (manager_ == "zypper") return {"zypper", "-n", "install"};
    if (manager_ == "dnf") return {"dnf", "-y", "--best", "install"};
    return {manager_, "-y", "install"};
  }
  [[nodiscard]] Words downgrade_command() const {
    if (manager_ == "zypper") return {"zypper", "-n", "install", "--oldpackage"};
    return {manager_, "-y", "downgrade"};
  }

  std::string manager_;
  const CfnWorld& world_;
  Words installs_;
  Words downgrades_;
};

void apply_manager(const std::string& manager, const Json& entries, const CfnWorld& world) {
  if (manager == "apt") {
    apply_apt(entries, world);
  } else if (manager == "rubygems") {
    apply_gems(entries, world);
  } else if (manager == "python") {
    for (const std::string& name : names_of(entries)) run_with({"easy_install"}, {name}, world);
  } else if (manager == "rpm") {
    Words urls;
    for (const auto& [name, url] : entries.items()) urls.push_back(value_text(&url));
    run_with({"rpm", "-U", "--force", "--nosignature"}, urls, world);
  } else if (manager == "yum" || manager == "dnf" || manager == "zypper") {
    const bool has_yum = manager != "yum" || find_program("yum", world.env);
    RpmPackages(has_yum ? manager : "dnf", world).apply(entries);
  } else {
    world.log.warning(cat("Skipping invalid package type: ", manager));
  }
}

}  // namespace

void apply_packages(const Json& packages, const CfnWorld& world) {
  for (const std::string& manager : in_order(packages)) {
    const Json& entries = packages[manager];
    if (entries.is_object() && !entries.empty()) apply_manager(manager, entries, world);
  }
}

}  // namespace hearth::agent
