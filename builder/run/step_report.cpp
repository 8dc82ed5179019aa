#include "builder/run/step_report.hpp"

#include <map>
#include <set>

#include "base/cli/layout.hpp"
#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/json_place.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "builder/blobs/blob_store.hpp"
#include "builder/cache/unchanged.hpp"
#include "builder/evidence/own_names.hpp"
#include "builder/layers/fact_source.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_column = 44;
constexpr std::size_t k_most_reasons = 6;

/// Which layer holds each step; those of the last steps may be in none.
std::map<std::string, const HeldLayer*> layers_by_label(const StepsDone& done) {
  std::map<std::string, const HeldLayer*> layers;
  auto layer = done.layers.begin();
  std::vector<std::string> labels;
  for (const StepRecord& step : done.steps) {
    labels.push_back(step.label);
    if (layer == done.layers.end() || step.label != layer->last_step) continue;
    for (const std::string& label : labels) layers.emplace(label, &*layer);
    labels.clear();
    ++layer;
  }
  return layers;
}

/// The facts less what one run of a step came to of the machine and another did not: that it went another way is no
/// cause.
Facts without_other_way(Facts facts, const Facts& others) {
  std::erase_if(facts, [&](const auto& fact) {
    const std::string kind = fact_kind(fact.first);
    return (kind == "read" || kind == "asked" || kind == "shown" || kind == "copy") && others.count(fact.first) == 0;
  });
  return facts;
}

/// Why steps ran, in words, one after the other.
class Reasons {
 public:
  Reasons(const StepsDone& done, const EarlierBuild& earlier, const PlaceInStep& place_of)
      : done_(done), earlier_(earlier), place_of_(place_of) {
    for (const StepRecord& step : done.steps) labels_.insert(step.label);
  }

  [[nodiscard]] std::vector<std::string> of(std::size_t index) {
    const StepRecord& step = done_.steps[index];
    const EarlierStep* const before = earlier_.find(step.label);
    std::vector<std::string> reasons;
    if (const auto reason = unkeepable(step.facts)) {
      reasons = {cat("it is not kept: ", *reason)};
    } else if (earlier_.steps.empty()) {
      reasons = {"nothing was kept of an earlier build of this image"};
    } else if (before == nullptr) {
      reasons = {"it is new"};
    } else if (const auto last = unkeepable(before->facts)) {
      reasons = {cat("the last build could not keep it: ", *last)};
    } else {
      reasons = differences(step.label, before->facts, step.facts);
    }
    if (reasons.empty()) reasons = {without_a_change(index, *before)};
    if (before == nullptr) {
      for (const std::string& each : rejected(step.label))
        reasons.push_back(cat("a layer of another build is there, but ", each));
    }
    if ((before == nullptr || before->facts != step.facts) && cause_.empty()) cause_ = step.label;
    return reasons;
  }

  /// In what a step that was taken from this layer is not what the last build of this image had: another image's build,
  /// or one before the last, ran it as it has to be now.
  [[nodiscard]] std::vector<std::string> of_taken(std::size_t index, const std::string& layer) {
    const StepRecord& step = done_.steps[index];
    const EarlierStep* const before = earlier_.find(step.label);
    if (earlier_.steps.empty() || (before != nullptr && (before->layer.empty() || before->layer == layer))) return {};
    std::vector<std::string> reasons{"it is new"};
    if (before != nullptr)
      reasons = describe_differences(without_other_way(before->facts, step.facts),
                                     without_other_way(step.facts, before->facts), place_of_step(step.label));
    if (reasons.size() > k_most_reasons) reasons.resize(k_most_reasons);
    if (!reasons.empty() && cause_.empty()) cause_ = step.label;
    return reasons;
  }

 private:
  [[nodiscard]] PlaceOfFact place_of_step(const std::string& label) const {
    return [this, label](const std::string& fact) { return place_of_ ? place_of_(label, fact) : FactPlace(); };
  }

  [[nodiscard]] std::vector<std::string> differences(const std::string& label, const Facts& before,
                                                     const Facts& now) const {
    const PlaceOfFact place_of = place_of_step(label);
    std::vector<std::string> found =
        describe_differences(without_other_way(before, now), without_other_way(now, before), place_of);
    if (found.empty() && before != now) found = rejected(label);
    if (found.empty()) found = describe_differences(before, now, place_of);
    if (found.size() > k_most_reasons) {
      const std::size_t more = found.size() - k_most_reasons;
      found.resize(k_most_reasons);
      found.push_back(cat("and ", more, " more"));
    }
    return found;
  }

