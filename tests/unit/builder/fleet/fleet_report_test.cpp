#include "builder/fleet/fleet_report.hpp"

#include <gmock/gmock.h>

namespace hearth::builder {
namespace {

using Outcome = ImageResult::Outcome;
using testing::HasSubstr;

std::vector<ImageResult> results() {
  ImageResult good{.name = "web", .stem = "/srv/web", .outcome = Outcome::built, .seconds = 61.25};
  good.from_layers = 20;
  good.ran = 3;
  good.outputs = {"web.qcow2", "web.tar"};
  ImageResult bad{.name = "db", .stem = "/srv/db", .place = "images.yaml:4:3", .outcome = Outcome::failed, .code = 7};
  bad.error = "install.d/30-x (element <db>) failed: \x1b[1m& \"said\" \xff so\nmore \xef\xbf\xbe\xef\xbf\xbf";
  const ImageResult never{.name = "late", .stem = "/srv/late", .outcome = Outcome::not_built};
  return {good, bad, never};
}

TEST(FleetReport, TheTableHasALineAnImageAndCounts) {
  const std::string text = results_table(results(), 70);
  EXPECT_THAT(text, HasSubstr("| web   | built      | 1m01s | 20                | 3         | web.qcow2 |"));
  EXPECT_THAT(text, HasSubstr("| db    | failed (7) |"));
  EXPECT_THAT(text, HasSubstr("1 of 3 images are done, 1 failed, 1 not built; 1m10s\n"));
  EXPECT_GT(text.find('\n'), 70U);
  std::vector<ImageResult> stopped = results();
  stopped[1].outcome = Outcome::interrupted;
  EXPECT_THAT(results_table(stopped, 70), HasSubstr("1 of 3 images are done, 0 failed, 1 interrupted, 1 not built;"));
  EXPECT_LE(results_table(results(), 70, 70).find('\n'), 70U) << "a terminal's width";
}

TEST(FleetReport, TheExitCodeIsThatOfTheLastImageThatFailed) {
  std::vector<ImageResult> all = results();
  EXPECT_EQ(exit_code_of(all), 7);
  all[0].code = 3;
  EXPECT_EQ(exit_code_of(all), 7);
  EXPECT_EQ(exit_code_of({}), 0);
}

TEST(FleetReport, JsonCountsFailures) {
  const Json json = results_json(results(), 70);
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["images"][0]["outputs"][1], "web.tar");
  EXPECT_EQ(json["images"][1]["result"], "failed");
  EXPECT_FALSE(json["images"][0].contains("error"));
}

TEST(FleetReport, JUnitIsXmlWhateverProgramsSaid) {
  const std::string xml = junit_xml(results(), "images.yaml", 70);
  EXPECT_THAT(xml, HasSubstr("<testsuites tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"70.000\">"));
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"images.yaml\" name=\"web\" time=\"61.250\"/>"));
  EXPECT_THAT(xml, HasSubstr("message=\"install.d/30-x (element &lt;db&gt;) failed: ?[1m&amp; &quot;said&quot; "));
  EXPECT_THAT(xml, HasSubstr("images.yaml:4:3: install.d/30-x"));
  EXPECT_THAT(xml, HasSubstr("<skipped message="));
  EXPECT_EQ(xml.find('\x1b'), std::string::npos);
  EXPECT_EQ(xml.find('\xff'), std::string::npos);
  EXPECT_THAT(xml, HasSubstr("more ?\?</failure>"));
}

}  // namespace
}  // namespace hearth::builder
