#include "builder/fleet/fleet_report.hpp"

#include <algorithm>
#include <cmath>

#include "base/cli/table.hpp"
#include "base/progress_text.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

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

/// XML 1.0 has no place for most control characters, nor for U+FFFE and U+FFFF, however they are written.
std::string xml_text(const std::string& text) {
  std::string out;
  for (const char c : replace_invalid_utf8(text)) {
    const bool is_allowed = static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t';
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += is_allowed ? c : '?';
    }
  }
  return replace_all(replace_all(out, "\xef\xbf\xbe", "?"), "\xef\xbf\xbf", "?");
}

double rounded(double seconds) { return std::round(seconds * 1000) / 1000; }

std::string test_case(const ImageResult& result, const std::string& suite) {
  const std::string head = cat("    <testcase classname=\"", xml_text(suite), "\" name=\"", xml_text(result.name),
                               "\" time=\"", fixed(result.seconds, 3), "\"");
  if (result.outcome == Outcome::built || result.outcome == Outcome::unchanged) return cat(head, "/>\n");
  if (result.outcome == Outcome::not_built) return cat(head, "><skipped message=\"not built\"/></testcase>\n");
  const std::string first = result.error.substr(0, result.error.find('\n'));
  return cat(head, ">\n      <failure type=\"", xml_text(result_text(result)), "\" message=\"", xml_text(first), "\">",
             xml_text(cat(result.place, ": ", result.error)), "</failure>\n    </testcase>\n");
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

std::string results_table(const std::vector<ImageResult>& results, double seconds) {
  std::vector<cli::Row> rows;
  for (const ImageResult& result : results) {
    const bool has_run = result.outcome != Outcome::not_built;
    rows.push_back({result.name, result_text(result), has_run ? elapsed_text(duration_from(result.seconds)) : "",
                    has_run ? std::to_string(result.from_layers) : "", has_run ? std::to_string(result.ran) : "",
                    join(result.outputs, "\n")});
  }
  std::string text = cli::table({"image", "result", "time", "steps from layers", "steps run", "output"}, rows);
  const std::size_t built = count_of(results, Outcome::built) + count_of(results, Outcome::unchanged);
  text += cat(built, " of ", results.size(), " images are there, ", failures_of(results), " failed");
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
  const std::size_t failures = failures_of(results) + count_of(results, Outcome::interrupted);
  const std::string counts = cat(" tests=\"", results.size(), "\" failures=\"", failures, "\" errors=\"0\" skipped=\"",
                                 count_of(results, Outcome::not_built), "\" time=\"", fixed(seconds, 3), "\"");
  std::string xml = cat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", counts, ">\n  <testsuite name=\"",
                        xml_text(suite), "\"", counts, ">\n");
  for (const ImageResult& result : results) xml += test_case(result, suite);
  return cat(xml, "  </testsuite>\n</testsuites>\n");
}

}  // namespace hearth::builder
