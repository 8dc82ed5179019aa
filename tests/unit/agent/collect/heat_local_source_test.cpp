#include "agent/collect/sources.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/collect/source_fixture.hpp"

namespace hearth::agent {
namespace {

const std::string k_heat_local_source_config = "[heat_local]\npath=/a\npath=/b\n";

class HeatLocalSourceTest : public SourceFixture {};

TEST_F(HeatLocalSourceTest, LaterFilesOverrideEarlierOnesKeyByKey) {
  files_.put("/a", R"({"x": {"p": 1}, "y": 1})");
  files_.put("/b", R"({"x": {"q": 2}})");
  const std::vector<Collected> found = documents(collect_heat_local, k_heat_local_source_config);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (Collected{"heat_local", {{"x", {{"q", 2}}}, {"y", 1}}}));
}

TEST_F(HeatLocalSourceTest, BrokenFilesAndOtherValuesAreToldAndPassedOver) {
  files_.put("/a", "{");
  files_.put("/b", "[1]");
  EXPECT_TRUE(is_unavailable(collect(collect_heat_local, k_heat_local_source_config)));
  EXPECT_THAT(log_.lines,
              testing::ElementsAre(testing::StartsWith("INFO /a is not valid JSON ("), "INFO /b is not a JSON object",
                                   "INFO Local metadata not found (['/a', '/b'])"));
}

TEST_F(HeatLocalSourceTest, ADirectoryDoesNotCrashIt) {
  files_.make_directories("/a", 0755);
  files_.put("/b", R"({"k": 1})");
  EXPECT_EQ(documents(collect_heat_local, k_heat_local_source_config).size(), 1U);
}

TEST_F(HeatLocalSourceTest, ThatThereIsNothingIsToldOnce) {
  (void)collect(collect_heat_local, k_heat_local_source_config);
  (void)collect(collect_heat_local, k_heat_local_source_config);
  EXPECT_THAT(log_.lines, testing::ElementsAre(testing::StartsWith("INFO Local"), testing::StartsWith("DEBUG Local")));
}

}  // namespace
}  // namespace hearth::agent
