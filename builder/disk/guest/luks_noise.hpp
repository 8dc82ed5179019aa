// The random bytes of an encrypted volume, when the same input is to give the same bytes: volume key and salts are
// drawn from a stream that follows from the volume's own key and its UUID. Whoever could foretell it has the key and
// can open the volume anyway; guessing a passphrase through it costs what guessing it at the volume does (scrypt, RFC
// 7914, with 128 MiB). Without a wish for equal bytes nothing of this is used.
#pragma once

#include <string_view>

#include "base/path.hpp"

namespace hearth::builder {

/// Writes the stream as a new file, longer than `cryptsetup luksFormat` reads: it fills the area of the key slots, too.
void write_luks_noise(const fs::path& file, std::string_view key, std::string_view uuid);

}  // namespace hearth::builder
