#include "builder/cache/earlier_build.hpp"

#include <algorithm>

#include "base/foreign_json.hpp"
#include "base/text.hpp"
#include "builder/blobs/blob_store.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/layers/layer_record.hpp"

namespace hearth::builder {

const EarlierStep* EarlierBuild::find(const std::string& label) const {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [&](const EarlierStep& step) { return step.label == label; });
  return found == steps.end() ? nullptr : &*found;
}

std::string EarlierBuild::why_not_kept(const EarlierStep& step, const std::string& now) const {
  if (!base.empty() && base != now) return "layers of the last build are of another Hearth, or of another architecture";
  if (gone.count(step.layer) > 0)
    return "its layer is not in the cache any more: it was pruned, or the cache is another one";
  if (!base.empty() && step.layer.empty()) return "it was too quick for a layer of its own";
  return "";
}

EarlierBuild earlier_build(const Json& report, const HasLayer& has) {
  EarlierBuild earlier;
  try {
    for (const Json& each : list_member(report, "steps")) {
      StepRecord step = step_record(each);
      earlier.steps.push_back(
          {std::move(step.label), !step.element.empty(), std::move(step.facts), text_member(each, "layer")});
    }
  } catch (const Json::exception&) {  // no report
    return {};
  }
  earlier.base = text_member(report, "base");
  for (const Json& layer : list_member(report, "layers")) {
    if (!layer.is_string() || !is_digest(layer.get<std::string>())) continue;
    if (!has(layer.get<std::string>())) earlier.gone.insert(layer.get<std::string>());
  }
  return earlier;
}

EarlierBuild earlier_build(const FileReader& files, const fs::path& directory, const HasLayer& has) {
  const fs::path file = directory / k_steps_file;
  const Result<Json> report = parse_json(files.read(file).value_or("null"), file.string());
  return report.ok() ? earlier_build(report.value(), has) : EarlierBuild();
}

}  // namespace hearth::builder
