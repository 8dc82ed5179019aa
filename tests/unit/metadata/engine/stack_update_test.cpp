#include "tests/unit/metadata/engine/machine_fixture.hpp"

namespace hearth::metadata::live {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

std::string group(const std::vector<std::string>& members, const std::string& input) {
  std::vector<std::string> stacks;
  for (const std::string& member : members) {
    stacks.push_back(cat("\"", member, R"(": {"role": "nested", "stack": {"s": {"role": "server"},
        "Dep1": {"role": "deployment", "server": "s", "needs": ["s"], "properties": {"foo": ")",
                         input, R"("}},
        "Dep2": {"role": "deployment", "server": "s", "needs": ["s", "Dep1"]}}})"));
  }
  return cat(R"({"Compute": {"role": "nested", "is_group": true, "stack": {)", join(stacks, ","), "}}}");
}

class UpdateTest : public MachineTest {
 protected:
  void settle() {
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = 0; i < tree_.resources().size(); ++i) {
        const ResourceRecord& resource = tree_.resource(i);
        if (resource.gone || resource.role != Role::deployment || resource.deployment.status != Status::in_progress)
          continue;
        (void)machine_->signal(i, Json::object());
        more = true;
      }
    }
  }
};

TEST_F(UpdateTest, WhatSomebodyElseMadeIsNeverReplaced) {
  create(R"-({"a": {"properties": {"(external_id)": "EXT-1"}}})-");
  events();
  EXPECT_THAT(update(R"-({"a": {"properties": {"(external_id)": "EXT-2"}}})-"),
              Contains(testing::HasSubstr("Update to property external_id of a (plain) is not supported.")));
  EXPECT_EQ(status(), "UPDATE_FAILED");
}

TEST_F(UpdateTest, ChangedInputsAndANewMemberGiveTheEventsThatHeatGives) {
  create(group({"0"}, "a").c_str());
  settle();
  events();
  EXPECT_THAT(update(group({"0", "1"}, "b").c_str()),
              ElementsAre("/: UPDATE_IN_PROGRESS Stack UPDATE started", "Compute: UPDATE_IN_PROGRESS",
                          "Compute/: UPDATE_IN_PROGRESS Stack UPDATE started", "Compute.0: UPDATE_IN_PROGRESS",
                          "Compute.0/: UPDATE_IN_PROGRESS Stack UPDATE started", "Compute.1: CREATE_IN_PROGRESS",
                          "Compute.1/: CREATE_IN_PROGRESS Stack CREATE started", "Compute.1.s: CREATE_IN_PROGRESS",
                          "Compute.1.s: CREATE_COMPLETE", "Compute.0.Dep1: UPDATE_IN_PROGRESS",
                          "Compute.1.Dep1: CREATE_IN_PROGRESS"));
  EXPECT_EQ(Json::parse(at("Compute.0.Dep1").deployment.derived)["deploy_action"], "UPDATE");
  const std::string id = at("Compute.0.Dep1").physical_id;
  EXPECT_THAT(
      signal("Compute.0.Dep1"),
      ElementsAre(cat("Compute.0.Dep1: SIGNAL_IN_PROGRESS Signal: deployment ", id, " succeeded"),
                  "Compute.0.Dep1: UPDATE_COMPLETE", "Compute.0/: UPDATE_COMPLETE Stack UPDATE completed successfully",
                  "Compute.0: UPDATE_COMPLETE"));
  settle();
  EXPECT_EQ(status(), "UPDATE_COMPLETE");
}

TEST_F(UpdateTest, WhatIsTheSameKeepsItsConfigSoThatNoAgentRunsItAgain) {
  create(group({"0"}, "a").c_str());
  settle();
  const std::string config = at("Compute.0.Dep1").deployment.config_id;
  update(group({"0"}, "a").c_str());
  EXPECT_EQ(status(), "UPDATE_COMPLETE");
  EXPECT_EQ(at("Compute.0.Dep1").deployment.config_id, config);
}

TEST_F(UpdateTest, MembersThatGoAreDeletedAndTheirServersForgotten) {
  create(group({"0", "1"}, "a").c_str());
  settle();
  events();
  const auto lines = update(group({"0"}, "a").c_str());
  EXPECT_THAT(lines, Contains("?: DELETE_COMPLETE").Times(0));
  EXPECT_THAT(lines, Contains("Compute.1: DELETE_IN_PROGRESS"));
  EXPECT_THAT(lines, Contains("Compute.1: DELETE_COMPLETE"));
  EXPECT_EQ(lines.back(), "/: UPDATE_COMPLETE Stack UPDATE completed successfully");
  EXPECT_EQ(tree_.find_path("Compute.1.s"), k_none);
  EXPECT_THAT(around_.forgotten, Contains("Compute.1.s"));
}

