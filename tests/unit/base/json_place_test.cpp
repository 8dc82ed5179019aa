#include "base/json_place.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

constexpr const char* k_text = R"({
  "mode": "full", "deep": {"x\"}": [1, {"}": 2}], "y": -1.5e3},
  "networks": [
    {"subnet": "a, ]"},
    {"subnet": "b",
     "dns": [true, null,
             "c"]}
  ]
})";

Position place(std::string_view path) { return place_in_json(k_text, path); }

TEST(PlaceInJson, isOfAKeyOrAnItem) {
  EXPECT_EQ(place("mode"), (Position{2, 3}));
  EXPECT_EQ(place("networks"), (Position{3, 3}));
  EXPECT_EQ(place("networks[1]"), (Position{5, 5}));
  EXPECT_EQ(place("networks[1].dns"), (Position{6, 6}));
  EXPECT_EQ(place("networks[1].dns[2]"), (Position{7, 14}));
  EXPECT_EQ(place("deep.y"), (Position{2, 51}));
}

TEST(PlaceInJson, ofWhatIsNotThereIsTheNearestOnTheWay) {
  EXPECT_EQ(place("nodes[3].mac"), (Position{1, 1}));
  EXPECT_EQ(place("networks[1].server"), (Position{5, 5}));
  EXPECT_EQ(place("networks[7]"), (Position{3, 3}));
  EXPECT_EQ(place_in_json("[]", "a"), (Position{1, 1}));
  EXPECT_EQ(place_in_json("", "a[0].b"), (Position{1, 1}));
}

}  // namespace
}  // namespace hearth
