// The secrets of a site, from which ids, passwords and keys of static stacks are derived: a file of mode 0600.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "base/path.hpp"
#include "metadata/graph/stack.hpp"

namespace hearth::metadata {

/// `seed` stays, or every id and password would be another; `key` is what a rotation replaces.
struct SiteSeed {
  std::string seed;
  std::string key;
  std::string former_key{};       ///< still holds until `former_until`; empty = none
  std::int64_t former_until = 0;  ///< Unix seconds
};

/// Where the seed of what is compiled to `output` is kept: ".hearth-seed" beside that directory.
[[nodiscard]] fs::path seed_file_beside(const fs::path& output);
/// Throws Error: not there, readable by others, no such file's contents.
[[nodiscard]] SiteSeed read_site_seed(const fs::path& file);
/// Reads the file, or makes it with random secrets. Of two that make it at once one does, and both read that.
[[nodiscard]] SiteSeed site_seed(const fs::path& file);
/// A new key; the former one holds until `until`. Throws Error when an earlier one holds still, unless `forced`.
SiteSeed rotate_site_seed(const fs::path& file, std::int64_t now, std::int64_t until, bool forced);
/// The settings of stacks of this site at the time `now`.
void use_site_seed(const SiteSeed& site, std::int64_t now, StackSettings& settings);

}  // namespace hearth::metadata