TEST_F(UpdateTest, AfterAFailureTheDeploymentIsMadeAnew) {
  create(group({"0"}, "a").c_str());
  signal("Compute.0.Dep1", R"({"deploy_status_code": 1})");
  EXPECT_EQ(status(), "CREATE_FAILED");
  const std::string id = at("Compute.0.Dep1").physical_id;
  EXPECT_THAT(update(group({"0"}, "a").c_str()), Contains("Compute.0.Dep1: CREATE_IN_PROGRESS"));
  EXPECT_NE(at("Compute.0.Dep1").physical_id, id);
  settle();
  EXPECT_EQ(status(), "UPDATE_COMPLETE");
}

TEST_F(UpdateTest, AnInputThatReplacesMakesANewDeployment) {
  const auto json = [](const std::string& value) {
    return cat(R"({"s": {"role": "server"}, "d": {"role": "deployment", "server": "s", "needs": ["s"],
                "properties": {"replace_on_change": ")",
               value, R"("}}})");
  };
  create(json("1").c_str());
  settle();
  events();
  const std::string id = at("d").physical_id;
  EXPECT_THAT(update(json("2").c_str()),
              ElementsAre("/: UPDATE_IN_PROGRESS Stack UPDATE started", "d: UPDATE_IN_PROGRESS",
                          "d: UPDATE_COMPLETE The Resource Unknown requires replacement.", "d: CREATE_IN_PROGRESS"));
  settle();
  EXPECT_THAT(events(), testing::IsSupersetOf({"d: CREATE_COMPLETE", "d: DELETE_IN_PROGRESS", "d: DELETE_COMPLETE"}));
  EXPECT_NE(at("d").physical_id, id);
  EXPECT_EQ(status(), "UPDATE_COMPLETE");
}

TEST_F(UpdateTest, AnInputThatReplacesLeavesAloneWhatNeverRanOrHadNoSuchInput) {
  const auto json = [](const char* actions, const char* properties) {
    return cat(R"({"s": {"role": "server"}, "d": {"role": "deployment", "server": "s", "needs": ["s"], "actions": )",
               actions, R"(, "properties": )", properties, "}}");
  };
  create(json(R"(["DELETE"])", R"({"replace_on_change": "1"})").c_str());
  settle();
  events();
  EXPECT_THAT(update(json(R"(["CREATE", "UPDATE"])", R"({"replace_on_change": "2"})").c_str()),
              Not(Contains(testing::HasSubstr("requires replacement"))));
  settle();
  EXPECT_THAT(update(json(R"(["CREATE", "UPDATE"])", R"({"foo": "1"})").c_str()),
              Not(Contains(testing::HasSubstr("requires replacement"))));
  settle();
  EXPECT_THAT(update(json(R"(["CREATE", "UPDATE"])", R"({"replace_on_change": "3"})").c_str()),
              Not(Contains(testing::HasSubstr("requires replacement"))));
  settle();
  EXPECT_EQ(status(), "UPDATE_COMPLETE");
}

TEST_F(UpdateTest, ADeploymentThatWasReplacedIsNotWaitedForThoughItWouldRunAtItsDeletion) {
  const auto json = [](const std::string& value) {
    return cat(R"({"s": {"role": "server"}, "d": {"role": "deployment", "server": "s", "needs": ["s"],
                "actions": ["CREATE", "DELETE"], "properties": {"replace_on_change": ")",
               value, R"("}}})");
  };
  around_.polling = true;  // an agent is there, but its signal would come to what took the place
  create(json("1").c_str());
  settle();
  update(json("2").c_str());
  settle();
  EXPECT_EQ(status(), "UPDATE_COMPLETE");
  EXPECT_EQ(tree_.root().resources.size(), 2U);
}

TEST_F(UpdateTest, ADeploymentHasNoIdBeforeThereIsSomethingToRun) {
  const auto json = [](const std::string& value) {
    return cat(R"({"s": {"role": "server"}, "d": {"role": "deployment", "server": "s", "needs": ["s"],
                "actions": ["UPDATE"], "properties": {"foo": ")",
               value, R"("}}})");
  };
  create(json("1").c_str());
  EXPECT_EQ(at("d").physical_id, "");
  update(json("2").c_str());
  EXPECT_NE(at("d").physical_id, "");
}

TEST_F(UpdateTest, WhatIsNoPropertyIsUpdatedInPlaceEvenWhereNoPropertyCanBe) {
  create(R"j({"c": {"role": "fixed", "properties": {"x": 1, "(metadata)": {"m": 1}}}})j");
  const std::string id = at("c").physical_id;
  EXPECT_THAT(update(R"j({"c": {"role": "fixed", "properties": {"x": 1, "(metadata)": {"m": 2}}}})j"),
              ElementsAre("/: UPDATE_IN_PROGRESS Stack UPDATE started", "c: UPDATE_IN_PROGRESS", "c: UPDATE_COMPLETE",
                          "/: UPDATE_COMPLETE Stack UPDATE completed successfully"));
  EXPECT_EQ(at("c").physical_id, id);
}

