// SHA-256, in hexadecimal, of files and of whole directories.
#pragma once

#include <cstdint>
#include <string>

#include "base/path.hpp"
#include "base/sys/fd.hpp"

namespace hearth {

/// Opens a file that came from elsewhere. Throws Error(input) for a pipe, which nobody ever ends, or a device; disks
/// are read.
[[nodiscard]] Fd open_regular(const fs::path& file);

struct FileDigest {
  std::string sha256;
  std::uint64_t size = 0;  ///< bytes that were read
};
/// As open_regular(); throws Error.
[[nodiscard]] FileDigest digest_file(const fs::path& file);

/// The digest of a directory: names, kinds, executable bits and contents of everything in it, and of what links that
/// lead out of it lead to, in a fixed order.
[[nodiscard]] std::string directory_digest(const fs::path& directory);

}  // namespace hearth
