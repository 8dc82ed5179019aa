// Any bytes give a value or an error with a place in the text; what was read can be written as JSON and read again.
#include "metadata/model/json_reader.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/model/yaml_reader.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;
namespace metadata = hearth::metadata;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const hearth::Result<metadata::Value> value =
      metadata::parse_yaml(hearth::fuzz::text_of(data, size), "input", 0, {.budget = 20000});
  if (!value) {
    check(!value.error().what.empty() && value.error().at.line > 0);
    return 0;
  }
  const std::string written = metadata::json_text(*value);
  const hearth::Result<metadata::Value> again = metadata::parse_json_value(written, "again");
  check(again.ok() && metadata::json_text(*again) == written);
  return 0;
}
