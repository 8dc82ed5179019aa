#include "bootstrap/node/pace.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(PaceTest, theLongestOfTheLastMinutesIsTold) {
  Pace pace;
  MonotonicTime now{};
  EXPECT_EQ(pace.shown(now), Json::object());
  pace.took("answer", milliseconds(500), now, "GET /v1/nodes");
  pace.took("answer", milliseconds(250), now, "GET /v1");
  EXPECT_EQ(pace.shown(now), Json({{"answer", {{"longest", 0.5}, {"what", "GET /v1/nodes"}}}}));
  now += seconds(61);
  pace.took("answer", milliseconds(250), now, "GET /v1");
  EXPECT_EQ(pace.shown(now)["answer"]["longest"], 0.5) << "of the minute before";
  now += seconds(61);
  pace.took("answer", milliseconds(125), now, "GET /v1");
  EXPECT_EQ(pace.shown(now)["answer"]["longest"], 0.25);
  now += seconds(121);
  EXPECT_EQ(pace.shown(now), Json::object()) << "long ago";
  pace.took("answer", milliseconds(5), now);
  EXPECT_EQ(pace.shown(now)["answer"]["longest"], 0.005);
}

}  // namespace
}  // namespace hearth::bootstrap
