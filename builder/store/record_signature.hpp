// Signatures of the records in a cache that a fleet shares. Whoever can write there could otherwise decide what others'
// images hold. Signed is the record together with the key that it lies under, so that none holds in another's place;
// the record names its archive by digest. Pure.
#pragma once

#include <string>

#include "builder/evidence/record_keys.hpp"
#include "builder/layers/layer_record.hpp"

namespace hearth::builder {

struct SignedRecord {
  LayerRecord record;
  std::string signature;  ///< 64 bytes; empty = not signed
};

/// Without a signature where there is no key to sign with.
[[nodiscard]] SignedRecord sign_record(const RecordKeys& keys, const std::string& lookup_key, LayerRecord record);
/// Whether it may be used: signed by one of the trusted keys for this place, or nobody asks for signatures.
[[nodiscard]] bool is_trusted(const RecordKeys& keys, const std::string& lookup_key, const SignedRecord& given);

}  // namespace hearth::builder
