#include "builder/run/plan_page.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "builder/fetch/private_network.hpp"

namespace hearth::builder {

namespace {

constexpr double k_bytes_of_gib = 1024.0 * 1024.0 * 1024.0;

const char* action_name(PackageEntry::Action action) {
  switch (action) {
    case PackageEntry::Action::install: return "install";
    case PackageEntry::Action::uninstall: return "uninstall";
    case PackageEntry::Action::build_only: return "build-only";
  }
  return "";
}

std::vector<std::string> conditions_of(const PackageEntry& entry) {
  std::vector<std::string> conditions = entry.when;
  if (!entry.install_type.empty()) conditions.push_back(cat("installtype ", entry.install_type));
  if (!entry.python_version.empty()) conditions.push_back(cat("dib_python_version ", entry.python_version));
  return conditions;
}

bool is_for(const PackageEntry& entry, const std::string& architecture) {
  const auto has = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), architecture) != names.end();
  };
  return (entry.arch.empty() || has(entry.arch)) && !has(entry.not_arch);
}

Json packages_of(const ImageRequest& request, const BuildPlan& plan) {
  Json packages = Json::array();
  for (const PackageEntry& entry : plan.packages) {
    if (!is_for(entry, request.architecture)) continue;
    packages.push_back({{"phase", info(entry.phase).name},
                        {"name", entry.package},
                        {"element", entry.element},
                        {"action", action_name(entry.action)},
                        {"conditions", conditions_of(entry)}});
  }
  for (const std::string& name : request.packages) {
    packages.push_back({{"phase", info(Phase::install).name},
                        {"name", name},
                        {"element", ""},
                        {"action", action_name(PackageEntry::Action::install)},
                        {"conditions", Json::array()}});
  }
  return packages;
}

std::string network_of(const ImageRequest& request) {
  const std::string lock = request.fetching.lock.string();
  if (request.fetching.mode == fetch::FetchMode::record) return cat("recorded into ", lock);
  if (request.fetching.mode == fetch::FetchMode::locked) return cat("only what ", lock, " names");
  if (request.fetching.mode == fetch::FetchMode::offline)
    return cat("none; answers come from what was recorded for ", lock);
  const std::string why_open = fetch::why_no_private_network(request.environment);
  return why_open.empty() ? "what this machine reaches, but not its loopback"
                          : cat("all of this machine's, its loopback, too: ", why_open);
}

/// Nothing where the tree decides.
std::optional<std::uint64_t> given_bytes(const ImageRequest& request, const DiskStage& disk) {
  if (disk.layout().size) return disk.layout().size;
  if (!request.image_size_gib) return std::nullopt;
  return static_cast<std::uint64_t>(*request.image_size_gib * k_bytes_of_gib);
}

}  // namespace

Json plan_details(const ImageRequest& request, const BuildPlan& plan, const DiskStage& disk) {
  Json outputs = Json::array();
  for (const fs::path& file : disk.files()) outputs.push_back(file.string());
  Json details = {{"outputs", outputs}, {"packages", packages_of(request, plan)}, {"network", network_of(request)}};
  if (const std::optional<MakerChoice>& maker = disk.maker()) {
    const std::optional<std::uint64_t> bytes = given_bytes(request, disk);
    details["disk"] = {{"maker", name_of(maker->maker)}, {"reason", maker->reason}, {"bytes", nullptr}};
    if (bytes) details["disk"]["bytes"] = *bytes;
  }
  return details;
}

std::string plan_details_text(const Json& details) {
  std::map<std::string, std::vector<std::string>> packages;  // by what is done with them
  for (const Json& package : details["packages"]) {
    const std::string action = package["action"].get<std::string>();
    const std::vector<std::string> conditions = package["conditions"].get<std::vector<std::string>>();
    packages[cat(package["phase"].get<std::string>(), action == "install" ? "" : cat(", ", action))].push_back(
        cat(package["name"].get<std::string>(), conditions.empty() ? "" : cat(" (if ", join(conditions, ", "), ")")));
  }
  std::string text;
  for (const auto& [done, names] : packages) text += cat("Packages (", done, "): ", join(names, " "), "\n");
  text += cat("Network of hooks: ", details["network"].get<std::string>(), "\n");
  for (const Json& output : details["outputs"]) text += cat("Output: ", output.get<std::string>(), "\n");
  if (!details.contains("disk")) return text;
  const Json& disk = details["disk"];
  text += cat("Disk size: ",
              disk["bytes"].is_null() ? "as the tree needs" : human_bytes(disk["bytes"].get<std::uint64_t>()), "\n");
  return cat(text, "Disk maker: ", disk["maker"].get<std::string>(), " (", disk["reason"].get<std::string>(), ")\n");
}

}  // namespace hearth::builder
