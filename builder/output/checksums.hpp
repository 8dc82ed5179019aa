#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/path.hpp"

namespace hearth::builder {

/// The digests that DIB_CHECKSUM asks for: "1" is both, else those of "md5" and "sha256" that it contains.
[[nodiscard]] std::vector<HashKind> parse_checksums(std::string_view setting);

/// Writes FILE.md5 and FILE.sha256 as md5sum and sha256sum do: digest, two blanks, the path as it was given. The file
/// is read once for all digests.
void write_checksums(const fs::path& file, const std::vector<HashKind>& kinds);

}  // namespace hearth::builder
