#include "builder/run/step_report.hpp"

#include <map>

#include "base/cli/layout.hpp"
#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/json_place.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/layers/fact_source.hpp"
#include "builder/store/blob_store.hpp"

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
                                    const std::string& first_changed, const std::string& ended,
                                    const PlaceInStep& place_of) {
  if (const auto reason = unkeepable(step.facts)) return {cat("it is not kept: ", *reason)};
  if (before.empty()) return {"nothing was kept of an earlier build of this image"};
  const auto found = before.find(step.label);
  if (found == before.end()) return {"it is new"};
  const auto place = [&](const std::string& fact) { return place_of ? place_of(step.label, fact) : std::string(); };
  std::vector<std::string> differences = describe_differences(found->second, step.facts, place);
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

/// What is said of the layer of this step that another build made: of the nearest, which is first.
void add_rejected(const std::string& label, const std::vector<std::string>& rejected,
                  std::vector<std::string>& reasons) {
  const std::string begin = cat(label, ": ");
  for (const std::string& each : rejected) {
    if (!each.starts_with(begin)) continue;
    const std::string what = each.substr(begin.size());
    if (std::find(reasons.begin(), reasons.end(), what) == reasons.end())
      reasons.push_back(cat("a layer of another build is there, but ", what));
    return;
  }
}

bool was_taken(const Json& step) { return step.at("outcome") == "taken"; }

std::string why_of(const Json& step) {
  return was_taken(step) || !step.contains("why") ? "" : join(step.at("why").get<std::vector<std::string>>(), "; ");
}

/// `before`: the reason of the line before, which is not said again.
std::string why_line(const Json& step, const std::string& before, std::size_t room) {
  constexpr std::size_t k_below = 8;
  std::string line = cat(was_taken(step) ? "  kept  " : "  ran   ", step.at("step").get<std::string>());
  line.resize(std::max(line.size() + 2, k_column), ' ');
  line += cat(fixed(step.at("seconds").get<double>(), 1), " s");
  const std::string why = why_of(step);
  if (why.empty() || why == before) return cat(line, "\n");
  if (room == 0 || cli::columns(line) + 2 + cli::columns(why) <= room) return cat(line, "  ", why, "\n");
  return cat(line, "\n", std::string(k_below, ' '), cli::wrapped(why, room, k_below, k_below), "\n");
}

/// Of a report that can't be told: the first step that is at fault, or what it has beside the steps.
std::string wrong_place(const Json& report) {
  std::size_t i = 0;
  for (const Json& step : list_member(report, "steps")) {
    try {
      static_cast<void>(why_line(step, "", 0));
    } catch (const Json::exception&) {
      return cat("steps[", i, "]");
    }
    ++i;
  }
  return member_or_null(report, "steps").is_array() ? "taken" : "steps";
}

}  // namespace

Json step_report(const std::vector<StepRecord>& steps, std::size_t taken, const Json& before, const std::string& ended,
                 const std::vector<std::string>& rejected, const PlaceInStep& place_of) {
  const std::map<std::string, Facts> known = facts_by_step(before);
  Json list = Json::array();
  std::string first_changed;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Json step = to_json(steps[i]);
    step["outcome"] = i < taken ? "taken" : "ran";
    if (i >= taken) {
      std::vector<std::string> reasons = reasons_of(steps[i], known, first_changed, ended, place_of);
      add_rejected(steps[i].label, rejected, reasons);
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

void write_steps(const BuildInputs& inputs, const StepsDone& done) {
  const fs::path file = fs::path(inputs.request.output.string() + ".d") / k_steps_file;
  RealFileSystem files;
  const Result<Json> before = parse_json(files.read(file).value_or("null"), file.string());
  const auto report_after = [&](const Json& earlier) {
    return step_report(
        done.steps, done.taken, earlier, done.ended, done.rejected,
        [&](const std::string& label, const std::string& fact) { return inputs.facts.place_of(label, fact); });
  };
  Json report;
  try {
    report = report_after(before.ok() ? before.value() : Json());
  } catch (const Json::exception&) {  // not a report
    report = report_after(Json());
  }
  report["layers"] = done.layers;
  report["work_area_bytes"] = done.work_area_bytes;
  files.write(file, cat(format_json(report, {.indent = 1}), "\n"), {.mode = 0644});
}

std::vector<std::string> layers_of_report(std::string_view text, const std::string& source) {
  const Json report = parse_json(text, source).value_or_throw();
  std::vector<std::string> layers;
  for (const Json& layer : list_member(report, "layers")) {
    if (layer.is_string() && is_digest(layer.get<std::string>())) layers.push_back(layer.get<std::string>());
  }
  if (layers.empty())
    throw Error(ErrorKind::input, cat(source, " tells of no layer"))
        .hint("Builds tell it since hearth keeps pins: build the image once more, without --no-cache.");
  return layers;
}

std::string why_text(const Json& report, std::size_t room) {
  std::string text;
  std::string before;
  std::size_t ran = 0;
  for (const Json& step : report.at("steps")) {
    if (!was_taken(step)) ++ran;
    text += why_line(step, before, room);
    before = why_of(step);
  }
  const auto taken = report.at("taken").get<std::size_t>();
  return cat(text, taken, taken == 1 ? " step was" : " steps were", " taken from layers, ", ran, " ran\n");
}

std::string why_text(std::string_view text, const std::string& source, std::size_t room) {
  const Json report = parse_json(text, source).value_or_throw();
  try {
    return why_text(report, room);
  } catch (const Json::exception& error) {
    const std::string place = wrong_place(report);
    throw Error(ErrorKind::input, cat(source, ":", place_in_json(text, place).line, ": ", place,
                                      ": this is no report of steps: ", json_fault(error)))
        .hint("The image's next build writes it anew.");
  }
}

}  // namespace hearth::builder
