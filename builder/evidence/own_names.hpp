// The builder's own files in NAME.d, beside those that hooks leave there. A file that the builder writes there stands
// in this list, by which it is taken for its own.
#pragma once

#include <array>
#include <string>

#include "base/path.hpp"

namespace hearth::builder {

inline constexpr const char* k_name_lock = ".lock";
inline constexpr const char* k_build_log = "build.log";
inline constexpr const char* k_steps_file = "steps.json";
inline constexpr const char* k_output_file = "output.json";
inline constexpr const char* k_timing_file = "timing.json";
inline constexpr const char* k_timing_picture = "timing.svg";
inline constexpr const char* k_manifest_file = "manifest.json";
inline constexpr const char* k_tree_file = "tree.tsv";
inline constexpr const char* k_sbom_file = "sbom.spdx.json";
inline constexpr const char* k_provenance_file = "provenance.json";
inline constexpr const char* k_signed_file = "provenance.dsse.json";
inline constexpr const char* k_lock_file = "hearth.lock";
inline constexpr const char* k_lock_answers = "hearth.lock.d";  ///< a directory
inline constexpr const char* k_clusters_file = "clusters";
inline constexpr const char* k_unfinished_file = "unfinished.json";

inline constexpr std::array k_own_names = {k_name_lock,    k_build_log,       k_steps_file,     k_output_file,
                                           k_timing_file,  k_timing_picture,  k_manifest_file,  k_tree_file,
                                           k_sbom_file,    k_provenance_file, k_signed_file,    k_lock_file,
                                           k_lock_answers, k_clusters_file,   k_unfinished_file};

/// NAME.d of an image's name, or of the name of one of its files.
[[nodiscard]] inline fs::path records_directory(const std::string& image) {
  fs::path path = image;
  if (!fs::is_directory(path.string() + ".d")) path.replace_extension();
  return path.string() + ".d";
}

}  // namespace hearth::builder
