// Where a build's time went, as it is kept beside the image (NAME.d/timing.json) and as a picture (NAME.d/timing.svg).
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/progress_text.hpp"

namespace hearth::builder {

/// [{"step": NAME, "seconds": S, "begin": S since the first step began}, …], in the order in which they ran.
[[nodiscard]] Json timing_json(const std::vector<TimingRow>& rows);

/// What timing_json() made; rows of older versions, without "begin", follow each other. Throws Error(input), naming
/// `source`, for anything else.
[[nodiscard]] std::vector<TimingRow> timing_rows(const Json& json, const std::string& source);

/// A Gantt chart as SVG: a bar for each step on one axis of time. Steps of less than a hundredth of the whole share one
/// row at the end.
[[nodiscard]] std::string timing_picture(const std::vector<TimingRow>& rows, const std::string& title);

}  // namespace hearth::builder
