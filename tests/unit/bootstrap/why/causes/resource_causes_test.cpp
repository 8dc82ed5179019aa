#include "bootstrap/why/causes/resource_causes.hpp"

#include <gmock/gmock.h>

namespace hearth::bootstrap::why {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Json row(const std::string& name, const std::string& status, const std::string& reason,
         const std::vector<std::string>& required_by = {}, const std::string& within = "top") {
  return {{"resource_name", name},
          {"resource_status", status},
          {"resource_status_reason", reason},
          {"resource_type", "OS::Heat::SoftwareDeployment"},
          {"required_by", required_by},
          {"links", {{{"rel", "stack"}, {"href", within}}}}};
}

StackFacts running(const Json& resources) {
  return {.stack = {{"stack_name", "site"}, {"stack_status", "CREATE_IN_PROGRESS"}}, .resources = resources};
}

TEST(ResourceCauses, OneThatFailedIsToldBeforeWhatElseFailed) {
  const ResourceFacts facts{running({row("a", "CREATE_FAILED", "mkfs says no"), row("b", "CREATE_FAILED", "no disk")}),
                            "b"};
  ASSERT_TRUE(is_known(facts));
  EXPECT_EQ(causes_of(facts).front().cause, "b failed: no disk");
}

TEST(ResourceCauses, OneWhoseTurnHasNotComeIsExplainedByWhatIsAheadOfIt) {
  const Json waits = row("d", "CREATE_IN_PROGRESS", "beta last asked 20 s ago", {"late"});
  const Json other = row("c", "CREATE_FAILED", "another's fault");
  ResourceFacts facts{running({other, waits}), "late"};
  EXPECT_FALSE(is_known(facts));
  facts.rest = {other, waits, row("late", "INIT_COMPLETE", "")};
  ASSERT_TRUE(is_known(facts));
  EXPECT_EQ(causes_of(facts).front().cause,
            "late has not begun: beta asks for its metadata, and has not answered d yet.");
}

TEST(ResourceCauses, AGroupIsExplainedByWhatItHolds) {
  Json group = row("group", "CREATE_IN_PROGRESS", "state changed");
  group["links"].push_back({{"rel", "nested"}, {"href", "below"}});
  const ResourceFacts facts{
      running({row("a", "CREATE_FAILED", "another's"), group, row("one", "CREATE_FAILED", "no space", {}, "below")}),
      "group"};
  EXPECT_EQ(causes_of(facts).front().cause, "group.one failed: no space");
}

TEST(ResourceCauses, OneThatIsCompleteIsNotBlamed) {
  ResourceFacts facts{running(Json::array()), "done"};
  facts.rest = {row("done", "CREATE_COMPLETE", "")};
  const std::vector<Finding> found = causes_of(facts);
  EXPECT_EQ(found.front().cause, "Nothing is wrong: done is CREATE_COMPLETE.");
  EXPECT_THAT(found.front().next, StartsWith("hearth stack resource show site done"));
}

TEST(ResourceCauses, OfAMachineThatNeverAskedItsNodeIsTold) {
  StackFacts facts = running(Json::array({row("d", "CREATE_IN_PROGRESS", "beta has not asked for its metadata")}));
  facts.silent["beta"].node = {{"name", "beta"}, {"provision_state", "deploy failed"}, {"last_error", "no such disk"}};
  EXPECT_THAT(causes_of(ResourceFacts{facts, "d"}).front().cause, HasSubstr("The machine of beta: "));
}

}  // namespace
}  // namespace hearth::bootstrap::why
