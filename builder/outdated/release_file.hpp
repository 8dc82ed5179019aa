// The Release file of a Debian package repository: what the repository is, and where its lists of packages are. Pure.
// Source of the format: https://wiki.debian.org/DebianRepository/Format; clear-signed texts: RFC 4880 section 7.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::builder {

struct PackageListFile {
  std::string path;  ///< below the Release file's directory: "main/binary-amd64/Packages.xz"
  std::string sha256;
  std::uint64_t bytes = 0;
  bool operator==(const PackageListFile&) const = default;
};

struct ReleaseFile {
  std::string suite;         ///< else the codename; may be empty
  bool is_security = false;  ///< of security updates, as it says itself
  /// apt takes nothing from it unasked (experimental, backports) …
  bool not_automatic = false;
  /// … but newer versions of what came from it.
  bool automatic_upgrades = false;
  bool by_hash = false;  ///< lists are there by their digest, too
  std::vector<PackageListFile> lists;
};

/// `architectures`: whose lists are wanted; those of "all" are, too. Of each list the smallest form that we unpack.
/// Lines that are none, and paths that lead out of the repository, are passed over.
[[nodiscard]] ReleaseFile parse_release_file(std::string_view text, const std::set<std::string>& architectures);

/// The text that an InRelease file's signature is about; nothing when there is none. What stands around it is
/// anybody's.
[[nodiscard]] std::optional<std::string> clear_signed_text(std::string_view text);

}  // namespace hearth::builder
