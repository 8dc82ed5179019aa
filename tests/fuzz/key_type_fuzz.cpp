// --key and --type: a dotted key into a document, and every type's form of any text. The first line is the key.
#include "agent/apply/key_value.hpp"
#include "base/python_json.hpp"
#include "tests/fuzz/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const hearth::Json document =
      hearth::parse_python_json(R"({"a": [1, [2, {"b": null}], {"c": "d"}], "": {"": 1}})", "m").value_or_throw();
  static const hearth::agent::JsonRoot root(document);
  const std::string text(hearth::fuzz::text_of(data, size));
  const hearth::Json* value = hearth::agent::find_key(root, text.substr(0, text.find('\n')));
  hearth::fuzz::check(value == nullptr || !value->is_null());
  for (const char* type : {"int", "default", "netaddress", "netdevice", "dsn", "swiftdevices", "username", "raw"}) {
    (void)hearth::agent::matches_key_type(text, type);
  }
  return 0;
}
