#include "builder/fleet/fleet_report.hpp"

#include <algorithm>
#include <cmath>

#include "base/cli/junit.hpp"
#include "base/cli/table.hpp"
#include "base/progress_text.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

using Outcome = ImageResult::Outcome;

std::size_t count_of(const std::vector<ImageResult>& results, Outcome outcome) {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(), [&](const ImageResult& each) { return each.outcome == outcome; }));
}

std::string result_text(const ImageResult& result) {
  if (result.outcome != Outcome::failed) return name_of(result.outcome);
  return result.code > 128 ? cat("failed (", result.code, ", signal ", result.code - 128, ")")
                           : cat("failed (", result.code, ")");
}

Duration duration_from(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

double rounded(double seconds) { return std::round(seconds * 1000) / 1000; }

cli::JunitCase test_case(const ImageResult& result) {
  cli::JunitCase each{.name = result.name, .seconds = result.seconds, .kind = "", .message = "", .story = ""};
  if (result.outcome == Outcome::built || result.outcome == Outcome::unchanged) return each;
  if (result.outcome == Outcome::not_built) {
    each.outcome = cli::JunitCase::Outcome::skipped;
    each.message = "not built";
    return each;
  }
  each.outcome = cli::JunitCase::Outcome::failed;
  each.kind = result_text(result);
  each.message = result.error.substr(0, result.error.find('\n'));
  each.story = cat(result.place, ": ", result.error);
  return each;
}

}  // namespace

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::built: return "built";
    case Outcome::unchanged: return "up to date";
    case Outcome::failed: return "failed";
    case Outcome::interrupted: return "interrupted";
    case Outcome::not_built: return "not built";
  }
  return "";
}

int exit_code_of(const std::vector<ImageResult>& results) {
  const auto last =
      std::find_if(results.rbegin(), results.rend(), [](const ImageResult& each) { return each.code != 0; });
  return last == results.rend() ? 0 : last->code;
}

std::size_t failures_of(const std::vector<ImageResult>& results) { return count_of(results, Outcome::failed); }

std::string results_table(const std::vector<ImageResult>& results, double seconds, std::size_t room) {
  std::vector<cli::Row> rows;
  for (const ImageResult& result : results) {
    const bool has_run = result.outcome != Outcome::not_built;
    rows.push_back({result.name, result_text(result), has_run ? elapsed_text(duration_from(result.seconds)) : "",
                    has_run ? std::to_string(result.from_layers) : "", has_run ? std::to_string(result.ran) : "",
                    join(result.outputs, "\n")});
  }
  std::string text = cli::table({"image", "result", "time", "steps from layers", "steps run", "output"}, rows, room);
  const std::size_t built = count_of(results, Outcome::built) + count_of(results, Outcome::unchanged);
  text += cat(built, " of ", results.size(), " images are done, ", failures_of(results), " failed");
  if (const std::size_t interrupted = count_of(results, Outcome::interrupted); interrupted > 0)
    text += cat(", ", interrupted, " interrupted");
  if (const std::size_t not_built = count_of(results, Outcome::not_built); not_built > 0)
    text += cat(", ", not_built, " not built");
  return cat(text, "; ", elapsed_text(duration_from(seconds)), "\n");
}

Json results_json(const std::vector<ImageResult>& results, double seconds) {
  Json images = Json::array();
  for (const ImageResult& result : results) {
    Json image = {{"name", result.name},
                  {"image", result.stem},
                  {"result", name_of(result.outcome)},
                  {"code", result.code},
                  {"seconds", rounded(result.seconds)},
                  {"from_layers", result.from_layers},
                  {"ran", result.ran},
                  {"outputs", result.outputs}};
    if (!result.error.empty()) image["error"] = result.error;
    images.push_back(std::move(image));
  }
  return {{"failed", failures_of(results)}, {"seconds", rounded(seconds)}, {"images", images}};
}

std::string junit_xml(const std::vector<ImageResult>& results, const std::string& suite, double seconds) {
  std::vector<cli::JunitCase> cases;
  for (const ImageResult& result : results) cases.push_back(test_case(result));
  return cli::junit_xml(suite, cases, seconds);
}

}  // namespace hearth::builder
