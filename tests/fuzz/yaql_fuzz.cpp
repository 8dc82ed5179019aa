// Any text is an expression that can be evaluated, or a fault.
#include "metadata/model/fault.hpp"
#include "metadata/yaql/evaluator.hpp"
#include "tests/fuzz/check.hpp"

namespace metadata = hearth::metadata;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const hearth::Result<metadata::yaql::SyntaxPtr> syntax = metadata::yaql::parse(hearth::fuzz::text_of(data, size));
  if (!syntax) {
    hearth::fuzz::check(!syntax.error().what.empty());
    return 0;
  }
  metadata::yaql::Variables variables;
  const metadata::Value list = metadata::Value::list({metadata::Value::integer(1), metadata::Value::string("a")});
  variables.set("$", metadata::yaql::Item(metadata::map_of({{"data", list}})));
  metadata::yaql::Evaluator evaluator(50);
  try {
    (void)evaluator.output(evaluator.evaluate(**syntax, variables));
  } catch (const metadata::Fault& fault) {
    hearth::fuzz::check(!fault.type().empty());
  }
  return 0;
}
