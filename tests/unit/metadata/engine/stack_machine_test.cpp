#include "tests/unit/metadata/engine/machine_fixture.hpp"

namespace hearth::metadata::live {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* k_node = R"({
  "server": {"role": "server"}, "cfg": {"role": "fixed"},
  "dep1": {"role": "deployment", "server": "server", "needs": ["server", "cfg"], "outputs": [{"name": "result"}]},
  "dep2": {"role": "deployment", "server": "server", "needs": ["server", "dep1"], "properties": {"in": "@dep1.result"}}})";

TEST_F(MachineTest, AStackOfWhatIsCompleteAtOnceIsCreatedInOrder) {
  EXPECT_THAT(create(R"({"b": {"needs": ["a"]}, "a": {}})"),
              ElementsAre("/: CREATE_IN_PROGRESS Stack CREATE started", "a: CREATE_IN_PROGRESS", "a: CREATE_COMPLETE",
                          "b: CREATE_IN_PROGRESS", "b: CREATE_COMPLETE",
                          "/: CREATE_COMPLETE Stack CREATE completed successfully"));
}

TEST_F(MachineTest, AnEmptyStackIsCompleteAtOnce) {
  EXPECT_THAT(create("{}"), ElementsAre("/: CREATE_IN_PROGRESS Stack CREATE started",
                                        "/: CREATE_COMPLETE Stack CREATE completed successfully"));
}

TEST_F(MachineTest, ADeploymentWaitsForItsSignalAndTheNextOneSeesItsOutputs) {
  EXPECT_THAT(create(k_node), ElementsAre("/: CREATE_IN_PROGRESS Stack CREATE started", "server: CREATE_IN_PROGRESS",
                                          "server: CREATE_COMPLETE", "cfg: CREATE_IN_PROGRESS", "cfg: CREATE_COMPLETE",
                                          "dep1: CREATE_IN_PROGRESS"));
  EXPECT_THAT(changes_.servers, ElementsAre(tree_.find_path("server")));
  const std::string id = at("dep1").physical_id;
  EXPECT_THAT(signal("dep1", R"({"deploy_status_code": 0, "result": "42"})"),
              ElementsAre(cat("dep1: SIGNAL_IN_PROGRESS Signal: deployment ", id, " succeeded"),
                          "dep1: CREATE_COMPLETE", "dep2: CREATE_IN_PROGRESS"));
  EXPECT_EQ(Json::parse(at("dep2").deployment.derived)["inputs"]["in"], "42");
  signal("dep2");
  EXPECT_EQ(status(), "CREATE_COMPLETE");
}

TEST_F(MachineTest, ASignalThatNobodyWaitsForIsToldAndChangesNothing) {
  create(k_node);
  signal("dep1", R"({"result": "first"})");
  EXPECT_THAT(signal("dep1", R"({"result": "again", "deploy_status_code": 1})"),
              ElementsAre("dep1: SIGNAL_COMPLETE Unknown"));
  EXPECT_EQ(at("dep1").deployment.output_values["result"], "first");
  signal("server");
  EXPECT_EQ(outcome_.kind, SignalOutcome::Kind::bad);
}

TEST_F(MachineTest, WithoutSignalOrWithoutTheActionADeploymentIsCompleteAtOnce) {
  create(
      R"({"s": {"role": "server"}, "n": {"role": "deployment", "server": "s", "transport": "NO_SIGNAL", "needs": ["s"]},
             "d": {"role": "deployment", "server": "s", "actions": ["DELETE"], "needs": ["s"]}})");
  EXPECT_EQ(status(), "CREATE_COMPLETE");
  EXPECT_TRUE(at("n").deployment.pushed);
  EXPECT_EQ(at("n").deployment.reason, "Not waiting for outputs signal");
  EXPECT_FALSE(at("d").deployment.pushed);
}

TEST_F(MachineTest, NestedStacksTellOfThemselvesAndOfTheirResource) {
  EXPECT_THAT(create(R"({"g": {"role": "nested", "is_group": true, "stack": {"0": {}}}})"),
              ElementsAre("/: CREATE_IN_PROGRESS Stack CREATE started", "g: CREATE_IN_PROGRESS",
                          "g/: CREATE_IN_PROGRESS Stack CREATE started", "g.0: CREATE_IN_PROGRESS",
                          "g.0: CREATE_COMPLETE", "g/: CREATE_COMPLETE Stack CREATE completed successfully",
                          "g: CREATE_COMPLETE", "/: CREATE_COMPLETE Stack CREATE completed successfully"));
  EXPECT_EQ(at("g").physical_id, tree_.stack(1).id);
  EXPECT_EQ(changes_.events[1].physical_id, tree_.stack(1).name);  // by this the field's client finds the path
}

