// Any text renders to a text of bounded size, or is a fault with a line.
#include "metadata/jinja/renderer.hpp"

#include "metadata/model/fault.hpp"
#include "tests/fuzz/check.hpp"

namespace metadata = hearth::metadata;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  metadata::Sources sources;
  metadata::jinja::RenderRequest request{.text = std::string(hearth::fuzz::text_of(data, size)), .name = "t.j2"};
  const metadata::Value role = metadata::map_of({{"name", metadata::Value::string("Compute")}});
  request.variables = {{"roles", metadata::Value::list({role, role})}, {"role", role}};
  try {
    hearth::fuzz::check(metadata::jinja::render(request, sources).size() <= 40'000'000);
  } catch (const metadata::Fault& fault) {
    hearth::fuzz::check(fault.mark().line > 0);
  }
  return 0;
}
