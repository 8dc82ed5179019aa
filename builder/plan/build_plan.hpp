// The build plan: every step of a build, in order, as a value. It can be printed before anything runs. Steps may be
// added only where hooks write new hooks while they run (run/phase_runner looks again before each).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "builder/elements/phase.hpp"
#include "builder/packages/package_installs.hpp"
#include "builder/packages/service_map.hpp"
#include "builder/plan/hook_tree.hpp"

namespace hearth::builder {

struct Step {
  enum class Kind {
    hook,              ///< a script of an element
    install_packages,  ///< what package-installs files ask for in this phase
    remove_packages,
    extra_packages,  ///< -p
  };
  Phase phase = Phase::root;
  Kind kind = Kind::hook;
  std::string name;     ///< the script's name, or that of the native step
  std::string element;  ///< the element that it comes from; empty for -p

  /// "install.d/10-foo".
  [[nodiscard]] std::string label() const;
  bool operator==(const Step&) const = default;
};

/// Where a build goes on whose first steps were taken from a cache.
struct ResumePoint {
  Phase phase = Phase::root;  ///< phases before are done
  std::vector<Step> rest;     ///< what is left of this one
};

struct BuildPlan {
  ElementSet elements;
  HookTree hooks;
  std::vector<PackageEntry> packages;
  std::vector<ServiceName> services;
  std::vector<Step> steps;
};

/// Puts the plan together. `extra_packages` says whether -p was given.
[[nodiscard]] BuildPlan make_plan(const FileReader& files, ElementSet elements, bool extra_packages);

[[nodiscard]] std::string plan_text(const BuildPlan& plan);
[[nodiscard]] Json plan_json(const BuildPlan& plan);
/// Elements and their dependencies in Graphviz' dot language.
[[nodiscard]] std::string plan_graph(const BuildPlan& plan);

/// What a build writes beside the merged hooks for them to read, by name: what all elements' data says together. (The
/// element svc-map, say, has nothing that could read YAML.)
[[nodiscard]] std::map<std::string, std::string> files_beside_hooks(const BuildPlan& plan);

}  // namespace hearth::builder
