// Records of layers as a value of the HTTP cache protocol's /ac/: an ActionResult of the Remote Execution API
// (remote_execution.proto v2) in protobuf's wire format, so that servers that check what they keep, and what it refers
// to, accept it. The layers' archives are its output files; the records themselves are in stdout_raw: a line of JSON
// each, and before it the signature in base64 where there is one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "builder/store/record_signature.hpp"

namespace hearth::builder {

[[nodiscard]] std::string encode_action(const std::vector<SignedRecord>& records);

/// The records of a value that encode_action() made; none when the bytes are anything else.
[[nodiscard]] std::vector<SignedRecord> decode_action(std::string_view bytes);

}  // namespace hearth::builder
