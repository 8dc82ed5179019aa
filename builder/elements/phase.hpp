// The phases of an image build, in order, and where their hooks run. Source: diskimage-builder, "phase subdirectories".
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace hearth::builder {

enum class Phase {
  root,
  extra_data,
  pre_install,
  install,
  post_install,
  post_root,
  block_device,
  pre_finalise,
  finalise,
  cleanup,
};

enum class Place { host, target };

struct PhaseInfo {
  Phase phase;
  std::string_view name;  ///< "pre-install"; its directory is "pre-install.d"
  Place place;
};

inline constexpr std::array<PhaseInfo, 10> k_phases = {{
    {Phase::root, "root", Place::host},
    {Phase::extra_data, "extra-data", Place::host},
    {Phase::pre_install, "pre-install", Place::target},
    {Phase::install, "install", Place::target},
    {Phase::post_install, "post-install", Place::target},
    {Phase::post_root, "post-root", Place::host},
    {Phase::block_device, "block-device", Place::host},
    {Phase::pre_finalise, "pre-finalise", Place::host},
    {Phase::finalise, "finalise", Place::target},
    {Phase::cleanup, "cleanup", Place::host},
}};

[[nodiscard]] constexpr const PhaseInfo& info(Phase phase) { return k_phases[static_cast<std::size_t>(phase)]; }
[[nodiscard]] inline std::string directory_name(Phase phase) { return std::string(info(phase).name) + ".d"; }

/// The phase of this name, without ".d".
[[nodiscard]] inline std::optional<Phase> parse_phase(std::string_view name) {
  for (const PhaseInfo& candidate : k_phases) {
    if (candidate.name == name) return candidate.phase;
  }
  return std::nullopt;
}

}  // namespace hearth::builder
