// YAML 1.1 documents to values, as PyYAML's safe loader gives them to Heat, each value with its position.
//
// Refused: more than one document, unknown tags, aliases to what is not complete yet (endless values), documents that
// would be more than `budget` values when every alias is written out ("billion laughs"), nesting deeper than 200.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.hpp"
#include "metadata/model/value.hpp"

namespace hearth::metadata {

struct YamlLimits {
  std::uint64_t budget = 2'000'000;
};

/// An empty document is null. `file` is the number of `source` in the caller's Sources.
[[nodiscard]] Result<Value> parse_yaml(std::string_view text, std::string_view source, std::uint32_t file = 0,
                                       const YamlLimits& limits = {});

}  // namespace hearth::metadata
