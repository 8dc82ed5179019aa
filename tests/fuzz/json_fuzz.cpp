// Any bytes give a value or an error with a place in the text; a value survives being written and read again.
#include "base/json.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const hearth::Result<hearth::Json> json = hearth::parse_json(hearth::fuzz::text_of(data, size), "input");
  if (json.ok()) {
    const std::string written = json->dump();
    const hearth::Result<hearth::Json> again = hearth::parse_json(written, "again");
    check(again.ok() && again->dump() == written);
  } else {
    check(!json.error().what.empty());
  }
  return 0;
}
