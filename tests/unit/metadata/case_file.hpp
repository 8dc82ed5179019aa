// Cases with verdicts of the real Heat, as data beside the tests.
#pragma once

#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "metadata/model/json_reader.hpp"
#include "source_directory.hpp"

namespace hearth::metadata {

inline std::vector<Value> cases(const std::string& name) {
  const std::string path = std::string(HEARTH_SOURCE_DIR) + "/tests/unit/metadata/data/" + name;
  return parse_json_value(read_file(path), name).value_or_throw().items();
}

inline Value of(const Value& map, std::string_view key) {
  const Value* found = map.find(key);
  return found == nullptr ? Value() : *found;
}

}  // namespace hearth::metadata
