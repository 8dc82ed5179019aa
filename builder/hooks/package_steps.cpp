#include "builder/hooks/package_steps.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/tree_reader.hpp"
#include "base/text.hpp"
#include "base/variable.hpp"
#include "builder/packages/dpkg_status.hpp"
#include "builder/packages/package_map.hpp"

namespace hearth::builder {

namespace {

/// The packages behind an element's names; a name that its map does not know stands for itself.
class Mapper {
 public:
  Mapper(const ElementSet& elements, const Environment& env)
      : elements_(elements), distro_(variable(env, "DISTRO_NAME")), release_(variable(env, "DIB_RELEASE")) {}

  std::vector<std::string> map(const std::vector<std::pair<std::string, std::string>>& wanted) {
    std::vector<std::string> packages;
    for (const auto& [name, element] : wanted) {
      for (std::string& package : map_one(name, element)) {
        const bool known = std::find(packages.begin(), packages.end(), package) != packages.end();
        if (!known) packages.push_back(std::move(package));
      }
    }
    return packages;
  }

  std::vector<std::string> map_one(const std::string& name, const std::string& element) {
    const auto [cached, is_new] = maps_.try_emplace(element);
    if (is_new) cached->second = load(element);
    return cached->second.find(name).value_or(std::vector<std::string>{name});
  }

 private:
  PackageMap load(const std::string& element) const {
    const Element* found = elements_.find(element);
    const fs::path file = found == nullptr ? fs::path() : found->path / "pkg-map";
    const std::optional<std::string> text = found == nullptr ? std::nullopt : RealFileSystem().read(file);
    if (!text) return {};
    return PackageMap::parse(*text, file.string(), distro_, release_).value_or_throw();
  }

  const ElementSet& elements_;
  std::string distro_;
  std::string release_;
  std::map<std::string, PackageMap> maps_;
};

}  // namespace

void PackageSteps::run(const Step& step, const Environment& environment) {
  if (step.kind == Step::Kind::extra_packages) {
    install(request_.packages, "packages given with -p", environment);
    return;
  }
  std::map<Phase, PhasePackages> chosen = choose_packages(plan_.packages, environment);
  const PhasePackages& packages = chosen[step.phase];
  Mapper mapper(plan_.elements, environment);
  if (step.kind == Step::Kind::install_packages) {
    install(mapper.map(packages.install), step.label(), environment);
  } else {
    remove(mapper.map(packages.uninstall), step.label(), environment);
  }
}

std::vector<std::string> PackageSteps::bootstrap_packages(const Environment& root_environment) const {
  Environment environment = root_environment;
  environment.emplace("DIB_DEFAULT_INSTALLTYPE", request_.install_type);  // root.d is before the variable is defined
  std::map<Phase, PhasePackages> chosen = choose_packages(plan_.packages, environment);
  Mapper mapper(plan_.elements, environment);
  std::vector<std::string> packages;
  for (const Phase phase : {Phase::pre_install, Phase::install}) {
    const PhasePackages& wanted = chosen[phase];
    const std::vector<std::string> removed = mapper.map(wanted.uninstall);
    for (const std::string& name : mapper.map(wanted.install)) {
      const auto listed = [&](const std::vector<std::string>& list) {
        return std::find(list.begin(), list.end(), name) != list.end();
      };
      if (!listed(removed) && !listed(packages)) packages.push_back(name);
    }
  }
  packages.insert(packages.end(), request_.packages.begin(), request_.packages.end());
  return packages;
}

std::vector<AskedPackage> PackageSteps::asked(const Environment& environment) const {
  std::vector<AskedPackage> asked;
  Mapper mapper(plan_.elements, environment);
  for (const auto& [phase, packages] : choose_packages(plan_.packages, environment)) {
    for (const auto& [name, element] : packages.install) {
      for (std::string& package : mapper.map_one(name, element)) asked.push_back({std::move(package), element});
    }
  }
  for (const std::string& package : request_.packages) asked.push_back({package, ""});
  return asked;
}

void PackageSteps::install(const std::vector<std::string>& names, const std::string& what,
                           const Environment& environment) {
  const std::string status = TreeReader(target_).read("var/lib/dpkg/status").value_or("");
  const std::map<std::string, InstalledPackage> installed = parse_dpkg_status(status);
  std::vector<std::string> argv = {"install-packages"};
  for (const std::string& name : names) {
    if (installed.count(name) == 0) argv.push_back(name);
  }
  if (argv.size() > 1) phases_.run_logged(what, Command{.argv = argv, .env = environment, .root = target_});
}

void PackageSteps::remove(const std::vector<std::string>& names, const std::string& what,
                          const Environment& environment) {
  if (names.empty()) return;
  std::vector<std::string> argv = {"install-packages", "-e"};
  argv.insert(argv.end(), names.begin(), names.end());
  phases_.run_logged(what, Command{.argv = argv, .env = environment, .root = target_});
}

}  // namespace hearth::builder
