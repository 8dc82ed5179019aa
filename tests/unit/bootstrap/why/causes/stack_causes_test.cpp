#include "bootstrap/why/causes/stack_causes.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "bootstrap/deploy/choice.hpp"
#include "bootstrap/why/causes/facts.hpp"

namespace hearth::bootstrap::why {
namespace {

Json resource(const char* name, const char* status, const char* reason,
              const char* type = "OS::Heat::SoftwareDeployment") {
  return {{"resource_name", name},
          {"resource_status", status},
          {"resource_status_reason", reason},
          {"resource_type", type}};
}

Json stack(const char* status) {
  return {{"stack_name", "site"}, {"stack_status", status}, {"stack_status_reason", "why not"}};
}

std::string first(const char* status, const Json& resources) {
  return stack_causes(stack(status), resources).front().cause;
}

TEST(StackCauses, WhatFailedStandsBeforeWhatWaits) {
  Json nested = resource("group", "CREATE_FAILED", "Error: resources.group: deploy failed", "OS::Heat::ResourceGroup");
  nested["links"] = Json::array({{{"rel", "nested"}, {"href", "x"}}});
  const Json rows = {resource("late", "CREATE_IN_PROGRESS", "state changed"), nested,
                     resource("run", "CREATE_FAILED", "deploy_status_code: 1\nmore")};
  const std::vector<Finding> found = stack_causes(stack("CREATE_FAILED"), rows);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].cause, "run failed: deploy_status_code: 1");
  EXPECT_EQ(found[0].next, "hearth stack failures list site");
}

TEST(StackCauses, WhereNoNodeHasTheFlavorTheNextStepIsToMarkOne) {
  const Json servers = {{{"id", "1"}, {"name", "web"}, {"properties", {{"flavor", "compute"}}}}};
  const Json nodes = {{{"uuid", "u"}, {"name", "a"}, {"provision_state", "available"}, {"maintenance", false}}};
  const std::string refusal = choose_nodes(servers, nodes).refused["1"];
  const std::string reason = cat("ResourceInError: resources.web: Went to status ERROR due to \"", refusal, "\"");
  const Json rows = {resource("web", "CREATE_FAILED", reason.c_str(), "OS::Nova::Server")};
  const Finding found = stack_causes(stack("CREATE_FAILED"), rows).front();
  EXPECT_EQ(found.cause,
            "web failed: no node of flavor compute for server web: a has no profile, and resource class none.");
  EXPECT_EQ(found.evidence, std::vector<std::string>{"OS::Nova::Server is CREATE_FAILED"}) << "nothing twice";
  EXPECT_EQ(found.next,
            "A node is of that flavor with `hearth node set NODE --capability profile:compute` (in a site file: "
            "profile: compute); flavor baremetal takes any node. Then the same hearth deploy again");
}

TEST(StackCauses, WhoWaitsAndIsKnownOfStandsFirst) {
  const Json rows = {
      resource("a", "CREATE_IN_PROGRESS", "state changed"),
      resource(
          "b", "CREATE_IN_PROGRESS",
          "beta last asked 20 s ago; its last run failed 5 s ago in 20-os-net-config (exit code 1, after 0 s): ip: "
          "command not found")};
  EXPECT_EQ(first("CREATE_IN_PROGRESS", rows),
            "A hook on beta fails before its deployments are run: 20-os-net-config (exit code 1, after 0 s): ip: "
            "command not found");
}

TEST(StackCauses, TheReasonsOfWaiting) {
  const auto waits = [](const char* reason) {
    return first("CREATE_IN_PROGRESS", Json::array({resource("r", "CREATE_IN_PROGRESS", reason)}));
  };
  EXPECT_NE(waits("beta has not asked for its metadata since this service started: …").find("beta has never asked"),
            std::string::npos);
  EXPECT_EQ(waits("beta last asked 2 s ago; a run of its hooks goes on for 90 s, in 55-heat-config"),
            "beta is at work: a run of its hooks goes on for 90 s, in 55-heat-config.");
  EXPECT_NE(waits("beta last asked 2 s ago").find("has not answered r yet"), std::string::npos);
}

