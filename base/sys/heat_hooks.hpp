// Hooks for software deployments (heat-config): which hearth-agent has itself, and which an element brings. They lie in
// an image as heat-config/hooks/GROUP, below /var/lib or /usr/libexec.
#pragma once

#include <string>
#include <vector>

#include "base/sys/file.hpp"

namespace hearth {

/// The groups whose deployments hearth-agent runs without a further hook.
[[nodiscard]] const std::vector<std::string>& agents_hooks();

/// Deployments of these groups are for no hook at all.
[[nodiscard]] bool needs_no_hook(const std::string& group);

/// Whether an element brings the hook of a group: it has the file, or one of its own that names the place and the
/// group, as upstream's install.d/50-heat-config-hook-GROUP does.
[[nodiscard]] bool brings_hook(const FileReader& files, const fs::path& element, const std::string& group);

/// Files of an element that lie as hooks: heat-config/hooks/GROUP. Names of groups are those of the files.
[[nodiscard]] std::vector<fs::path> hook_files(const FileReader& files, const fs::path& element);

/// Whether an element in the directories of ELEMENTS_PATH does.
[[nodiscard]] bool brings_hook_in(const FileReader& files, const std::string& elements_path, const std::string& group);

}  // namespace hearth
