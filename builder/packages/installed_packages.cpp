#include "builder/packages/installed_packages.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/redaction.hpp"
#include "base/text.hpp"
#include "builder/packages/dpkg_status.hpp"

namespace hearth::builder {

namespace {

constexpr std::array<const char*, 2> k_rpm_directories = {"usr/lib/sysimage/rpm", "var/lib/rpm"};
constexpr std::array<const char*, 3> k_rpm_databases = {"rpmdb.sqlite", "Packages.db", "Packages"};
constexpr std::array<std::pair<const char*, const char*>, 3> k_other_databases = {
    {{"lib/apk/db/installed", "apk"}, {"var/lib/pacman/local", "pacman"}, {"var/db/pkg", "portage"}}};

std::vector<ListedPackage> dpkg_packages(const TreeReader& tree) {
  std::vector<ListedPackage> packages;
  for (const auto& [name, package] : parse_dpkg_status(tree.read("var/lib/dpkg/status").value_or(""))) {
    const std::string copyright = tree.read(cat("usr/share/doc/", name, "/copyright")).value_or("");
    packages.push_back({"deb", name, package.version, package.architecture, copyright_licenses(copyright)});
  }
  return packages;
}

std::optional<fs::path> rpm_directory(const TreeReader& tree) {
  for (const char* directory : k_rpm_directories) {
    for (const char* database : k_rpm_databases) {
      if (tree.exists(fs::path(directory) / database)) return tree.host_path(directory);
    }
  }
  return std::nullopt;
}

void add_rpm_packages(const TreeReader& tree, CommandRunner& runner, const Environment& environment,
                      InstalledPackages& installed) {
  const std::optional<fs::path> database = rpm_directory(tree);
  if (!database) return;
  constexpr const char* unlisted = "packages of its rpm database are not listed: ";
  if (!find_program("rpm", environment)) {
    installed.unlisted = cat(unlisted, "this machine has no rpm to read it with (Debian's package rpm)");
    return;
  }
  const CommandResult result =
      runner.run({.argv = {"rpm", "--dbpath", database->string(), "-qa", "--qf", k_rpm_format}, .env = environment});
  std::vector<ListedPackage> packages = parse_rpm_list(result.out);
  if (shell_code(result.status) != 0 || packages.empty()) {
    const std::string reason(trim(result.err));
    installed.unlisted = cat(unlisted, reason.empty() ? "this machine's rpm finds none in it" : reason);
    return;
  }
  installed.packages.insert(installed.packages.end(), packages.begin(), packages.end());
}

std::vector<ListedSource> git_sources(const TreeReader& tree, const Environment& environment) {
  const auto given = environment.find("DIB_MANIFEST_IMAGE_DIR");
  const fs::path place = given == environment.end() ? fs::path("etc/dib-manifests") : fs::path(given->second);
  std::vector<ListedSource> sources;
  for (const std::string& name : tree.list(place)) {
    if (!name.starts_with("dib-manifest-git-")) continue;
    const std::string manifest = tree.read(place / name).value_or("");
    for (ListedSource& source : parse_git_manifest(manifest)) sources.push_back(std::move(source));
  }
  return sources;
}

}  // namespace

InstalledPackages installed_packages(const TreeReader& tree, CommandRunner& runner, const Environment& environment) {
  InstalledPackages installed{
      .packages = dpkg_packages(tree), .sources = git_sources(tree, environment), .unlisted = ""};
  add_rpm_packages(tree, runner, environment, installed);
  for (const auto& [database, manager] : k_other_databases) {
    if (tree.exists(database)) installed.unlisted = cat("packages of ", manager, " are not listed");
  }
  return installed;
}

std::vector<ListedPackage> parse_rpm_list(std::string_view text) {
  std::vector<ListedPackage> packages;
  for (const std::string& line : split_lines(text)) {
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.size() == 4 && fields[0] != "gpg-pubkey") {
      packages.push_back({"rpm", fields[0], fields[1], fields[2], fields[3]});
    }
  }
  std::sort(packages.begin(), packages.end(), [](const ListedPackage& a, const ListedPackage& b) {
    return std::tie(a.name, a.version, a.architecture) < std::tie(b.name, b.version, b.architecture);
  });
  return packages;
}

std::string copyright_licenses(std::string_view text) {
  constexpr std::string_view field = "License:";
  std::vector<std::string> licenses;
  const std::vector<std::string> lines = split_lines(text);
  if (lines.empty() || !lines.front().starts_with("Format:")) return "";
  for (const std::string& line : lines) {
    if (!line.starts_with(field)) continue;
    const std::string name(trim(line.substr(field.size())));
    if (!name.empty() && std::find(licenses.begin(), licenses.end(), name) == licenses.end()) licenses.push_back(name);
  }
  return join(licenses, ", ");
}

std::vector<ListedSource> parse_git_manifest(std::string_view text) {
  std::vector<ListedSource> sources;
  for (const std::string& line : split_lines(text)) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() == 5 && words[1] == "git") {
      sources.push_back({words[0], words[2], without_credentials(words[3]), words[4]});
    }
  }
  return sources;
}

}  // namespace hearth::builder
