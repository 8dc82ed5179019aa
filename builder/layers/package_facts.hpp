// What elements ask for of packages, as facts: each entry of their lists, and each name of their maps.
#pragma once

#include "base/sys/file.hpp"
#include "builder/layers/facts.hpp"
#include "builder/plan/build_plan.hpp"

namespace hearth::builder {

/// "package ELEMENT/FILE NAME" of all elements of the plan.
[[nodiscard]] Facts package_facts(const FileReader& files, const BuildPlan& plan);

}  // namespace hearth::builder
