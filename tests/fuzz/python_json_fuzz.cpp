// Any bytes give a value or an error with a place in the text; what is written is read again as the same.
#include "base/python_json.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const hearth::Result<hearth::Json> json = hearth::parse_python_json(hearth::fuzz::text_of(data, size), "input");
  if (json.ok()) {
    const std::string written = hearth::python_json(*json, {.indent = 2});
    const hearth::Result<hearth::Json> again = hearth::parse_python_json(written, "again");
    check(again.ok() && hearth::python_json(*again, {.indent = 2}) == written);
    (void)hearth::python_text(*json);
  } else {
    check(!json.error().what.empty());
  }
  return 0;
}
