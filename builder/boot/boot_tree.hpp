// Reading and writing boot files in the tree of an image.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "builder/boot/kernels.hpp"

namespace hearth::builder {

/// Writes a file of the image, its directories included, all with the given time.
void write_in_tree(const fs::path& tree, const std::string& path, std::string_view bytes, std::int64_t epoch);

/// Sets the time of a file, not following a link.
void stamp_time(const fs::path& path, std::int64_t epoch);

/// The kernel that an image boots, and what describes it.
struct KernelBytes {
  std::string kernel;
  std::string initrd;   ///< may be empty
  std::string version;  ///< "6.1.0-18-amd64", by the file's name
};
[[nodiscard]] KernelBytes read_kernel(const fs::path& tree, const DiskLayout& layout);

/// A boot loader's file: from the tree's own package, else from this machine's. Throws Error(not_found) with a hint to
/// install `package` when neither has it.
[[nodiscard]] std::string read_loader_file(const fs::path& tree, const fs::path& path, const char* package);

/// A field of the tree's os-release, such as ID; `fallback` where there is none.
[[nodiscard]] std::string os_release_field(const fs::path& tree, const std::string& field, std::string fallback);

}  // namespace hearth::builder
