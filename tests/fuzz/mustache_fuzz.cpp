// Templates, and the same bytes as partials: text, or an error; rendering ends.
#include "agent/apply/mustache_renderer.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "tests/fuzz/check.hpp"

using hearth::fuzz::check;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const hearth::Json metadata =
      hearth::parse_python_json(
          R"({"s": "str", "n": 1, "t": true, "z": null, "d": {"a": {"b": "c"}}, "l": [1, "x", {"k": "v"}], "e": []})",
          "m")
          .value_or_throw();
  const std::string text(hearth::fuzz::text_of(data, size));
  const auto parsed = hearth::parse_mustache(text, "input");
  if (!parsed) {
    check(!parsed.error().what.empty());
    return 0;
  }
  const hearth::agent::JsonRoot root(metadata);
  int partials = 0;
  try {
    (void)hearth::agent::render_mustache(*parsed, root, [&](const std::string&) -> std::optional<std::string> {
      return ++partials < 4 ? std::optional(text) : std::nullopt;
    });
  } catch (const hearth::Error& error) {
    check(error.kind() == hearth::ErrorKind::input);
  }
  return 0;
}
