// Whether an image and what lies beside it are what a statement says, and who says so.
#pragma once

#include <string>
#include <vector>

#include "builder/evidence/evidence.hpp"

namespace hearth::builder::evidence {

/// The statement beside an image, once this was checked: it is one of ours about an image; each of `keys` (64
/// hexadecimal digits each) has signed it, and every signature by one of them holds; SBOM, manifest, lock and tree
/// record are those that it names, none missing and none added; provenance.json says the same. Throws Error(input or
/// not_found).
[[nodiscard]] Statement checked_statement(const fs::path& image, const std::vector<std::string>& keys);

/// Why what write_evidence() made in NAME.d is not whole: a file was taken away, cut short, or is not what the
/// provenance says. The image itself is not read.
[[nodiscard]] std::vector<std::string> evidence_faults(const fs::path& stem, const fs::path& image);

/// Throws Error(input) unless the image is the one that the statement is about.
void require_image(const Statement& statement, const fs::path& image);

}  // namespace hearth::builder::evidence
