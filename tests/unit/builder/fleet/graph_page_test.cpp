#include "builder/fleet/graph_page.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::builder {
namespace {

using testing::HasSubstr;
using testing::Not;

StepGraph two_of_one_base() {
  return StepGraph({{"a", {"r/1", "i/2", "i/3a"}, {"1", "2", "3a"}},
                    {"long-b", {"r/1", "i/2", "i/3b"}, {"1", "2", "3b"}},
                    {"broken", {}, {}, "no element el9"}});
}

TEST(GraphPage, TellsWhatIsSharedAndWhatIsAnImagesOwn) {
  EXPECT_EQ(fleet_text(two_of_one_base()),
            "3 images, 6 steps, 4 of them distinct: 2 are shared\n"
            "  a       3 steps, all its own\n"
            "  long-b  2 steps as a, up to i/2; 1 its own\n"
            "  broken  can't be planned: no element el9\n");
}

TEST(GraphPage, AsATreeAnImageIsBelowTheOneThatItGoesOnFrom) {
  EXPECT_EQ(cli::tree_text(fleet_tree(two_of_one_base()), false),
            "3 images, 6 steps, 4 of them distinct: 2 are shared\n"
            "|- a  3 steps, all its own\n"
            "|  `- long-b  1 step of its own, behind i/2\n"
            "`- broken  can't be planned: no element el9\n");
}

TEST(GraphPage, WhyAnImageSharesNothingIsSaid) {
  const StepGraph graph({{"a", {"r/1"}, {"1"}}, {"b", {"r/1"}, {"2"}, "", "r/1 is not that of a: DIB_X changed"}});
  EXPECT_THAT(fleet_text(graph), HasSubstr("  b  1 step, all its own; r/1 is not that of a: DIB_X changed\n"));
  EXPECT_THAT(cli::tree_text(fleet_tree(graph), false), HasSubstr("all its own; r/1 is not that of a: DIB_X changed"));
  EXPECT_EQ(fleet_json(graph)["images"][1]["apart"], "r/1 is not that of a: DIB_X changed");
  EXPECT_EQ(fleet_json(graph)["images"][0].count("apart"), 0U);
}

TEST(GraphPage, WhatIsSharedAndRunsAgainIsSaid) {
  const auto graph = [](std::size_t of_a, std::size_t of_b) {
    return StepGraph({{"a", {"r/1", "i/2", "i/3a"}, {"1", "2", "3a"}, "", "", of_a},
                      {"b", {"r/1", "i/2", "i/3b"}, {"1", "2", "3b"}, "", "", of_b}});
  };
  const std::string again = "; runs 1 of those that it shares again: no layer ends behind them\n";
  EXPECT_THAT(fleet_text(graph(3, 1)), HasSubstr(cat("2 steps as a, up to i/2; 1 its own", again)));
  EXPECT_THAT(cli::tree_text(fleet_tree(graph(3, 1)), false), HasSubstr(cat("1 step of its own, behind i/2", again)));
  EXPECT_EQ(fleet_json(graph(3, 1))["images"][1]["shares"]["repeated"], 1);
  for (const auto& [of_a, of_b] : {std::pair{0U, 0U}, {1U, 1U}, {2U, 2U}, {3U, 2U}, {3U, 3U}})
    EXPECT_THAT(fleet_text(graph(of_a, of_b)), Not(HasSubstr("again"))) << of_a << of_b;
}

TEST(GraphPage, AsJson) {
  const Json json = fleet_json(two_of_one_base());
  EXPECT_EQ(json["distinct"], 4);
  EXPECT_EQ(json["images"][1]["shares"]["with"], "a");
  EXPECT_EQ(json["images"][1]["own"], 1);
}

TEST(GraphPage, TheGraphHasWhatIsSharedOnce) {
  const std::string dot = fleet_graph(two_of_one_base());
  EXPECT_THAT(dot, HasSubstr("\"a 2\" [label=\"r/1 … i/2\"];"));
  EXPECT_THAT(dot, HasSubstr("\"a 2\" -> \"a 3\";"));
  EXPECT_THAT(dot, HasSubstr("\"a 2\" -> \"long-b 3\";"));
  EXPECT_EQ(dot.find("long-b 2"), std::string::npos);
}

}  // namespace
}  // namespace hearth::builder
