#include "builder/plan/build_plan.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/run_parts.hpp"
#include "base/text.hpp"
#include "builder/packages/package_map_check.hpp"

namespace hearth::builder {

namespace {

/// Where upstream's package-installs hooks stand in their phases; the native steps keep those places.
struct NativeStep {
  Phase phase;
  const char* name;
  Step::Kind kind;
};
constexpr std::array<NativeStep, 6> k_package_steps = {{
    {Phase::pre_install, "10-package-installs", Step::Kind::install_packages},
    {Phase::pre_install, "99-package-uninstalls", Step::Kind::remove_packages},
    {Phase::install, "01-package-installs", Step::Kind::install_packages},
    {Phase::install, "99-package-uninstalls", Step::Kind::remove_packages},
    {Phase::post_install, "00-package-installs", Step::Kind::install_packages},
    {Phase::post_install, "95-package-uninstalls", Step::Kind::remove_packages},
}};

/// Our own package-installs element has no hooks: its work is native. Another tree's element of that name brings its
/// own.
bool packages_are_native(const ElementSet& elements) {
  const Element* element = elements.find("package-installs");
  return element != nullptr && element->built_in;
}

bool has_work(const BuildPlan& plan, const NativeStep& native) {
  return std::any_of(plan.packages.begin(), plan.packages.end(), [&](const PackageEntry& entry) {
    const bool removes = entry.action != PackageEntry::Action::install;
    const bool installs = entry.action != PackageEntry::Action::uninstall;
    return entry.phase == native.phase && (native.kind == Step::Kind::install_packages ? installs : removes);
  });
}

std::vector<Step> steps_of(const BuildPlan& plan, Phase phase) {
  std::map<std::string, Step> by_name;
  const std::string directory = directory_name(phase);
  std::vector<std::string> names = plan.hooks.scripts(directory);
  for (const std::string& name : names) {
    by_name[name] = {phase, Step::Kind::hook, name, plan.hooks.directory(directory).at(name).element};
  }
  if (packages_are_native(plan.elements)) {
    for (const NativeStep& native : k_package_steps) {
      if (native.phase != phase || !has_work(plan, native)) continue;
      if (by_name.count(native.name) > 0) {
        throw Error(ErrorKind::input,
                    cat("There is a duplicated hook in your elements: ", directory, "/", native.name, " of ",
                        by_name[native.name].element, " has the name of a step of package-installs"));
      }
      by_name[native.name] = {phase, native.kind, native.name, "package-installs"};
      names.emplace_back(native.name);
    }
  }
  sort_run_parts(names);
  std::vector<Step> steps;
  for (const std::string& name : names) steps.push_back(by_name.at(name));
  return steps;
}

std::string_view kind_name(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::hook: return "hook";
    case Step::Kind::install_packages: return "install-packages";
    case Step::Kind::remove_packages: return "remove-packages";
    case Step::Kind::extra_packages: return "extra-packages";
  }
  return "?";
}

/// What the elements' data files say; all that is wrong in them is told at once.
void read_data(const FileReader& files, BuildPlan& plan) {
  std::vector<std::string> faults;
  const auto gather = [&](const auto& read) {
    try {
      read();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      faults.push_back(error.story());
    }
  };
  gather([&] { plan.packages = load_package_installs(files, plan.elements); });
  gather([&] { plan.services = load_service_maps(files, plan.elements); });
  gather([&] { check_package_maps(files, plan.elements); });
  if (!faults.empty()) throw Error(ErrorKind::input, join(faults, "\n"));
}

}  // namespace

std::string Step::label() const { return cat(directory_name(phase), "/", name); }

BuildPlan make_plan(const FileReader& files, ElementSet elements, bool extra_packages) {
  BuildPlan plan;
  plan.elements = std::move(elements);
  plan.hooks = HookTree::merge(files, plan.elements);
  read_data(files, plan);
  for (const PhaseInfo& phase : k_phases) {
    for (Step& step : steps_of(plan, phase.phase)) plan.steps.push_back(std::move(step));
    if (phase.phase == Phase::install && extra_packages) {
      plan.steps.push_back({Phase::install, Step::Kind::extra_packages, "extra-packages", ""});
    }
  }
  return plan;
}

std::string plan_text(const BuildPlan& plan) {
  std::string text = cat("elements: ", join(plan.elements.names(), " "), "\n");
  for (const Step& step : plan.steps) {
    std::string line = cat("  ", info(step.phase).place == Place::host ? "host    " : "target  ", step.label());
    line.resize(std::max<std::size_t>(line.size() + 2, 56), ' ');
    text += cat(line, step.element, "\n");
  }
  return text;
}

Json plan_json(const BuildPlan& plan) {
  Json elements = Json::array();
  for (const Element& element : plan.elements.elements) {
    elements.push_back({{"name", element.name},
                        {"path", element.path.string()},
                        {"deps", element.deps},
                        {"provides", element.provides}});
  }
  Json steps = Json::array();
  for (const Step& step : plan.steps) {
    steps.push_back({{"phase", info(step.phase).name},
                     {"name", step.name},
                     {"element", step.element},
                     {"where", info(step.phase).place == Place::host ? "host" : "target"},
                     {"kind", kind_name(step.kind)}});
  }
  return {{"elements", elements}, {"steps", steps}};
}

std::string plan_graph(const BuildPlan& plan) {
  std::string text = "digraph elements {\n  rankdir=LR;\n  node [shape=box];\n";
  for (const Element& element : plan.elements.elements) {
    text += cat("  \"", element.name, "\";\n");
    for (const std::string& dependency : element.deps)
      text += cat("  \"", element.name, "\" -> \"", dependency, "\";\n");
  }
  return cat(text, "}\n");
}

std::map<std::string, std::string> files_beside_hooks(const BuildPlan& plan) {
  return {{"svc-map.table", service_table(plan.services)}};
}

}  // namespace hearth::builder
