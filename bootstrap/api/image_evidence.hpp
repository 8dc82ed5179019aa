// What the seed knows of how its images were made: a summary in the image's document, and the evidence itself in
// DIR/evidence, for those who log in. Only what stands beside an image when it is loaded is known; nothing here proves
// it (hearth image verify does).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/path.hpp"

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

/// Removes what is kept of that image in the state's folder, but for the files that its document names.
void drop_evidence(const fs::path& state, const std::string& image, const Json& document);

/// What is under way to readers: each file is in memory once, however many read it and however slowly, and not more of
/// them at a time than fits.
class EvidenceShelf {
 public:
  static constexpr std::uint64_t k_most = std::uint64_t{256} << 20U;
  explicit EvidenceShelf(std::uint64_t most = k_most) : most_(most) {}
  /// Null where there is no such file. Throws Refusal (503) where it does not fit now.
  [[nodiscard]] std::shared_ptr<const std::string> take(const fs::path& file);

 private:
  struct Kept {
    std::array<std::uint64_t, 4> which{};  ///< device, file, and when it was changed
    std::weak_ptr<const std::string> text;
  };
  std::uint64_t most_;
  std::vector<Kept> kept_;
};

}  // namespace hearth::bootstrap
