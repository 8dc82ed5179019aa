// Keys of the records in a cache that a fleet shares (store/record_signature).
#pragma once

#include <string>
#include <vector>

namespace hearth::builder {

/// Ed25519.
struct RecordKeys {
  std::string signing;               ///< a private key, PEM; empty = nothing can be signed
  std::vector<std::string> trusted;  ///< public keys, hexadecimal; none = records need no signature
};

}  // namespace hearth::builder
