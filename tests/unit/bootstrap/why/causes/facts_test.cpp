#include "bootstrap/why/causes/facts.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap::why {
namespace {

TEST(Facts, OnlyWhatIsKnownIsKeptOfANode) {
  NodeFacts facts;
  facts.node = {
      {"name", "web1"},
      {"driver", "redfish"},
      {"extra", {{"pin", "S3CRET"}}},
      {"last_error", "password: S3CRET"},
      {"driver_info", {{"redfish_address", "https://u:S3CRET@b"}, {"redfish_password", "S3CRET"}, {"pin", "S3CRET"}}},
      {"instance_info", {{"image_source", "http://h/i?temp_url_sig=S3CRET"}, {"configdrive", "S3CRET"}}},
      {"properties", {{"cpus", 2}, {"note", "S3CRET"}}},
      {"driver_internal_info", {{"agent_secret_token", "S3CRET"}, {"job", {{"stage", "boot"}}}}}};
  facts.events = Json::array();
  facts.events.push_back(
      {{"text", "token=S3CRET"}, {"detail", {{"api_key", "S3CRET"}, {"deep", {{"password", "S3CRET"}}}}}});
  facts.boot_log = Json::array({{{"what", "/o?temp_url_sig=S3CRET"}}});
  const NodeFacts safe = safe_facts(facts);
  const std::string text = format_json(facts_json(safe));
  EXPECT_EQ(text.find("S3CRET"), std::string::npos) << text;
  EXPECT_NE(text.find("https://u:******@b"), std::string::npos) << text;
  EXPECT_EQ(safe.node["properties"], Json({{"cpus", 2}}));
  EXPECT_EQ(safe.node["driver_internal_info"]["job"]["stage"], "boot");
  EXPECT_EQ(format_json(facts_json(safe_facts(safe))), text);
}

TEST(Facts, OfAStackWhatIsNotCompleteIsKept) {
  StackFacts facts;
  facts.stack = {{"stack_name", "site"}, {"stack_status", "CREATE_IN_PROGRESS"}, {"parameters", {{"p", "S3CRET"}}}};
  facts.resources = {
      {{"resource_name", "a"}, {"resource_status", "CREATE_COMPLETE"}},
      {{"resource_name", "b"}, {"resource_status", "CREATE_FAILED"}, {"resource_status_reason", "token: S3CRET"}}};
  facts.silent["beta"].node = {{"name", "beta"}, {"extra", "S3CRET"}};
  const std::string text = format_json(facts_json(safe_facts(facts)));
  EXPECT_EQ(text.find("S3CRET"), std::string::npos) << text;
  EXPECT_EQ(text.find("CREATE_COMPLETE"), std::string::npos) << text;
}

TEST(Facts, TextsAreShortAndHarmless) {
  EXPECT_EQ(safe_text("a\x1b[2Jb\tc\nd"), "a\\x1b[2Jb\tc\nd");
  EXPECT_EQ(safe_text("a\xc2\x9b"
                      "2Jb \xc2\xa0\xc3\x9b"),
            "a\\u009b2Jb \xc2\xa0\xc3\x9b");
  std::string text(4095, 'a');
  for (int i = 0; i < 100; ++i) text += "ä";
  const std::string cut = safe_text(text);
  EXPECT_EQ(cut, std::string(4095, 'a') + " … (cut)");
  EXPECT_EQ(safe_text(cut), cut);
}

TEST(Facts, TheyComeBackFromJson) {
  NodeFacts facts;
  facts.node = {{"name", "web1"}, {"provision_state", "available"}};
  facts.macs = {"52:54:00:00:00:01"};
  facts.unkept = Finding{"c", {"token=S3CRET"}, "n"};
  facts.now = 1'764'000'000'123'456;
  EXPECT_EQ(format_json(facts_json(node_facts_of(facts_json(safe_facts(facts))))),
            format_json(facts_json(safe_facts(facts))));
  for (const Json& odd :
       {Json(), Json(1), Json::array({1}), Json({{"node", 1}, {"events", "x"}, {"macs", {1}}, {"now", "x"}}),
        Json({{"events", {1, Json::array(), Json()}}, {"boot_log", {1, "x"}}, {"silent", 3}, {"resources", {1}}})}) {
    EXPECT_FALSE(causes_of(node_facts_of(odd)).empty());
    EXPECT_FALSE(causes_of(stack_facts_of(odd)).empty());
  }
}

}  // namespace
}  // namespace hearth::bootstrap::why