  /// All that it depends on is as it was. The reason may be one for all steps behind it.
  [[nodiscard]] std::string without_a_change(std::size_t index, const EarlierStep& before) {
    const StepRecord& step = done_.steps[index];
    if (!cause_.empty()) return cat("it comes after ", cause_);
    const std::optional<Phase> phase = phase_of_label(step.label);
    if (phase && !may_be_kept(*phase)) return "steps of its phase always run";
    const auto for_all_behind = [&](const std::string& reason) {
      cause_ = step.label;
      return reason;
    };
    if (phase && done_.fresh_from && *phase >= *done_.fresh_from)
      return for_all_behind(cat("everything from ", info(*done_.fresh_from).name, " on was to run"));
    if (const std::string sharer = changed_in_layer(index, before.layer); !sharer.empty())
      return cat("it shares its layer with ", sharer);
    if (const std::string reason = earlier_.why_not_kept(before, done_.base); !reason.empty())
      return for_all_behind(reason);
    if (!done_.ended.empty()) return cat("nothing was kept: ", done_.ended);
    if (const std::string gone = gone_before(step.label); !gone.empty())
      return for_all_behind(cat("it came after ", gone, ", which is not there any more"));
    return "no layer that holds was found for it";
  }

  /// The step that was right before it in the last build, if it is in this one no more.
  [[nodiscard]] std::string gone_before(const std::string& label) const {
    std::string before;
    for (const EarlierStep& step : earlier_.steps) {
      if (step.label == label) break;
      before = step.label;
    }
    return labels_.count(before) > 0 ? "" : before;
  }

  /// The step behind it, in the same layer of the last build, that is not as it was then.
  [[nodiscard]] std::string changed_in_layer(std::size_t index, const std::string& layer) const {
    if (layer.empty() || earlier_.gone.count(layer) > 0) return "";
    for (std::size_t i = index + 1; i < done_.steps.size(); ++i) {
      const EarlierStep* const later = earlier_.find(done_.steps[i].label);
      if (later == nullptr || later->layer != layer) return "";
      if (later->facts != done_.steps[i].facts) return later->label;
    }
    return "";
  }

  /// What is said of a layer of this step that is there: of the nearest, which is first. One at most.
  [[nodiscard]] std::vector<std::string> rejected(const std::string& label) const {
    const std::string begin = cat(label, ": ");
    for (const std::string& each : done_.rejected) {
      if (each.starts_with(begin)) return {each.substr(begin.size())};
    }
    return {};
  }

  const StepsDone& done_;
  const EarlierBuild& earlier_;
  const PlaceInStep& place_of_;
  std::set<std::string> labels_;
  std::string cause_;  ///< the step because of which those behind it ran
};

bool was_taken(const Json& step) { return step.at("outcome") == "taken"; }

std::string why_of(const Json& step) {
  const char* const key = was_taken(step) ? "changed" : "why";
  if (!step.contains(key)) return "";
  const std::string why = join(step.at(key).get<std::vector<std::string>>(), "; ");
  const std::string maker = text_member(step, "made_by");
  return was_taken(step) ? cat(why, maker.empty() ? "" : cat(" (by the build of ", maker, ")")) : why;
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

Json step_report(const StepsDone& done, const EarlierBuild& earlier, const PlaceInStep& place_of) {
  Reasons reasons(done, earlier, place_of);
  const std::map<std::string, const HeldLayer*> layers = layers_by_label(done);
  Json list = Json::array();
  for (std::size_t i = 0; i < done.steps.size(); ++i) {
    Json step = to_json(done.steps[i]);
    step["outcome"] = i < done.taken ? "taken" : "ran";
    const auto layer = layers.find(done.steps[i].label);
    const bool is_held = layer != layers.end();
    const bool is_taken = i < done.taken;
    if (is_held) step["layer"] = layer->second->digest;
    if (is_held && is_taken && !layer->second->made_by.empty())
      step["made_by"] = replace_invalid_utf8(layer->second->made_by);
    Json told = Json::array();  // files have any bytes in their names
    const std::string digest = is_held ? layer->second->digest : "";
    for (const std::string& reason : is_taken ? reasons.of_taken(i, digest) : reasons.of(i))
      told.push_back(replace_invalid_utf8(reason));
    if (!is_taken || !told.empty()) step[is_taken ? "changed" : "why"] = std::move(told);
    list.push_back(std::move(step));
  }
  Json digests = Json::array();
  for (const HeldLayer& layer : done.layers) digests.push_back(layer.digest);
  return {{"version", 1},
          {"taken", done.taken},
          {"steps", list},
          {"layers", digests},
          {"base", done.base},
          {"work_area_bytes", done.work_area_bytes},
          {"image", replace_invalid_utf8(done.image)}};
}

void write_steps(const BuildInputs& inputs, const StepsDone& done, const EarlierBuild& earlier) {
  const auto place_of = [&](const std::string& label, const std::string& fact) {
    return inputs.facts.place_of(label, fact);
  };
  Json report = step_report(done, earlier, place_of);
  const fs::path directory = inputs.request.output.string() + ".d";
  report["changed_elements"] = changed_elements(directory, inputs.facts);
  RealFileSystem().write(directory / k_steps_file, cat(format_json(report, {.indent = 1}), "\n"), {.mode = 0644});
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
