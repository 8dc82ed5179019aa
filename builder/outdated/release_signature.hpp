// Whether a Release file is signed by a key that this machine trusts for packages. gpgv judges, with the keyrings that
// apt and the bootstraps use.
#pragma once

#include <string>
#include <vector>

#include "base/path.hpp"
#include "base/sys/file.hpp"
#include "base/sys/process.hpp"

namespace hearth::builder {

struct SignatureCheck {
  bool is_bad = false;    ///< a key that is known says that this is not what it signed
  std::string unchecked;  ///< why nobody answers for it; empty when a key that is known has signed it
};

/// Those of DIB_APT_KEYRING and DIB_DEBIAN_KEYRING, of the packages of archives' keys, and apt's own.
[[nodiscard]] std::vector<fs::path> archive_keyrings(const FileReader& files, const Environment& environment);

/// `signature`: the bytes of Release.gpg; empty when `text` is an InRelease file, which is signed in itself. Both are
/// written below `scratch` for gpgv.
[[nodiscard]] SignatureCheck check_release_signature(const std::string& text, const std::string& signature,
                                                     const std::vector<fs::path>& keyrings, CommandRunner& runner,
                                                     const fs::path& scratch);

}  // namespace hearth::builder
