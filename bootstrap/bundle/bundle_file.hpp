// Writing, checking and unpacking bundles (manifest.hpp has the format).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "bootstrap/bundle/manifest.hpp"

namespace hearth::bootstrap::bundle {

/// A file of this machine, and where it goes in the bundle.
struct Source {
  std::string path;
  fs::path file;
};

/// Called now and then with the bytes done so far.
using OnBytes = std::function<void(std::uint64_t)>;

/// Digests, then packs. `key_pem`: an Ed25519 private key, or empty. The output appears complete, or not at all. Throws
/// Error: input when a source is neither file nor link, or changes while it is packed. Returns the manifest.
Manifest write_bundle(const fs::path& output, Manifest manifest, std::vector<Source> sources,
                      const std::string& key_pem, const OnBytes& on_bytes);

struct Checked {
  Manifest manifest;
  std::string key_id;  ///< who signed, hexadecimal; empty = nobody
};

/// What stands at the beginning of a bundle, unchecked; nothing where the file is none.
[[nodiscard]] std::optional<Manifest> manifest_of(const fs::path& file);

/// Reads the whole bundle and checks all of it. `key`: who must have signed (hexadecimal public key). Throws
/// Error(input): cut short, altered, unsigned, signed by a stranger.
[[nodiscard]] Checked check_bundle(const fs::path& bundle, const std::optional<std::string>& key,
                                   const OnBytes& on_bytes);

/// Checks while it unpacks. `directory` appears when everything in the bundle was right, or not at all; it must not be
/// there, or be empty.
Checked unpack_bundle(const fs::path& bundle, const fs::path& directory, const std::optional<std::string>& key,
                      const OnBytes& on_bytes);

}  // namespace hearth::bootstrap::bundle
