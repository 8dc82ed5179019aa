// What the seed knows of how its images were made: a summary in the image's document, and the evidence itself in
// DIR/evidence, for those who log in. Only what stands beside an image when it is loaded is known; nothing here proves
// it (hearth image verify does).
#pragma once

#include <array>
#include <string>

#include "base/json.hpp"

namespace hearth::bootstrap {

inline constexpr const char* k_evidence_folder = "evidence";
/// The files of NAME.d that are kept.
inline constexpr std::array<const char*, 5> k_evidence_shown = {"manifest.json", "sbom.spdx.json", "provenance.json",
                                                                "provenance.dsse.json", "hearth.lock"};

/// What one of them is called in the folder.
[[nodiscard]] std::string evidence_name(const std::string& image, const std::string& file);

/// {"builder", "distribution", "architecture", "elements": […], "packages": N, "finished", "agrees"}: `agrees` says
/// whether the statement gives `digest` (SHA-256) for one of its files; null without a statement. Both are foreign
/// files: what has not its kind is left out.
[[nodiscard]] Json evidence_summary(const Json& manifest, const Json& statement, const std::string& digest);

}  // namespace hearth::bootstrap
