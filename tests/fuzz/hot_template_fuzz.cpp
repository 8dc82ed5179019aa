// Any document is a stack that can be validated, or a fault; nothing else leaves the compiler.
#include "metadata/compile/files.hpp"
#include "metadata/compile/request.hpp"
#include "metadata/compile/validation.hpp"
#include "tests/fuzz/check.hpp"

namespace metadata = hearth::metadata;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  metadata::StackModel model;
  model.files = std::make_unique<metadata::MapFiles>(
      std::map<std::string, std::string>{{"t.yaml", std::string(hearth::fuzz::text_of(data, size))}});
  metadata::StackRequest request;
  request.template_name = "t.yaml";
  request.settings.most_resources = 200;
  request.settings.deepest = 4;
  request.settings.yaql_limit = 200;
  try {
    metadata::build_model(model, request);
    (void)metadata::validate_stack(*model.root);
  } catch (const metadata::Fault& fault) {
    hearth::fuzz::check(!fault.type().empty());
  }
  return 0;
}
