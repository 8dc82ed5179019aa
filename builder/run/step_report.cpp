#include "builder/run/step_report.hpp"

#include <map>

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/layers/fact_source.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_column = 44;
constexpr std::size_t k_most_reasons = 6;

std::map<std::string, Facts> facts_by_step(const Json& report) {
  std::map<std::string, Facts> facts;
  if (!report.is_object() || !report.contains("steps")) return facts;
  for (const Json& step : report.at("steps")) facts[step.at("step").get<std::string>()] = facts_from(step.at("facts"));
  return facts;
}

/// What made the step run: its own inputs; else, that one before it did.
std::vector<std::string> reasons_of(const StepRecord& step, const std::map<std::string, Facts>& before,
                                    const std::string& first_changed, const std::string& ended) {
  if (const auto reason = unkeepable(step.facts)) return {cat("it is not kept: ", *reason)};
  if (before.empty()) return {"nothing was kept of an earlier build of this image"};
  const auto found = before.find(step.label);
  if (found == before.end()) return {"it is new"};
  std::vector<std::string> differences = describe_differences(found->second, step.facts);
  if (differences.size() > k_most_reasons) {
    const std::size_t more = differences.size() - k_most_reasons;
    differences.resize(k_most_reasons);
    differences.push_back(cat("and ", more, " more"));
  }
  if (!differences.empty()) return differences;
  if (!first_changed.empty()) return {cat("it comes after ", first_changed)};
  if (!ended.empty()) return {cat("nothing was kept: ", ended)};
  return {"it is quick, and shares the next layer"};
}

}  // namespace

Json step_report(const std::vector<StepRecord>& steps, std::size_t taken, const Json& before,
                 const std::string& ended) {
  const std::map<std::string, Facts> known = facts_by_step(before);
  Json list = Json::array();
  std::string first_changed;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Json step = to_json(steps[i]);
    step["outcome"] = i < taken ? "taken" : "ran";
    if (i >= taken) {
      std::vector<std::string> reasons = reasons_of(steps[i], known, first_changed, ended);
      for (std::string& reason : reasons) reason = replace_invalid_utf8(reason);  // files have any bytes in their names
      step["why"] = reasons;
      const auto found = known.find(steps[i].label);
      const bool changed = found == known.end() || found->second != steps[i].facts;
      if (changed && first_changed.empty()) first_changed = steps[i].label;
    }
    list.push_back(std::move(step));
  }
  return {{"version", 1}, {"taken", taken}, {"steps", list}};
}

void write_steps(const BuildInputs& inputs, const std::vector<StepRecord>& steps, std::size_t taken,
                 const std::string& ended, std::uint64_t work_area_bytes) {
  const fs::path file = fs::path(inputs.request.output.string() + ".d") / k_steps_file;
  RealFileSystem files;
  const Result<Json> before = parse_json(files.read(file).value_or("null"), file.string());
  Json report;
  try {
    report = step_report(steps, taken, before.ok() ? before.value() : Json(), ended);
  } catch (const Json::exception&) {  // not a report
    report = step_report(steps, taken, Json(), ended);
  }
  report["work_area_bytes"] = work_area_bytes;
  files.write(file, cat(format_json(report, {.indent = 1}), "\n"), {.mode = 0644});
}

std::string why_text(const Json& report) {
  std::string text;
  std::size_t ran = 0;
  for (const Json& step : report.at("steps")) {
    const bool was_taken = step.at("outcome") == "taken";
    if (!was_taken) ++ran;
    std::string line = cat(was_taken ? "  kept  " : "  ran   ", step.at("step").get<std::string>());
    line.resize(std::max(line.size() + 2, k_column), ' ');
    line += cat(fixed(step.at("seconds").get<double>(), 1), " s");
    if (!was_taken && step.contains("why")) {
      line += cat("  ", join(step.at("why").get<std::vector<std::string>>(), "; "));
    }
    text += cat(line, "\n");
  }
  const auto taken = report.at("taken").get<std::size_t>();
  return cat(text, taken, taken == 1 ? " step was" : " steps were", " taken from layers, ", ran, " ran\n");
}

}  // namespace hearth::builder
