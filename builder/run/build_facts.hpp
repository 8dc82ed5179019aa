// What a build's steps depend on, and what their hooks see of the machine: told of a request and its plan, whether it
// is to be built or only to be looked at.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "builder/cache/layer_keeper.hpp"
#include "builder/hooks/hook_environment.hpp"
#include "builder/layers/fact_source.hpp"
#include "builder/plan/disk_plan.hpp"
#include "builder/sandbox/sandbox.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

/// Files of this machine that the disk layout names.
[[nodiscard]] std::vector<fs::path> files_of_layout(const DiskPlan& disk);

/// What hooks get to see of the machine, besides what they may write; the work area is still to be said.
void show_machine(const FileReader& files, const ImageRequest& request, const Installation& installation,
                  const BuildPlan& plan, const DiskPlan& disk, SandboxSpec& spec);

/// What hooks and builder use of the machine, wherever it lies: of root's builds ids are shifted there.
[[nodiscard]] std::vector<fs::path> needed_places(const SandboxSpec& spec);

/// What the sandbox shows of homes.
[[nodiscard]] std::vector<fs::path> shown_of_homes(const SandboxSpec& spec);

/// The request with a PATH without what hooks don't see: machines that differ there share what they built.
[[nodiscard]] ImageRequest with_path_of_hooks(ImageRequest request, const SandboxSpec& spec, const FileReader& files);

[[nodiscard]] LayerPolicy layer_policy(const ImageRequest& request);
/// Throws Error(usage) where this step of the plan can't be one that others go on from.
void require_kept_step(const ImageRequest& request, const BuildPlan& plan, const std::string& label);

/// Facts of this build's steps, as they are before it begins.
[[nodiscard]] FactSource fact_source(const FileReader& files, const ImageRequest& request, const BuildPlan& plan,
                                     const Installation& installation, const DiskPlan& disk, const SandboxSpec& spec,
                                     const FactKey& secrets);

/// What every step depends on: this Hearth, the programs that hooks are given, wherever these lie now, and the host
/// that they run on.
[[nodiscard]] std::string layers_base_key(const ImageRequest& request, const fs::path& shims, const fs::path& library);

}  // namespace hearth::builder
