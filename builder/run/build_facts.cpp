#include "builder/run/build_facts.hpp"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "builder/hooks/host_files.hpp"
#include "builder/layers/host_tools.hpp"
#include "builder/run/build.hpp"
#include "builder/sandbox/shifted_host.hpp"
#include "builder/store/layer_store.hpp"

namespace hearth::builder {

std::vector<fs::path> files_of_layout(const DiskPlan& disk) {
  std::vector<fs::path> files;
  for (const LuksVolume& volume : disk.layout.volumes.encrypted) {
    if (!volume.key_file.empty()) files.emplace_back(volume.key_file);
  }
  return files;
}

namespace {

/// Hearth's own files, the caller's elements and what those and the disk layout name, wherever they lie.
std::vector<fs::path> readable_paths(const FileReader& files, const ImageRequest& request,
                                     const Installation& installation, const BuildPlan& plan, const DiskPlan& disk,
                                     const std::vector<fs::path>& homes) {
  std::vector<fs::path> paths = request.elements_path;
  paths.insert(paths.end(), request.fallback_elements.begin(), request.fallback_elements.end());
  paths.insert(paths.end(),
               {installation.elements, installation.agent_binary, installation.program, request.start_directory});
  const std::vector<fs::path> keys = files_of_layout(disk);
  paths.insert(paths.end(), keys.begin(), keys.end());
  for (fs::path& path : paths) path = fs::weakly_canonical(path);
  std::vector<fs::path> closed = homes;
  if (::geteuid() == 0) closed.insert(closed.end(), {"/etc", "/var"});  // whose root-only files hooks can't read
  for (fs::path& path : declared_host_files(files, plan.elements, request.environment, closed)) {
    paths.push_back(std::move(path));
  }
  return paths;
}

/// Breaks want their phases to run.
std::optional<Phase> fresh_from(const ImageRequest& request) {
  std::optional<Phase> first = request.fresh_from;
  for (const std::string& point : request.breaks) {
    const std::optional<Phase> phase = parse_phase(point.substr(point.find('-') + 1));
    if (phase && (!first || *phase < *first)) first = phase;
  }
  return first;
}

/// Whether hooks find something empty at a path, or nothing, whatever is there: in homes, also in one that is open for
/// the outputs the settings, and keys.
bool is_hidden(const SandboxSpec& spec, const fs::path& path) {
  const auto is_setting_of = [&](const fs::path& home) {
    const fs::path inner = path.lexically_relative(home);
    const bool is_open =
        home == spec.output || std::find(spec.writable.begin(), spec.writable.end(), home) != spec.writable.end();
    return is_open && !inner.empty() && inner.begin()->string().starts_with('.') && *inner.begin() != "." &&
           *inner.begin() != "..";
  };
  return is_hidden_home(path, spec.homes, shown_of_homes(spec)) ||
         std::any_of(spec.homes.begin(), spec.homes.end(), is_setting_of) ||
         std::find(spec.keys.begin(), spec.keys.end(), path) != spec.keys.end();
}

/// Whether hooks of root's builds see nobody as a path's owner. Found out when it is first asked for.
std::function<bool(const fs::path&)> nobodys(const SandboxSpec& spec) {
  return [needed = needed_places(spec), host = std::make_shared<std::optional<ShiftedHost>>()](const fs::path& path) {
    boost::system::error_code failed;
    const fs::path real = fs::weakly_canonical(path, failed);
    if (failed) return false;
    if (!*host) host->emplace(ShiftedHost::create(needed));
    return (*host)->shows_nobody(real);
  };
}

}  // namespace

std::vector<fs::path> needed_places(const SandboxSpec& spec) {
  std::vector<fs::path> needed = {"/usr", spec.output, spec.shims, spec.library, spec.start_directory};
  for (const std::vector<fs::path>* more : {&spec.writable, &spec.closed, &spec.readable})
    needed.insert(needed.end(), more->begin(), more->end());
  if (!spec.work_directory.empty()) needed.push_back(spec.work_directory);
  std::erase_if(needed, [](const fs::path& path) { return path.empty(); });
  return needed;
}

/// What hooks get to see of the machine, besides what they may write; the work area is still to be said.
void show_machine(const FileReader& files, const ImageRequest& request, const Installation& installation,
                  const BuildPlan& plan, const DiskPlan& disk, SandboxSpec& spec) {
  spec.homes = homes_of(files, request.environment);
  spec.readable = readable_paths(files, request, installation, plan, disk, spec.homes);
  spec.keys = request.private_keys;
  spec.shims = installation.shims;
  spec.library = installation.library;
  spec.start_directory = request.start_directory;
}

std::vector<fs::path> shown_of_homes(const SandboxSpec& spec) {
  std::vector<fs::path> shown = spec.readable;
  shown.insert(shown.end(), spec.writable.begin(), spec.writable.end());
  shown.push_back(spec.output);
  return shown;
}

LayerPolicy layer_policy(const ImageRequest& request) {
  LayerPolicy policy{.enabled = request.use_cache,
                     .fresh_from = fresh_from(request),
                     .limit = request.cache_limit,
                     .worth = std::chrono::milliseconds(request.layer_worth_ms)};
  if (request.offline) return policy;
  const bool now = request.refresh || request.if_outdated;
  policy.repository_age = now ? std::chrono::seconds(0) : std::chrono::seconds(request.repository_age);
  return policy;
}

namespace {

/// The step that was meant: one that begins so, is called nearly so, with or without its phase, or the first of a phase
/// that is.
std::optional<std::string> near_step(const std::string& typed, const std::vector<std::string>& labels) {
  std::map<std::string, std::string> by_part;  // phases and names alone, each with its first step
  for (const std::string& label : labels) {
    if (!typed.empty() && label.starts_with(typed)) return label;
    by_part.emplace(label.substr(0, label.find('/')), label);
    by_part.emplace(label.substr(label.find('/') + 1), label);
  }
  if (auto whole = nearest(typed, labels)) return whole;
  std::vector<std::string> parts;
  for (const auto& [part, label] : by_part) parts.push_back(part);
  const std::optional<std::string> part = nearest(typed, parts);
  return part ? std::optional(by_part.at(*part)) : std::nullopt;
}

}  // namespace

void require_kept_step(const ImageRequest& request, const BuildPlan& plan, const std::string& label) {
  if (!request.use_cache || request.fetching.mode) {
    throw Error(ErrorKind::usage, "--until keeps the layers of an image's first steps for others")
        .hint(request.use_cache ? "One that records or replays its fetches is built as a whole."
                                : "--no-cache and HEARTH_CACHE=0 keep none.");
  }
  const std::vector<std::string> labels = steps_of_layers(plan, layer_policy(request));
  if (std::find(labels.begin(), labels.end(), label) != labels.end()) return;
  const std::optional<std::string> meant = near_step(label, labels);
  throw Error(ErrorKind::usage, cat("--until: '", label, "' is no step of ", request.image_name, " that layers hold",
                                    meant ? cat("; did you mean '", *meant, "'?") : ""))
      .hint("hearth image plan shows the steps.");
}

FactSource fact_source(const FileReader& files, const ImageRequest& request, const BuildPlan& plan,
                       const Installation& installation, const DiskPlan& disk, const SandboxSpec& spec,
                       const FactKey& secrets) {
  const Environment variables = hook_environment(request, plan, installation, disk_facts(disk));
  FactSetup setup{
      .environment = [variables](Phase phase) { return phase_environment(variables, phase, k_target_root); },
      .callers = request.environment,
      .packages = request.packages,
      .libraries = {installation.shims, installation.library},
      .written = {request.output.string() + ".d", request.cache, request.lock_files},
      .downloads = request.fetching.mode ? fs::path() : request.cache,  // hooks of recorded builds have an empty one
      .emptied = spec.closed,
      .start_directory = request.start_directory,
      .shown_elements = k_elements_directory,
      .memory = layer_directory(request.cache) / "inputs.json",
      .key = secrets,
      .is_nobodys = ::geteuid() == 0 ? nobodys(spec) : nullptr,
      .is_hidden = [spec](const fs::path& path) { return is_hidden(spec, path); }};
  return {files, plan, std::move(setup)};
}

ImageRequest with_path_of_hooks(ImageRequest request, const SandboxSpec& spec, const FileReader& files) {
  std::string& path = request.environment["PATH"];
  path = path_of_hooks(files, path, spec.homes, shown_of_homes(spec));
  return request;
}

std::string layers_base_key(const ImageRequest& request, const fs::path& shims, const fs::path& library) {
  const RealFileSystem files;
  return fact_digest(cat("hearth layers 4\n", build_version(), "\n", host_tools(files), request.architecture, "\n",
                         tree_digest(files, shims), "\n", tree_digest(files, library)));
}

}  // namespace hearth::builder