TEST(StackCauses, WhatWaitsTellsSinceWhenAndWhatIsBehindIt) {
  Json row = resource("r", "CREATE_IN_PROGRESS", "beta last asked 2 s ago");
  row["updated_time"] = "2026-11-26T22:00:00Z";
  row["required_by"] = {"late", "later"};
  const std::vector<Finding> found = stack_causes(stack("CREATE_IN_PROGRESS"), Json::array({row}));
  EXPECT_EQ(found[0].evidence.back(), "it has been so since 2026-11-26T22:00:00Z; behind it wait: late, later");
}

TEST(StackCauses, OneResourceIsAskedForByItsPath) {
  Json group = resource("group", "CREATE_IN_PROGRESS", "x", "OS::Heat::ResourceGroup");
  group["links"] = {{{"rel", "stack"}, {"href", "root"}}, {{"rel", "nested"}, {"href", "below"}}};
  Json run = resource("0", "CREATE_FAILED", "deploy_status_code: 1");
  run["links"] = {{{"rel", "stack"}, {"href", "below"}}};
  const Json rows = {run, group, resource("r", "CREATE_IN_PROGRESS", "beta last asked 2 s ago")};
  const auto cause = [&](const char* path) {
    const std::optional<Finding> found = resource_cause(stack("CREATE_IN_PROGRESS"), rows, path);
    return found ? found->cause : "none";
  };
  EXPECT_EQ(cause("group.0"), "group.0 failed: deploy_status_code: 1");
  EXPECT_EQ(cause("r"), "beta asks for its metadata, and has not answered r yet.");
  EXPECT_EQ(cause("0"), "none");
}

TEST(StackCauses, AServerThatNobodyGivesAMachineWaitsForADeployment) {
  const Json rows = {resource("web1", "CREATE_IN_PROGRESS", "state changed", "OS::Nova::Server")};
  const Finding found = stack_causes(stack("CREATE_IN_PROGRESS"), rows).front();
  EXPECT_EQ(
      found.cause,
      "web1 waits for its machine: a node that `hearth deploy` chooses and deploys for it. While no such run goes on, "
      "none comes.");
  EXPECT_NE(found.next.find("hearth deploy -t TEMPLATE --name site"), std::string::npos);
}

TEST(StackCauses, AnExitCodeIsToldInWords) {
  const Json rows = Json::array({resource(
      "run", "CREATE_FAILED",
      "Error: resources.run: Deployment to server failed: deploy_status_code : Deployment exited with non-zero status "
      "code: 17")});
  EXPECT_EQ(first("CREATE_FAILED", rows), "What run runs on its server ended with exit code 17.");
}

TEST(StackCauses, WhatAScriptWroteLastStandsFirst) {
  Json failed = resource("run", "CREATE_FAILED", "Deployment exited with non-zero status code: 127");
  failed["deploy_stderr"] = "one\ntwo\nthree\n/tmp/x: line 4: mkdirr: not found\n\n";
  const std::vector<std::string> evidence = stack_causes(stack("CREATE_FAILED"), Json::array({failed}))[0].evidence;
  ASSERT_EQ(evidence.size(), 4U);
  EXPECT_EQ(evidence[0], "stderr: two");
  EXPECT_EQ(evidence[2], "stderr: /tmp/x: line 4: mkdirr: not found");
  StackFacts facts;
  facts.stack = stack("CREATE_FAILED");
  facts.resources = Json::array({failed});
  EXPECT_EQ(causes_of(facts)[0].evidence, evidence) << "it is told, too, where facts are passed on";
}

TEST(StackCauses, AStackThatIsSetAsideCanBePutBackOrDeleted) {
  Json aside = stack("CHECK_FAILED");
  aside["stack_status_reason"] = "The Stack (site) is set aside: its row is no JSON. It is kept as it is. Start the …";
  const std::vector<Finding> found = stack_causes(aside, Json::array());
  EXPECT_EQ(found[0].cause, "The stack can't be served: The Stack (site) is set aside: its row is no JSON");
  EXPECT_NE(found[0].next.find("hearth help backup-and-upgrade"), std::string::npos);
  EXPECT_NE(found[0].next.find("hearth stack delete site"), std::string::npos);
}

