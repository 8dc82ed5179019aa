// Ordered script directories: which files of a directory run, and in which order. Shared by image phases (builder) and
// node phases (agent). Source: diskimage-builder's dib-run-parts, which selects by a name pattern and the x bit and
// orders with `LANG=C sort -n`.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace hearth {

/// What os-refresh-config runs on a node, each from a directory PHASE.d, in this order; error.d where one has failed.
inline constexpr std::array<std::string_view, 4> k_node_phases = {"pre-configure", "configure", "post-configure",
                                                                  "migration"};

/// Whether `a` runs before `b`: as `LANG=C sort -n` orders names, by the number that a name begins with (an optional
/// minus, digits of any length, an optional fraction; none counts as 0), ties bytewise.
[[nodiscard]] bool runs_before(std::string_view a, std::string_view b);
void sort_run_parts(std::vector<std::string>& names);

/// Whether a hook of this name may run: RUN_PARTS_REGEX's default, ^[0-9A-Za-z_-]+$.
[[nodiscard]] bool is_run_parts_name(std::string_view name);

/// Whether a file of environment.d is sourced: ^[0-9A-Za-z_.-]+$. These sort bytewise, the x bit does not matter.
[[nodiscard]] bool is_environment_file_name(std::string_view name);

}  // namespace hearth
