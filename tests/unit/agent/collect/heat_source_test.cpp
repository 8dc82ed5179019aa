#include "agent/collect/sources.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/collect/source_fixture.hpp"

namespace hearth::agent {
namespace {

const std::string k_heat_source_config =
    "[heat]\nauth_url=http://k/v3\nuser_id=u\npassword=p\nproject_id=t\nstack_id=st/1-2\nresource_name=srv\n";

class HeatSourceTest : public SourceFixture {
 protected:
  HeatSourceTest() {
    http_.on("POST", "http://k/v3/auth/tokens", 201,
             R"({"token": {"catalog": [{"type": "orchestration", "endpoints": [
                 {"interface": "public", "region": "R", "url": "http://h/v1/t"}]}]}})",
             {{"X-Subject-Token", "tok"}});
  }
};

TEST_F(HeatSourceTest, TheResourcesMetadataAreFetchedAndExploded) {
  http_.on("GET", "http://h/v1/t/stacks/st/1-2/resources/srv/metadata", 200,
           R"({"metadata": {"k": 1, "deployments": [{"name": "d", "config": {}}]}})");
  const std::vector<Collected> found = documents(collect_heat, k_heat_source_config);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "heat");
  EXPECT_EQ(found[1].name, "d");
  EXPECT_EQ(find_header(http_.sent.back().headers, "X-Auth-Token"), "tok");
}

TEST_F(HeatSourceTest, ABareStackIdIsLookedUp) {
  http_.on("GET", "http://h/v1/t/stacks/1-2", 302, "", {{"Location", "http://h/v1/t/stacks/st/1-2"}});
  http_.on("GET", "http://h/v1/t/stacks/st/1-2/resources/srv/metadata", 200, R"({"metadata": {"k": 1}})");
  EXPECT_EQ(documents(collect_heat, replace_all(k_heat_source_config, "st/1-2", "1-2")).size(), 1U);
}

TEST_F(HeatSourceTest, NullMetadataAreUnavailable) {
  http_.on("GET", "http://h/v1/t/stacks/st/1-2/resources/srv/metadata", 200, R"({"metadata": null})");
  EXPECT_TRUE(is_unavailable(collect(collect_heat, k_heat_source_config)));
}

TEST_F(HeatSourceTest, AnUnknownRegionIsToldAndUnavailable) {
  EXPECT_TRUE(is_unavailable(collect(collect_heat, k_heat_source_config + "region_name=other\n")));
  EXPECT_THAT(log_.lines,
              testing::Contains(testing::HasSubstr("endpoint for orchestration service in other region not found")));
}

TEST_F(HeatSourceTest, AReportGoesBesideTheMetadataWithTheSameToken) {
  http_.on("POST", "http://h/v1/t/stacks/st/1-2/resources/srv/run", 200);
  const Settings settings(parse_ini(k_heat_source_config, "test").value_or_throw(), {}, {});
  const SourceContext context{settings, files_, runner_, http_, clock_, log_, once_, tokens_, messages_, 0};
  EXPECT_EQ(post_heat_report(context, "{}"), 200);
  EXPECT_EQ(find_header(http_.sent.back().headers, "X-Auth-Token"), "tok");
  EXPECT_EQ(http_.sent.back().body, "{}");
}

TEST_F(HeatSourceTest, TheFirstMissingOptionIsNamed) {
  EXPECT_TRUE(is_unconfigured(collect(collect_heat, "[heat]\nauth_url=http://k/v3\npassword=\n")));
  EXPECT_THAT(log_.lines, testing::ElementsAre("INFO No password configured."));
}

}  // namespace
}  // namespace hearth::agent