TEST(StackCauses, AnUpdateThatWasTakenBackIsNoSuccess) {
  EXPECT_EQ(first("ROLLBACK_COMPLETE", Json::array()), "An update failed and was taken back: why not");
  EXPECT_EQ(first("ROLLBACK_IN_PROGRESS", Json::array()), "An update failed and is being taken back: why not");
}

TEST(StackCauses, WhatAMachineIsSeenToAskInVainStandsBeforeItsSilence) {
  const Json rows = Json::array({resource("r", "CREATE_IN_PROGRESS",
                                          "beta has not asked for its metadata since this service started; seen: "
                                          "192.0.2.7 has a key that is none of ours, 5 s ago")});
  EXPECT_EQ(first("CREATE_IN_PROGRESS", rows),
            "The machine of beta asks in vain: 192.0.2.7 has a key that is none of ours, 5 s ago.");
}

TEST(StackCauses, WhatWasEndedByAFailureIsNotTheCause) {
  const Json timed = resource("wait", "CREATE_FAILED", "WaitConditionTimeout: resources.wait: 0 of 1 received");
  const Json ended = resource("aaa", "CREATE_FAILED", "CREATE aborted");
  const std::vector<Finding> found = stack_causes(stack("CREATE_FAILED"), {ended, timed});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].cause.find("wait failed: WaitConditionTimeout"), std::string::npos) << found[0].cause;
  // Nothing else: its own reason counts, a cancellation or the end of its time.
  EXPECT_EQ(first("CREATE_FAILED", Json::array({ended})), "The stack is CREATE_FAILED: why not");
}

TEST(StackCauses, AHookThatHolds) {
  Json group = resource("group", "UPDATE_IN_PROGRESS", "state changed", "OS::Heat::ResourceGroup");
  group["links"] = Json::array({{{"rel", "nested"}, {"href", "inner"}}});
  Json member = resource("0", "CREATE_COMPLETE", "state changed", "OS::Heat::Value");
  member["links"] = Json::array({{{"rel", "stack"}, {"href", "inner"}}});
  member["hook"] = "pre-update";
  const std::vector<Finding> found =
      stack_causes(stack("UPDATE_IN_PROGRESS"), Json::array({group, resource("b", "UPDATE_IN_PROGRESS", "x"), member}));
  EXPECT_EQ(found[0].cause, "The hook pre-update holds group.0 until a person clears it.");
  EXPECT_EQ(found[0].next, "hearth stack hook clear site group.0 --hook pre-update");
}

TEST(StackCauses, AResourceOfANestedStackIsNamedAsCommandsNameIt) {
  Json group = resource("group", "CREATE_FAILED", "x", "OS::Heat::ResourceGroup");
  group["links"] = {{{"rel", "stack"}, {"href", "root"}}, {{"rel", "nested"}, {"href", "below"}}};
  Json run = resource("0", "CREATE_FAILED", "deploy_status_code: 1");
  run["links"] = {{{"rel", "stack"}, {"href", "below"}}};
  EXPECT_EQ(first("CREATE_FAILED", {run, group}), "group.0 failed: deploy_status_code: 1");
}

TEST(StackCauses, AStackWithoutSuchResources) {
  EXPECT_EQ(first("CREATE_COMPLETE", Json::array()), "Nothing is wrong: the stack is CREATE_COMPLETE.");
  EXPECT_EQ(first("CHECK_FAILED", Json::array()), "The stack is CHECK_FAILED: why not");
}

TEST(StackCauses, SilentServersAreNamedOnce) {
  const Json row =
      resource("r", "CREATE_IN_PROGRESS", "beta has not asked for its metadata since this service started");
  EXPECT_EQ(silent_servers({row, row}), std::vector<std::string>{"beta"});
}

}  // namespace
}  // namespace hearth::bootstrap::why
