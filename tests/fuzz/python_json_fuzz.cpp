// Any bytes give a value or an error with a place in the text; what is written is read again as the same, and so are
// its members one by one.
#include "base/python_json.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = hearth::fuzz::text_of(data, size);
  const hearth::Result<hearth::Json> json = hearth::parse_python_json(text, "input");
  const auto members = hearth::python_json_members(text, "input");
  check(members.ok() ? json.ok() : !json.ok() && members.error() == json.error());
  if (json.ok()) {
    const std::string written = hearth::python_json(*json, {.indent = 2});
    const hearth::Result<hearth::Json> again = hearth::parse_python_json(written, "again");
    check(again.ok() && hearth::python_json(*again, {.indent = 2}) == written);
    (void)hearth::python_text(*json);
    check(members->has_value() == json->is_object());
    hearth::Json same = hearth::Json::object();
    for (const auto& member : members->value_or(std::vector<hearth::JsonMember>())) {
      same[member.key] = hearth::parse_python_json(member.value, "member").value_or_throw();
    }
    check(!json->is_object() || hearth::python_json(same) == hearth::python_json(*json));
  } else {
    check(!json.error().what.empty());
  }
  return 0;
}
