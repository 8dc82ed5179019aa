#include "builder/run/kept_steps.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "builder/layers/chain.hpp"
#include "builder/run/unchanged.hpp"
#include "builder/store/layer_store.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_no_layer =
    "no build has kept it: it may be too quick for a layer of its own, or the one that did had other steps before it";

/// As the build will have it, of which only the paths matter here.
SandboxSpec view_of(const FileReader& files, const ImageRequest& request, const Installation& installation,
                    const BuildPlan& plan, const DiskStage& disk) {
  SandboxSpec spec;
  boost::system::error_code failed;
  spec.output = fs::weakly_canonical(request.output.parent_path(), failed);
  spec.image = request.output.filename().string();
  for (const fs::path& path : {request.cache, request.lock_files})
    spec.writable.push_back(fs::weakly_canonical(path, failed));
  show_machine(files, request, installation, plan, disk, spec);
  return spec;
}

/// A reason names the step that it is about, which may be a later one of the same layer.
std::string without_label(const std::string& reason, const std::string& label) {
  const std::string begin = cat(label, ": ");
  return reason.starts_with(begin) ? reason.substr(begin.size()) : reason;
}

/// A build has kept something; else its store is not there, and asking it for its key would make it.
bool has_store(const ImageRequest& request) {
  return request.use_cache && fs::is_directory(layer_directory(request.cache) / "blobs");
}

FactSource facts_of(const FileReader& files, ImageRequest request, const Installation& installation,
                    const BuildPlan& plan, const DiskStage& disk, const FactKey& secrets) {
  const SandboxSpec spec = view_of(files, request, installation, plan, disk);
  take_path_of_hooks(request, spec, files);
  return fact_source(files, request, plan, installation, disk, spec, secrets);
}

/// Nothing where no build has kept anything.
std::optional<Chain> chain_of(const FileReader& files, const ImageRequest& request, const Installation& installation,
                              const BuildPlan& plan, const DiskStage& disk) {
  if (!has_store(request)) return std::nullopt;
  const LayerStore store(layer_directory(request.cache));
  const FactSource facts = facts_of(files, request, installation, plan, disk, store.fact_key());
  return find_chain({.base = layers_base_key(request, installation.shims, installation.library),
                     .planned = steps_of_layers(plan, layer_policy(request)),
                     .is_copy = request.copy_layers,
                     .find = [&](const std::string& key) { return store.find(key); },
                     .find_elsewhere = {},
                     .faults = [&](const StepRecord& step) { return facts.local_faults(step.label, step.facts); }});
}

}  // namespace

