#include "bootstrap/why/value_causes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::bootstrap::why {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

/// deployments.late.inputs.i ← e.o ← d.o, which runs on beta.
ValueFacts waiting_value() {
  ValueFacts facts;
  facts.value.key = "deployments.late.inputs.i";
  facts.value.put_by = "late, top.yaml:9:3";
  facts.value.waits = {{"e", "o"}};
  facts.value.chain = {
      {.event = {"d", "o"}, .type = "OS::Heat::SoftwareDeployment", .place = "top.yaml:6:3", .server = "beta"},
      {.event = {"e", "o"},
       .type = "OS::Heat::SoftwareDeployment",
       .place = "top.yaml:7:3",
       .server = "beta",
       .behind = {{"d", "o"}}}};
  facts.server = "alpha";
  facts.stack = "site";
  return facts;
}

StackFacts running(const char* status) {
  StackFacts facts;
  facts.stack = {{"stack_name", "site"}, {"stack_status", status}, {"stack_status_reason", ""}};
  return facts;
}

Json row(const char* name, const char* status, const char* reason) {
  return {{"resource_name", name},
          {"resource_status", status},
          {"resource_status_reason", reason},
          {"resource_type", "OS::Heat::SoftwareDeployment"},
          {"updated_time", "2026-11-26T22:00:00Z"}};
}

TEST(ValueCauses, WithoutAServiceTheTemplatesTellWhoHasToAnswer) {
  const Finding found = causes_of(waiting_value()).front();
  EXPECT_EQ(found.cause,
            "deployments.late.inputs.i is not there until the machine of beta has run the deployment d, which no "
            "template can tell.");
  EXPECT_EQ(found.evidence,
            (std::vector<std::string>{"late, top.yaml:9:3 waits for e.o", "e (top.yaml:7:3) waits for d.o",
                                      "d (OS::Heat::SoftwareDeployment, top.yaml:6:3) gives o from beta"}));
  EXPECT_THAT(found.next, HasSubstr("hearth why value alpha deployments.late.inputs.i"));
}

TEST(ValueCauses, TheStackThatRunsTellsForWhomSinceWhenAndWhatToDo) {
  ValueFacts facts = waiting_value();
  facts.running = running("CREATE_IN_PROGRESS");
  facts.running->resources = Json::array({row("other", "CREATE_IN_PROGRESS", "gamma last asked 1 s ago"),
                                          row("d", "CREATE_IN_PROGRESS", "beta last asked 2 s ago")});
  const Finding found = causes_of(facts).front();
  EXPECT_EQ(found.cause,
            "deployments.late.inputs.i waits for d.o: beta asks for its metadata, and has not answered d yet.");
  EXPECT_THAT(found.evidence, Contains("it has been so since 2026-11-26T22:00:00Z"));
  EXPECT_THAT(found.evidence, Contains("e (top.yaml:7:3) waits for d.o"));
  EXPECT_THAT(found.next, HasSubstr("os-collect-config"));
}

TEST(ValueCauses, OfAMachineThatNeverAskedItsNodeTellsMore) {
  ValueFacts facts = waiting_value();
  facts.running = running("CREATE_IN_PROGRESS");
  facts.running->resources =
      Json::array({row("d", "CREATE_IN_PROGRESS", "beta has not asked for its metadata since this service started")});
  NodeFacts node;
  node.node = {{"name", "n1"}, {"provision_state", "deploy failed"}, {"last_error", "the disk is full"}};
  facts.running->silent.emplace("beta", node);
  EXPECT_THAT(causes_of(facts).front().cause, HasSubstr("waits for d.o: The machine of beta: "));
}

TEST(ValueCauses, WhatHasNotBegunWaitsForWhatIsBeforeIt) {
  ValueFacts facts = waiting_value();
  facts.running = running("CREATE_IN_PROGRESS");
  facts.running->resources = Json::array({row("before", "CREATE_IN_PROGRESS", "gamma last asked 1 s ago")});
  EXPECT_EQ(causes_of(facts).front().cause,
            "deployments.late.inputs.i waits for e.o, which has not begun: gamma asks for its metadata, and has not "
            "answered before yet.");
}

TEST(ValueCauses, OfAllThatTheStackIsAtWhatIsAheadOfTheValueIsTheCause) {
  ValueFacts facts = waiting_value();
  facts.running = running("CREATE_IN_PROGRESS");
  Json ahead = row("ahead", "CREATE_IN_PROGRESS", "delta last asked 1 s ago");
  ahead["required_by"] = {"between"};
  facts.running->resources = Json::array(
      {row("failed", "CREATE_FAILED", "the disk is full"),
       row("silent", "CREATE_IN_PROGRESS", "gamma has not asked for its metadata since this service started"),
       row("other", "CREATE_IN_PROGRESS", "gamma last asked 1 s ago"), ahead});
  NodeFacts node;
  node.node = {{"name", "n1"}, {"provision_state", "deploy failed"}, {"last_error", "the disk is full"}};
  facts.running->silent.emplace("gamma", node);
  facts.unbegun = Json::array({row("between", "INIT_COMPLETE", ""), row("d", "INIT_COMPLETE", "")});
  facts.unbegun[0]["required_by"] = {"d"};
  EXPECT_EQ(causes_of(facts).front().cause,
            "deployments.late.inputs.i waits for e.o, which has not begun: delta asks for its metadata, and has not "
            "answered ahead yet.");
}

TEST(ValueCauses, WhatIsAheadOfTheStackThatHasItIsTheCause) {
  ValueFacts facts = waiting_value();
  for (metadata::Wait& wait : facts.value.chain) wait.event.resource = cat("group.0.", wait.event.resource);
  facts.running = running("CREATE_IN_PROGRESS");
  Json ahead = row("ahead", "CREATE_IN_PROGRESS", "delta last asked 1 s ago");
  ahead["required_by"] = {"group"};
  facts.running->resources = Json::array({row("other", "CREATE_IN_PROGRESS", "gamma last asked 1 s ago"), ahead});
  EXPECT_THAT(causes_of(facts).front().cause, HasSubstr("has not answered ahead yet"));
}

TEST(ValueCauses, AStackOfOtherTemplatesThatHasTheNameTellsNothing) {
  ValueFacts facts = waiting_value();
  facts.running = running("CREATE_IN_PROGRESS");
  facts.running->resources = Json::array({row("before", "CREATE_IN_PROGRESS", "gamma last asked 1 s ago")});
  facts.lacking = {"d", "e"};
  const Finding found = causes_of(facts).front();
  EXPECT_THAT(found.cause, HasSubstr("until the machine of beta has run the deployment d, which no template can tell"));
  EXPECT_THAT(found.evidence, Contains("the stack site, which runs, was made of other templates: it has no d, e"));
  EXPECT_THAT(found.next, HasSubstr("--name STACK"));
}

TEST(ValueCauses, WhatIsKnownInTheStackWaitsInTheFilesOnly) {
  ValueFacts facts = waiting_value();
  facts.running = running("CREATE_COMPLETE");
  const Finding found = causes_of(facts).front();
  EXPECT_THAT(found.cause, StartsWith("deployments.late.inputs.i waits in these files only"));
  EXPECT_THAT(found.next, HasSubstr("hearth stack resource metadata site alpha"));
}

}  // namespace
}  // namespace hearth::bootstrap::why
