#include "bootstrap/page/heat_stacks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_http.hpp"

namespace hearth::bootstrap {
namespace {

constexpr const char* k_url = "http://192.0.2.1:8004/v1/p";

TEST(HeatStacks, showsResourcesWithWhatNeedsThemAndWhichStackIsBehindThem) {
  fakes::ScriptedHttp http;
  const fakes::ManualClock clock;
  const std::string base = k_url;
  http.on(
      "GET", base + "/stacks", 200,
      R"({"stacks": [{"id": "1", "stack_name": "site", "stack_status": "CREATE_IN_PROGRESS", "stack_status_reason": ""}]})");
  http.on("GET", base + "/stacks/site/1/resources?nested_depth=4", 200, R"({"resources": [
    {"resource_name": "group", "resource_type": "OS::Heat::ResourceGroup", "resource_status": "CREATE_COMPLETE",
     "resource_status_reason": "", "required_by": ["out"], "links": [
       {"rel": "stack", "href": "http://192.0.2.1:8004/v1/p/stacks/site/1"},
       {"rel": "nested", "href": "http://192.0.2.1:8004/v1/p/stacks/site-group/2"}]}]})");
  http.on("GET", base + "/stacks/site/1/events?limit=50&sort_dir=desc", 200, R"({"events": [
    {"event_time": "2026-11-20T10:00:00Z", "resource_name": "group", "resource_status": "CREATE_COMPLETE",
     "resource_status_reason": "state changed"}]})");
  const Json view = ask_heat(http, clock, k_url, "secret");
  ASSERT_FALSE(view.contains("error")) << view;
  const Json& stack = view["stacks"][0];
  EXPECT_EQ(stack["status"], "CREATE_IN_PROGRESS");
  EXPECT_EQ(stack["resources"][0]["stack"], "site/1");
  EXPECT_EQ(stack["resources"][0]["nested"], "site-group/2");
  EXPECT_EQ(stack["resources"][0]["required_by"][0], "out");
  EXPECT_EQ(stack["events"][0]["resource"], "group");
  EXPECT_EQ(find_header(http.sent[0].headers, "X-Auth-Token"), "secret");
}

TEST(HeatStacks, aServiceThatIsNotThereOrRefusesIsToldInWordsAndWithoutTheToken) {
  fakes::ScriptedHttp http;
  const fakes::ManualClock clock;
  EXPECT_THAT(ask_heat(http, clock, k_url, "secret")["error"].get<std::string>(), testing::HasSubstr("refused"));
  http.on("GET", std::string(k_url) + "/stacks", 401, "{}");
  const std::string refused = ask_heat(http, clock, k_url, "secret")["error"];
  EXPECT_THAT(refused, testing::HasSubstr("answers 401"));
  EXPECT_THAT(refused, testing::Not(testing::HasSubstr("secret")));
}

}  // namespace
}  // namespace hearth::bootstrap
