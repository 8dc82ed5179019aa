// Of any document all mistakes are told, each with its place, and the search for them ends: a document that is valid
// has none, and one that is not has some.
#include "metadata/compile/files.hpp"
#include "metadata/compile/mending.hpp"
#include "metadata/compile/validation.hpp"
#include "tests/fuzz/check.hpp"

namespace metadata = hearth::metadata;

namespace {

void build(metadata::StackModel& model, std::string_view text) {
  model.files = std::make_unique<metadata::MapFiles>(std::map<std::string, std::string>{{"t.yaml", std::string(text)}});
  metadata::StackRequest request;
  request.template_name = "t.yaml";
  request.settings.most_resources = 200;
  request.settings.deepest = 4;
  request.settings.yaql_limit = 200;
  metadata::build_model(model, request);
}

bool is_valid(std::string_view text) {
  metadata::StackModel model;
  try {
    build(model, text);
    return metadata::validate_stack(*model.root).empty();
  } catch (const metadata::Fault&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = hearth::fuzz::text_of(data, size);
  const metadata::Mistakes mistakes = metadata::all_mistakes([&](metadata::StackModel& model) { build(model, text); });
  hearth::fuzz::check(mistakes.errors.empty() == is_valid(text));
  for (const metadata::Mistake& each : mistakes.errors) hearth::fuzz::check(!each.text.empty() && !each.story.empty());
  return 0;
}
