#include "builder/run/plan_page.hpp"

#include <algorithm>
#include <map>

#include "base/cli/layout.hpp"
#include "base/text.hpp"
#include "builder/disk/layout/image_size.hpp"
#include "builder/fetch/private_network.hpp"
#include "builder/lint/package_check.hpp"

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
                        {"packages", packages_behind(RealFileSystem(), plan, request.environment, entry)},
                        {"element", entry.element},
                        {"action", action_name(entry.action)},
                        {"conditions", conditions_of(entry)}});
  }
  for (const std::string& name : request.packages) {
    packages.push_back({{"phase", info(Phase::install).name},
                        {"name", name},
                        {"packages", {name}},
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
std::optional<std::uint64_t> given_bytes(const ImageRequest& request, const DiskPlan& disk) {
  if (disk.layout.size) return disk.layout.size;
  if (!request.image_size_gib) return std::nullopt;
  return image_size({}, {.image_gib = request.image_size_gib}, disk.layout);
}

}  // namespace

Json plan_details(const ImageRequest& request, const BuildPlan& plan, const DiskPlan& disk) {
  Json outputs = Json::array();
  for (const fs::path& file : output_files(disk, request)) outputs.push_back(file.string());
  Json details = {{"outputs", outputs}, {"packages", packages_of(request, plan)}, {"network", network_of(request)}};
  if (const std::optional<MakerChoice>& maker = disk.maker) {
    const std::optional<std::uint64_t> bytes = given_bytes(request, disk);
    details["disk"] = {{"maker", name_of(maker->maker)}, {"reason", maker->reason}, {"bytes", nullptr}};
    if (bytes) details["disk"]["bytes"] = *bytes;
    if (bytes && request.image_size_gib && !disk.layout.size)
      details["disk"]["asked"] = static_cast<std::uint64_t>(*request.image_size_gib * k_bytes_of_gib);
  }
  return details;
}

namespace {

/// "nginx-light (as webserver, if DIB_WEB = 1)"
std::string package_text(const Json& package) {
  const auto name = package["name"].get<std::string>();
  const auto packages = package["packages"].get<std::vector<std::string>>();
  const auto conditions = package["conditions"].get<std::vector<std::string>>();
  std::vector<std::string> notes;
  if (packages.empty()) notes.emplace_back("which is nothing there");
  if (!packages.empty() && packages != std::vector<std::string>{name}) notes.push_back(cat("as ", name));
  if (!conditions.empty()) notes.push_back(cat("if ", join(conditions, ", ")));
  return cat(packages.empty() ? name : join(packages, " "), notes.empty() ? "" : cat(" (", join(notes, ", "), ")"));
}

/// What is done with packages ("install", "pre-install, uninstall") and with which.
std::map<std::string, std::vector<std::string>> packages_by_action(const Json& details) {
  std::map<std::string, std::vector<std::string>> packages;
  for (const Json& package : details["packages"]) {
    const std::string action = package["action"].get<std::string>();
    packages[cat(package["phase"].get<std::string>(), action == "install" ? "" : cat(", ", action))].push_back(
        package_text(package));
  }
  return packages;
}

std::string disk_size_text(const Json& disk) {
  if (disk["bytes"].is_null()) return "as the tree needs";
  const auto bytes = disk["bytes"].get<std::uint64_t>();
  const std::uint64_t asked = disk.value("asked", bytes);
  constexpr std::uint64_t k_rounding = 1 << 20;
  if (bytes < asked + k_rounding) return human_bytes(bytes);
  return cat(human_bytes(bytes), ": the ", human_bytes(asked), " that are asked for, and ", human_bytes(bytes - asked),
             " on top for the EFI system partition");
}

std::string maker_text(const Json& disk) {
  return cat(disk["maker"].get<std::string>(), " (", disk["reason"].get<std::string>(), ")");
}

/// What would happen to each step, a reason only where it is another one than before.
std::vector<std::string> fates(const std::vector<StepForecast>& forecasts, bool is_done) {
  std::vector<std::string> texts;
  const StepForecast* before = nullptr;
  for (const StepForecast& step : forecasts) {
    const bool same = before != nullptr && before->is_kept == step.is_kept && before->why == step.why;
    const std::string why = step.is_kept ? "nothing that it depends on has changed" : step.why;
    if (is_done)
      texts.emplace_back();
    else
      texts.push_back(cat(step.is_kept ? "kept" : "runs", same ? "" : cat(": ", why)));
    before = &step;
  }
  return texts;
}

/// A row a phase, its steps in columns: name, element, fate.
cli::TreeNode steps_tree(const BuildPlan& plan, const std::vector<StepForecast>& forecasts, bool is_done) {
  const std::vector<std::string> fate = fates(forecasts, is_done);
  std::size_t names = 0;
  std::size_t elements = 0;
  for (const Step& step : plan.steps) {
    names = std::max(names, cli::columns(step.name));
    elements = std::max(elements, cli::columns(step.element));
  }
  cli::TreeNode tree{.label = "steps"};
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& step = plan.steps[i];
    if (i == 0 || plan.steps[i - 1].phase != step.phase) {
      const char* const place = info(step.phase).place == Place::host ? ", on this machine" : ", in the image";
      tree.children.push_back({.label = cat(directory_name(step.phase), place)});
    }
    const std::string row =
        cat(cli::padded(step.name, names), "  ", fate[i].empty() ? step.element : cli::padded(step.element, elements));
    tree.children.back().children.push_back({.label = row, .note = fate[i]});
  }
  return tree;
}

/// A row with a line for each of these; none where there is none.
void add_list(cli::TreeNode& tree, const char* label, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  cli::TreeNode& row = tree.children.emplace_back(cli::TreeNode{.label = label});
  for (const std::string& line : lines) row.children.push_back({.label = line});
}

std::string verdict(const std::vector<StepForecast>& forecasts, const UpToDate& done) {
  if (!done.outputs.empty()) return "up to date: nothing would run";
  const auto kept = std::count_if(forecasts.begin(), forecasts.end(), [](const auto& step) { return step.is_kept; });
  return cat(forecasts.size(), forecasts.size() == 1 ? " step, " : " steps, ", kept, " of them kept from layers");
}

}  // namespace

std::string plan_details_text(const Json& details) {
  std::string text;
  if (details.contains("compared")) text += cat("Compared ", details["compared"].get<std::string>(), "\n");
  for (const auto& [done, names] : packages_by_action(details))
    text += cat("Packages (", done, "): ", join(names, " "), "\n");
  text += cat("Network of hooks: ", details["network"].get<std::string>(), "\n");
  for (const Json& output : details["outputs"]) text += cat("Output: ", output.get<std::string>(), "\n");
  if (!details.contains("disk")) return text;
  return cat(text, "Disk size: ", disk_size_text(details["disk"]), "\nDisk maker: ", maker_text(details["disk"]), "\n");
}

cli::TreeNode plan_tree(const BuildPlan& plan, const std::vector<StepForecast>& forecasts, const UpToDate& done,
                        const Json& details) {
  cli::TreeNode tree{.label = verdict(forecasts, done)};
  add_list(tree, "as long as these servers have nothing new", done.servers);
  add_list(tree, "but for evidence", done.faults);
  if (details.contains("compared"))
    tree.children.push_back({.label = "compared", .note = details["compared"].get<std::string>()});
  tree.children.push_back({.label = "elements", .note = join(plan.elements.names(), " ")});
  tree.children.push_back(steps_tree(plan, forecasts, !done.outputs.empty()));
  cli::TreeNode packages{.label = "packages"};
  for (const auto& [action, names] : packages_by_action(details))
    packages.children.push_back({.label = action, .note = join(names, " ")});
  if (!packages.children.empty()) tree.children.push_back(std::move(packages));
  tree.children.push_back({.label = "network of hooks", .note = details["network"].get<std::string>()});
  add_list(tree, "outputs", details["outputs"].get<std::vector<std::string>>());
  if (!details.contains("disk")) return tree;
  tree.children.push_back({.label = "disk",
                           .children = {{.label = "size", .note = disk_size_text(details["disk"])},
                                        {.label = "maker", .note = maker_text(details["disk"])}}});
  return tree;
}

}  // namespace hearth::builder