std::vector<StepForecast> kept_steps(const FileReader& files, const ImageRequest& request,
                                     const Installation& installation, const BuildPlan& plan, const DiskStage& disk) {
  const std::optional<Chain> chain = chain_of(files, request, installation, plan, disk);
  const std::size_t kept = chain ? chain->covered : 0;
  const std::size_t coverable = steps_of_layers(plan, layer_policy(request)).size();
  const std::optional<Phase> fresh = layer_policy(request).fresh_from;
  std::vector<StepForecast> steps;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    StepForecast step{.label = plan.steps[i].label(), .is_kept = i < kept};
    if (!request.use_cache) {
      step.why = "nothing is kept (--no-cache, HEARTH_CACHE=0)";
    } else if (i >= coverable && fresh && plan.steps[i].phase >= *fresh) {
      step.why = cat("everything from ", info(*fresh).name, " on is to run (--fresh-from, --break)");
    } else if (i >= coverable) {
      step.why = "steps of its phase always run";
    } else if (i == kept) {
      step.why = chain && !chain->nearest.empty() ? without_label(chain->nearest.front(), step.label) : k_no_layer;
    } else if (i > kept) {
      step.why = cat("it comes after ", plan.steps[kept].label(), ", which runs");
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

UpToDate up_to_date(const FileReader& files, const ImageRequest& request, const Installation& installation,
                    const BuildPlan& plan, const DiskStage& disk) {
  if (!may_be_unchanged(request) || !has_store(request)) return {};
  const FactKey secrets = LayerStore(layer_directory(request.cache)).fact_key();
  const FactSource facts = facts_of(files, request, installation, plan, disk, secrets);
  const std::string key = output_key(request, plan, installation, facts, files_of_layout(disk), secrets);
  std::set<std::string> servers;
  const RemoteFacts remote{.repository = [&](const std::string& what) -> std::optional<std::string> {
                             servers.insert(what);
                             return std::nullopt;
                           },
                           .fetch = {}};
  UpToDate known{.outputs = unchanged_outputs(request.output.string() + ".d", key, facts, remote, secrets),
                 .faults = {},
                 .servers = {}};
  if (known.outputs.empty()) return known;
  known.faults = changed_evidence(request.output, known.outputs, secrets);
  known.servers.assign(servers.begin(), servers.end());
  return known;
}

std::string up_to_date_text(const UpToDate& known) {
  std::string text;
  for (const fs::path& output : known.outputs) text += cat("Up to date, nothing would run: ", output.string(), "\n");
  for (const std::string& fault : known.faults) text += cat("  but for evidence: ", fault, "\n");
  for (const std::string& server : known.servers) text += cat("  as long as this has not changed: ", server, "\n");
  return text;
}

StepKeys step_keys(const FileReader& files, const ImageRequest& request, const Installation& installation,
                   const BuildPlan& plan, const DiskStage& disk) {
  if (!request.use_cache) return {};
  const FactKey of_this_process{"compared within one process only"};
  const FactSource facts = facts_of(files, request, installation, plan, disk, of_this_process);
  const std::size_t coverable = steps_of_layers(plan, layer_policy(request)).size();
  const std::string base = cat(layers_base_key(request, installation.shims, installation.library), "\n",
                               layer_directory(request.cache).string(), "\n", request.copy_layers ? "copies" : "");
  StepKeys known;
  for (std::size_t i = 0; i < coverable; ++i) {
    const Step& step = plan.steps[i];
    const Facts inputs = facts.of_step(step, {});
    std::string text = cat(i == 0 ? base : known.keys.back(), "\n", step.label(), " ", step.element, "\n");
    for (const auto& [fact, digest] : inputs) text += cat(fact, " ", digest, "\n");
    known.keys.push_back(fact_digest(text));
    if (i > 0) continue;
    known.first_label = step.label();
    known.first = inputs;
    known.first["build architecture"] = request.architecture;
    known.first["build image cache"] = layer_directory(request.cache).string();
    known.first["build element"] = step.element;
  }
  return known;
}

std::string why_apart(const StepKeys& image, const StepKeys& other, const std::string& others_name) {
  if (image.keys.empty() || other.keys.empty()) return "of an image for which nothing is kept others can't go on";
  if (image.first_label != other.first_label)
    return cat("it begins with ", image.first_label, ", ", others_name, " with ", other.first_label);
  const std::string begin = cat(image.first_label, " is not that of ", others_name, ": ");
  for (const char* const what : {"architecture", "image cache", "element"}) {
    const std::string& own = image.first.at(cat("build ", what));
    const std::string& others = other.first.at(cat("build ", what));
    if (own != others) return cat(begin, what, " ", own, ", not ", others);
  }
  const std::vector<std::string> differences = describe_differences(other.first, image.first);
  if (differences.empty()) return cat(begin, "layers are copied for one of them (HEARTH_LAYERS)");
  const std::string more = differences.size() > 1 ? cat(", and ", differences.size() - 1, " more") : "";
  return cat(begin, differences.front(), more);
}

std::string kept_steps_text(const std::vector<StepForecast>& steps) {
  const auto kept = std::count_if(steps.begin(), steps.end(), [](const StepForecast& step) { return step.is_kept; });
  std::string text = cat("From layers: ", kept, " of ", steps.size(), " steps\n");
  for (auto step = steps.begin() + kept; step != steps.end();) {
    const auto next =
        std::find_if(step, steps.end(), [&](const StepForecast& other) { return other.why != step->why; });
    const std::string last = next - step > 1 ? cat(" to ", (next - 1)->label) : "";
    text += cat("  runs: ", step->label, last, ": ", step->why, "\n");
    step = next;
  }
  return text;
}

}  // namespace hearth::builder
