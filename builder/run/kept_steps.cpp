#include "builder/run/kept_steps.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "builder/cache/earlier_build.hpp"
#include "builder/cache/unchanged.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/layers/chain.hpp"
#include "builder/run/hidden_places.hpp"
#include "builder/store/layer_store.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_no_layer =
    "no build has kept it: it may be too quick for a layer of its own, or the one that did had other steps before it";
constexpr const char* k_not_asked =
    "no layer of this machine has it; whether the remote cache does, the build asks: a plan asks no server";

/// As the build will have it, of which only the paths matter here.
SandboxSpec view_of(const FileReader& files, const ImageRequest& request, const Installation& installation,
                    const BuildPlan& plan, const DiskPlan& disk) {
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

FactSource facts_of(const FileReader& files, const ImageRequest& asked, const Installation& installation,
                    const BuildPlan& plan, const DiskPlan& disk, const FactKey& secrets) {
  const SandboxSpec spec = view_of(files, asked, installation, plan, disk);
  const ImageRequest request = with_path_of_hooks(asked, spec, files);
  return fact_source(files, request, plan, installation, disk, spec, secrets);
}

bool is_of_same_steps(const EarlierBuild& earlier, const BuildPlan& plan) {
  std::vector<std::string> built;
  for (const EarlierStep& step : earlier.steps) {
    const std::optional<Phase> phase = phase_of_label(step.label);
    if (step.is_planned && phase && may_be_kept(*phase)) built.push_back(step.label);
  }
  std::vector<std::string> planned;
  for (const Step& step : plan.steps) {
    if (!step.element.empty() && may_be_kept(step.phase)) planned.push_back(step.label());
  }
  return !built.empty() && built == planned;
}

/// What is known of the plan's steps before a build.
struct KnownSteps {
  Chain chain;
  std::string base;
  EarlierBuild earlier;
  std::map<std::string, std::string> changes;  ///< by labels of steps that no layer holds: what has changed first
};

KnownSteps known_steps(const FileReader& files, const ImageRequest& request, const Installation& installation,
                       const BuildPlan& plan, const DiskPlan& disk, const fs::path& earlier) {
  if (!has_store(request)) return {};
  const LayerStore store(layer_directory(request.cache));
  const FactSource facts = facts_of(files, request, installation, plan, disk, store.fact_key());
  const std::vector<std::string> planned = steps_of_layers(plan, layer_policy(request));
  KnownSteps known;
  known.base = layers_base_key(request, installation.shims, installation.library);
  known.chain =
      find_chain({.base = known.base,
                  .planned = planned,
                  .is_copy = request.copy_layers,
                  .find = [&](const std::string& key) { return store.find(key); },
                  .find_elsewhere = {},
                  .faults = [&](const StepRecord& step) { return facts.local_faults(step.label, step.facts); }});
  if (earlier.empty()) return known;
  const std::set<std::string> left(planned.begin() + static_cast<std::ptrdiff_t>(known.chain.covered), planned.end());
  known.earlier =
      earlier_build(files, earlier.string() + ".d", [&](const std::string& layer) { return store.blobs().has(layer); });
  for (const EarlierStep& step : known.earlier.steps) {
    if (left.count(step.label) > 0) known.changes[step.label] = facts.local_fault(step.label, step.facts).value_or("");
  }
  return known;
}

/// Of steps that layers may cover: why the first runs that none covers, and those behind it.
class ReasonsToRun {
 public:
  ReasonsToRun(const KnownSteps& known, const BuildPlan& plan, bool has_remote)
      : known_(known), plan_(plan), first_(known.chain.covered), has_remote_(has_remote) {}

  [[nodiscard]] std::string of(std::size_t index) {
    const std::string label = plan_.steps[index].label();
    const auto change = known_.changes.find(label);
    const bool has_changed = change != known_.changes.end() && !change->second.empty();
    if (has_changed && cause_.empty()) cause_ = label;
    if (has_changed) return change->second;
    if (index > first_)
      return cat("it comes after ", cause_.empty() ? plan_.steps[first_].label() : cause_, ", which runs");
    const EarlierStep* const before = known_.earlier.find(label);
    const std::string why = before == nullptr ? "" : known_.earlier.why_not_kept(*before, known_.base);
    if (!why.empty()) return why;
    if (has_remote_) return k_not_asked;
    return known_.chain.nearest.empty() ? k_no_layer : without_label(known_.chain.nearest.front(), label);
  }

 private:
  const KnownSteps& known_;
  const BuildPlan& plan_;
  std::size_t first_;
  bool has_remote_;
  std::string cause_;  ///< the first that has changed itself
};

}  // namespace

fs::path last_build_like(const FileReader& files, const ImageRequest& request, const BuildPlan& plan) {
  const auto report_of = [&](const fs::path& stem) { return fs::path(stem.string() + ".d") / k_steps_file; };
  if (files.status(report_of(request.output))) return request.output;
  std::vector<std::pair<std::int64_t, fs::path>> built;
  for (const std::string& name : files.list(request.output.parent_path())) {
    if (!name.ends_with(".d")) continue;
    const fs::path stem = request.output.parent_path() / name.substr(0, name.size() - 2);
    if (const auto status = files.status(report_of(stem))) built.emplace_back(status->modified, stem);
  }
  std::sort(built.rbegin(), built.rend());
  for (const auto& [modified, stem] : built) {
    if (is_of_same_steps(earlier_build(files, stem.string() + ".d", [](const auto&) { return true; }), plan))
      return stem;
  }
  return {};
}

std::string compared_text(const fs::path& earlier, const ImageRequest& request) {
  if (earlier.empty() || earlier == request.output) return "";
  const std::string name = earlier.filename().string();
  return cat("with the last build of ", name, ", which has the same steps: there is none of ",
             request.output.filename().string(), " here (-o ", name, " plans that image)");
}

std::vector<StepForecast> kept_steps(const FileReader& files, const ImageRequest& request,
                                     const Installation& installation, const BuildPlan& plan, const DiskPlan& disk,
                                     const fs::path& earlier) {
  const KnownSteps known = known_steps(files, request, installation, plan, disk, earlier);
  const std::size_t kept = known.chain.covered;
  const std::size_t coverable = steps_of_layers(plan, layer_policy(request)).size();
  const std::optional<Phase> fresh = layer_policy(request).fresh_from;
  ReasonsToRun reasons(known, plan, request.remote_cache.has_value());
  std::vector<StepForecast> steps;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    StepForecast step{.label = plan.steps[i].label(), .is_kept = i < kept};
    if (!request.use_cache) {
      step.why = "nothing is kept (--no-cache, HEARTH_CACHE=0)";
    } else if (i >= coverable && fresh && plan.steps[i].phase >= *fresh) {
      step.why = cat("everything from ", info(*fresh).name, " on is to run (--fresh-from, --break)");
    } else if (i >= coverable) {
      step.why = "steps of its phase always run";
    } else if (i >= kept) {
      step.why = reasons.of(i);
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<std::string> places_hidden_from(const FileReader& files, const ImageRequest& request,
                                            const Installation& installation, const BuildPlan& plan,
                                            const DiskPlan& disk) {
  return hidden_places(files, request, plan, view_of(files, request, installation, plan, disk));
}

UpToDate up_to_date(const FileReader& files, const ImageRequest& request, const Installation& installation,
                    const BuildPlan& plan, const DiskPlan& disk) {
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
                   const BuildPlan& plan, const DiskPlan& disk) {
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
