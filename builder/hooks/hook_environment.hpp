// What hooks see in their environment. Source: diskimage-builder's lib (contract of the variables), with constant paths
// of the sandbox in place of random ones.
#pragma once

#include <string>
#include <vector>

#include "base/sys/process.hpp"
#include "builder/plan/build_plan.hpp"
#include "builder/plan/disk_plan.hpp"
#include "builder/spec/image_request.hpp"

namespace hearth::builder {

/// Where Hearth's own files are: its element tree, shims, the agent's binary, the shell library and hearth itself.
struct Installation {
  fs::path elements;
  fs::path shims;
  fs::path agent_binary;
  fs::path library;  ///< what elements find in $_LIB
  fs::path program;
};

/// The builder's word for what APT_CONFIG names in the target, where nobody says otherwise. No hook sees it.
inline constexpr const char* k_target_apt_settings = "HEARTH_TARGET_APT_CONFIG";

/// The variables of every hook. The caller's own come first; what is set here wins.
[[nodiscard]] Environment hook_environment(const ImageRequest& request, const BuildPlan& plan,
                                           const Installation& installation, const DiskFacts& disk);

/// The same for a hook inside the target: HOME, PATH and USER of root, no TMPDIR nor loader settings of the host.
[[nodiscard]] Environment target_environment(Environment environment);

/// The environment of a phase's hooks before environment.d: as theirs on the host or inside the target.
[[nodiscard]] Environment phase_environment(Environment environment, Phase phase, const fs::path& target);

/// The argv of the bash that sources environment.d of `hooks` and prints the resulting environment, NUL-separated, on
/// stdout (what the files print goes to stderr). A failing file ends it with that file's status.
[[nodiscard]] std::vector<std::string> environment_script(const std::string& hooks,
                                                          const std::vector<std::string>& files);

}  // namespace hearth::builder
