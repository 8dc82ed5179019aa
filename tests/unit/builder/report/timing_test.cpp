#include "builder/report/timing.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::builder {
namespace {

using std::chrono::milliseconds;

const std::vector<TimingRow> k_rows = {
    {"root.d/08-debootstrap", milliseconds(20'000), 0, milliseconds(0)},
    {"install.d/1<2", milliseconds(3'000), 4, milliseconds(20'000)},
    {"install.d/20-short", milliseconds(40), 4, milliseconds(23'000)},
    {"disk", milliseconds(2'000), 9, milliseconds(23'100)},
};

TEST(Timing, RowsSurviveTheWayThroughTheFile) {
  const std::vector<TimingRow> rows = timing_rows(timing_json(k_rows), "timing.json");
  ASSERT_EQ(rows.size(), k_rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].name, k_rows[i].name);
    EXPECT_NEAR(static_cast<double>((rows[i].begin - k_rows[i].begin).count()), 0, 1000);
    EXPECT_NEAR(static_cast<double>((rows[i].duration - k_rows[i].duration).count()), 0, 1000);
  }
}

TEST(Timing, RowsWithoutABeginFollowEachOther) {
  const Json old = Json::parse(R"([{"step": "a", "seconds": 1.5}, {"step": "b", "seconds": 2}])");
  EXPECT_EQ(timing_rows(old, "timing.json")[1].begin, milliseconds(1'500));
}

TEST(Timing, AnotherFileIsRefusedByName) {
  for (const char* text : {"[1]", "[{\"step\": 5}]", "{\"step\": \"x\"}"}) {
    try {
      (void)timing_rows(Json::parse(text), "web.d/timing.json");
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("web.d/timing.json"), std::string::npos);
    }
  }
}

TEST(Timing, ThePictureHasABarForEachStepAtItsTime) {
  const std::string svg = timing_picture(k_rows, "web");
  EXPECT_EQ(svg.compare(0, 4, "<svg"), 0);
  EXPECT_NE(svg.find("web: 25.1 s"), std::string::npos);
  EXPECT_NE(svg.find("x=\"300.0\" y=\"52.0\" width=\"557.8\""), std::string::npos) << svg;  // 20 of 25.1 s
  EXPECT_NE(svg.find("install.d/1&lt;2: 3.00 s"), std::string::npos);
  EXPECT_NE(svg.find(">1 short step<"), std::string::npos);
  EXPECT_NE(svg.find("install.d/20-short: 0.04 s"), std::string::npos);
}

TEST(Timing, NoStepsGiveAPictureWithoutBars) {
  const std::string svg = timing_picture({}, "web");
  EXPECT_EQ(svg.find("<title>"), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace hearth::builder
