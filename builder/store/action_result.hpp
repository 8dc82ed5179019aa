// Records of layers as a value of the HTTP cache protocol's /ac/: an ActionResult of the Remote Execution API
// (remote_execution.proto v2) in protobuf's wire format, so that servers that check what they keep, and what it refers
// to, accept it. The layers' archives are its output files; the records themselves are in stdout_raw.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "builder/layers/layer_record.hpp"

namespace hearth::builder {

[[nodiscard]] std::string encode_action(const std::vector<LayerRecord>& records);

/// The records of a value that encode_action() made; none when the bytes are anything else.
[[nodiscard]] std::vector<LayerRecord> decode_action(std::string_view bytes);

}  // namespace hearth::builder