TEST_F(MachineTest, AWaitConditionCountsTheSignalsOfItsHandle) {
  create(
      R"({"h": {"role": "wait_handle"}, "w": {"role": "wait_condition", "handle": "h", "count": 2, "needs": ["h"]}})");
  EXPECT_THAT(signal("h", R"({"data": "one"})"),
              ElementsAre("h: SIGNAL_COMPLETE Signal: status:SUCCESS reason:Signal 1 received"));
  signal("h", R"({"id": "1", "data": "again"})");
  EXPECT_EQ(at("w").status, Status::in_progress);
  EXPECT_THAT(signal("h", R"({"id": "b", "data": 2})"), Contains("w: CREATE_COMPLETE"));
  EXPECT_EQ(blueprint_->known["w"]["data"], R"({"1": "again", "b": 2})");
  signal("h", R"({"id": "late", "data": 3})");
  EXPECT_EQ(blueprint_->known["w"]["data"], R"({"1": "again", "b": 2, "late": 3})");
  signal("h", R"({"oops": 1})");
  EXPECT_EQ(outcome_.message, "Metadata format invalid");
}

TEST_F(MachineTest, AHandleThatTakesNoSignalsGivesThemByItself) {
  EXPECT_THAT(create(R"({"h": {"role": "wait_handle", "transport": "NO_SIGNAL"},
                         "w": {"role": "wait_condition", "handle": "h", "count": 2, "needs": ["h"]}})"),
              ElementsAre("/: CREATE_IN_PROGRESS Stack CREATE started", "h: CREATE_IN_PROGRESS", "h: CREATE_COMPLETE",
                          "w: CREATE_IN_PROGRESS", "h: SIGNAL_COMPLETE Signal: status:SUCCESS reason:Signal 1 received",
                          "h: SIGNAL_COMPLETE Signal: status:SUCCESS reason:Signal 2 received", "w: CREATE_COMPLETE",
                          "/: CREATE_COMPLETE Stack CREATE completed successfully"));
}

TEST_F(MachineTest, DeletionGoesAgainstTheOrderAndForgetsRights) {
  create(R"({"a": {}, "b": {"needs": ["a"]}, "s": {"role": "server"}})");
  EXPECT_THAT(
      run(Action::erase),
      ElementsAre("/: DELETE_IN_PROGRESS Stack DELETE started at 1970-01-01T00:16:40.000000", "b: DELETE_IN_PROGRESS",
                  "b: DELETE_COMPLETE", "s: DELETE_IN_PROGRESS", "s: DELETE_COMPLETE", "a: DELETE_IN_PROGRESS",
                  "a: DELETE_COMPLETE", "/: DELETE_COMPLETE Stack DELETE completed successfully"));
  EXPECT_THAT(around_.forgotten, ElementsAre("b", "s", "a"));
}

TEST_F(MachineTest, DeletionWaitsForAnAgentThatPollsButNotForEver) {
  constexpr const char* json = R"({"s": {"role": "server"},
      "d": {"role": "deployment", "server": "s", "actions": ["CREATE", "DELETE"], "needs": ["s"]}})";
  create(json);
  signal("d");
  around_.polling = true;
  run(Action::erase);
  EXPECT_EQ(status(), "DELETE_IN_PROGRESS");
  EXPECT_EQ(Json::parse(at("d").deployment.derived)["deploy_action"], "DELETE");
  around_.time += 300;
  machine_->check_deadlines();
  EXPECT_EQ(status(), "DELETE_COMPLETE");
}

TEST_F(MachineTest, SuspendGoesBackwardsResumeForwards) {
  create(R"({"a": {}, "b": {"needs": ["a"]}})");
  EXPECT_THAT(run(Action::suspend),
              ElementsAre("/: SUSPEND_IN_PROGRESS Stack SUSPEND started", "b: SUSPEND_IN_PROGRESS",
                          "b: SUSPEND_COMPLETE", "a: SUSPEND_IN_PROGRESS", "a: SUSPEND_COMPLETE",
                          "/: SUSPEND_COMPLETE Stack SUSPEND completed successfully"));
  EXPECT_EQ(run(Action::resume)[1], "a: RESUME_IN_PROGRESS");
}

TEST_F(MachineTest, ATreeThatWasStoredInTheMiddleGoesOn) {
  create(k_node);
  StackTree copy = tree_;
  for (std::size_t i = 0; i < copy.resources().size(); ++i) copy.own_resource(i).missing = 99;
  StackMachine again(copy, *blueprint_, around_);
  again.resume();
  EXPECT_THAT(again.take_changes().events, IsEmpty());
  (void)again.signal(copy.find_path("dep1"), Json::object());
  (void)again.signal(copy.find_path("dep2"), Json::object());
  EXPECT_EQ(copy.root().status, Status::complete);
}

TEST_F(MachineTest, ATreeThatWasStoredBeforeItsFirstStepStarts) {
  make(k_node);
  machine_->begin(Action::create);
  StackTree copy;
  copy.id = "id-s";
  copy.add_stack(blueprint_->stack(""), k_none, 0);
  copy.own_stack(0).action = Action::create;
  copy.own_stack(0).status = Status::in_progress;
  StackMachine again(copy, *blueprint_, around_);
  again.resume();
  EXPECT_EQ(copy.resource(copy.find_path("dep1")).status, Status::in_progress);
}

}  // namespace
}  // namespace hearth::metadata::live
