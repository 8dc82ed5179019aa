#pragma once

#include <string>
#include <vector>

#include "base/hash.hpp"
#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth::builder {

/// ".md5", ".sha256", ".sha512".
[[nodiscard]] std::string checksum_extension(HashKind kind);

/// The digests of a whole file, read once, in the order of `kinds`. The descriptor's position stays.
[[nodiscard]] std::vector<std::string> digests_of(const Fd& file, const std::vector<HashKind>& kinds);

/// As md5sum writes it: digest, two blanks, the path as it was given.
[[nodiscard]] std::string checksum_line(const fs::path& file, const std::string& digest);

/// Writes FILE.md5 and so on, each with its line.
void write_checksum_files(const fs::path& file, const std::vector<HashKind>& kinds,
                          const std::vector<std::string>& digests);

}  // namespace hearth::builder
