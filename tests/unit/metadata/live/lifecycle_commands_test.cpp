#include "metadata/live/lifecycle_commands.hpp"

#include <gtest/gtest.h>

#include <set>

namespace hearth::metadata::live {
namespace {

Json event(const std::string& stack, const std::string& resource, const std::string& reason) {
  return {{"event_time", "2026-11-23T00:00:00Z"},
          {"resource_name", resource},
          {"resource_status", "CREATE_COMPLETE"},
          {"resource_status_reason", reason},
          {"physical_resource_id", ""},
          {"links", Json::array({{{"rel", "stack"}, {"href", "http://h/v1/admin/stacks/s/" + stack}}})}};
}

TEST(LifecycleCommands, ListTheHooksThatWaitStill) {
  const Json events = {event("1", "a", "CREATE paused until Hook pre-create is cleared"),
                       event("1", "b", "CREATE paused until Hook pre-create is cleared"),
                       event("2", "a", "UPDATE paused until Hook pre-update is cleared"),
                       event("1", "a", "Hook pre-create is cleared"), event("1", "c", "state changed")};
  const std::vector<std::string> lines = waiting_hooks("s", events);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(lines[0].find("b"), std::string::npos);
  EXPECT_NE(lines[1].find("pre-update"), std::string::npos);
}

TEST(LifecycleCommands, HaveEachItsWordsAndSummary) {
  std::set<std::string> words;
  for (const cli::Command& each : lifecycle_commands()) {
    EXPECT_TRUE(words.insert(each.words).second) << each.words;
    EXPECT_FALSE(each.summary.empty());
  }
  for (const char* each :
       {"stack suspend", "stack cancel", "stack hook clear", "stack snapshot restore", "stack adopt"})
    EXPECT_EQ(words.count(each), 1U) << each;
}

}  // namespace
}  // namespace hearth::metadata::live