TEST_F(UpdateTest, AStackThatCanNotChangeIsReplacedByAnotherAndWhatIsInTheFirstGoesInItsOrder) {
  const auto json = [](const std::string& value) {
    return cat(R"({"g": {"role": "nested", "replaced_by": ["order"], "properties": {"order": ")", value,
               R"("}, "stack": {"a": {}, "b": {"needs": ["a"]}}}})");
  };
  create(json("1").c_str());
  const std::string id = at("g").physical_id;
  const auto lines = update(json("2").c_str());
  EXPECT_THAT(lines, testing::IsSupersetOf({"g: UPDATE_COMPLETE The Resource g requires replacement.",
                                            "g: CREATE_COMPLETE", "g: DELETE_COMPLETE"}));
  EXPECT_EQ(status(), "UPDATE_COMPLETE");
  EXPECT_NE(at("g").physical_id, id);
  EXPECT_EQ(tree_.find_stack(id), k_none);
  EXPECT_NE(tree_.find_stack(at("g").physical_id), k_none);
  EXPECT_NE(tree_.find_path("g.b"), k_none);
}

TEST_F(UpdateTest, AnotherTemplateIsAnotherVersionOfTheSameNestedStack) {
  create(R"({"n": {"role": "nested", "type": "one.yaml", "stack": {"a": {}}}})");
  const std::string id = at("n").physical_id;
  EXPECT_THAT(update(R"({"n": {"role": "nested", "type": "two.yaml", "stack": {"b": {}}}})"),
              testing::IsSupersetOf({"n: UPDATE_COMPLETE", "n.b: CREATE_COMPLETE"}));
  EXPECT_EQ(at("n").physical_id, id);
  EXPECT_EQ(at("n").type, "two.yaml");
}

TEST_F(UpdateTest, AServerThatIsReplacedHasAnotherIdUnlessItIsAMachineThatItsProviderKnows) {
  const auto json = [](const char* flavor) {
    return cat(R"({"s": {"role": "server", "replaced_by": ["f"], "properties": {"f": ")", flavor, R"("}},
                  "m": {"role": "server", "is_machine": true, "replaced_by": ["f"], "properties": {"f": ")",
               flavor, R"("}}})");
  };
  create(json("1").c_str());
  const std::string server = at("s").physical_id;
  const std::string machine = at("m").physical_id;
  update(json("2").c_str());
  EXPECT_EQ(status(), "UPDATE_COMPLETE");
  EXPECT_NE(at("s").physical_id, server);
  EXPECT_EQ(at("m").physical_id, machine);
}

TEST_F(UpdateTest, NothingIsRequiredByWhatIsGone) {
  create(R"({"a": {}, "b": {"needs": ["a"]}})");
  update(R"({"a": {}})");
  EXPECT_TRUE(at("a").needed_by.empty());
}

TEST_F(UpdateTest, WhatCanNotBeUpdatedIsReplacedAndTheOldOneGoesAtTheEnd) {
  create(R"({"c": {"role": "fixed", "properties": {"x": 1}}, "p": {"needs": ["c"], "properties": {"y": 1}}})");
  EXPECT_THAT(
      update(R"({"c": {"role": "fixed", "properties": {"x": 2}}, "p": {"needs": ["c"], "properties": {"y": 2}}})"),
      ElementsAre("/: UPDATE_IN_PROGRESS Stack UPDATE started", "c: UPDATE_IN_PROGRESS",
                  "c: UPDATE_COMPLETE The Resource c requires replacement.", "c: CREATE_IN_PROGRESS",
                  "c: CREATE_COMPLETE", "p: UPDATE_IN_PROGRESS", "p: UPDATE_COMPLETE", "c: DELETE_IN_PROGRESS",
                  "c: DELETE_COMPLETE", "/: UPDATE_COMPLETE Stack UPDATE completed successfully"));
  EXPECT_EQ(tree_.root().resources.size(), 2U);
  EXPECT_EQ(at("c").fingerprint, R"({"x":2})");
}

TEST_F(UpdateTest, AResourceOfAnotherTypeIsAnotherResource) {
  create(R"({"a": {}})");
  EXPECT_THAT(
      update(R"({"a": {"role": "nested", "stack": {"b": {}}}})"),
      testing::AllOf(Contains("a: CREATE_COMPLETE"), Contains("a: DELETE_COMPLETE"), Contains("a.b: CREATE_COMPLETE")));
  EXPECT_EQ(status(), "UPDATE_COMPLETE");
}

TEST_F(UpdateTest, AFailedUpdateSaysSoWithoutTheWordResource) {
  create(R"({"a": {}})");
  EXPECT_EQ(update(R"({"a": {"broken": "no"}})").back(), "/: UPDATE_FAILED StackValidationFailed: resources.a: no");
}

}  // namespace
}  // namespace hearth::metadata::live
