// NAME.d/steps.json: every step of the last build, whether it ran or was taken from a layer, why, and what its result
// depends on. `hearth image why` prints it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "builder/cache/earlier_build.hpp"
#include "builder/layers/layer_record.hpp"
#include "builder/run/build.hpp"

namespace hearth::builder {

/// PlaceOfFact, of the step of this name; may be empty (FactSource::place_of()).
using PlaceInStep = std::function<FactPlace(const std::string& label, const std::string& fact)>;

struct StepsDone {
  const std::vector<StepRecord>& steps;
  std::size_t taken = 0;
  std::optional<Phase> fresh_from = {};    ///< from this phase on everything was to run
  std::string ended = {};                  ///< why nothing was kept from some step on
  std::vector<std::string> rejected = {};  ///< in what layers differ that were there: "STEP: what"
  std::vector<HeldLayer> layers = {};      ///< in order
  std::string base = {};                   ///< key of what is below the first layer
  std::uint64_t work_area_bytes = 0;
  std::string image = {};  ///< its name, as layers say who made them
};

/// The report of a build as JSON.
[[nodiscard]] Json step_report(const StepsDone& done, const EarlierBuild& earlier, const PlaceInStep& place_of = {});

void write_steps(const BuildInputs& inputs, const StepsDone& done, const EarlierBuild& earlier);

/// Digests of the layers that a report of this name tells of. Throws Error(input) where it tells of none.
[[nodiscard]] std::vector<std::string> layers_of_report(std::string_view text, const std::string& source);

/// The report for people: one line a step, and what changed; that goes below, where `room` columns (0: any number) are
/// too few.
[[nodiscard]] std::string why_text(const Json& report, std::size_t room = 0);
/// Likewise, of the text of a file of this name. Throws Error with the line that is none of a report.
[[nodiscard]] std::string why_text(std::string_view text, const std::string& source, std::size_t room = 0);

}  // namespace hearth::builder
