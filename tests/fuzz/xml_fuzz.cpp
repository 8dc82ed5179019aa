// Answers of a CloudFormation API: elements, or an error with its place; and a path into them finds a value or says why
// not.
#include "agent/collect/sources.hpp"
#include "agent/collect/xml.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = hearth::fuzz::text_of(data, size);
  const hearth::Result<hearth::agent::XmlElement> root = hearth::agent::parse_xml(text, "input");
  check(root.ok() || !root.error().what.empty());
  const auto value = hearth::agent::value_in_answer(*hearth::agent::parse_cfn_path("r.Metadata.a.b"), text);
  check(value.ok() ? value->is_object() : !value.error().empty());
  return 0;
}
