#include "tests/unit/metadata/engine/machine_fixture.hpp"

namespace hearth::metadata::live {
namespace {

using testing::ElementsAre;

TEST_F(MachineTest, AHookStopsAResourceUntilItIsCleared) {
  EXPECT_THAT(create(R"({"a": {"hooks": ["pre-create", "post-create"]}, "b": {"needs": ["a"]}})"),
              ElementsAre("/: CREATE_IN_PROGRESS Stack CREATE started",
                          "a: INIT_COMPLETE CREATE paused until Hook pre-create is cleared"));
  signal("a", R"({"unset_hook": "pre-update"})");
  EXPECT_EQ(outcome_.kind, SignalOutcome::Kind::bad);
  EXPECT_THAT(signal("a", R"({"unset_hook": "pre-create"})"),
              ElementsAre("a: INIT_COMPLETE Hook pre-create is cleared", "a: CREATE_IN_PROGRESS", "a: CREATE_COMPLETE",
                          "a: CREATE_COMPLETE CREATE paused until Hook post-create is cleared"));
  EXPECT_THAT(signal("a", R"({"unset_hook": "post-create"})"),
              ElementsAre("a: CREATE_COMPLETE Hook post-create is cleared", "b: CREATE_IN_PROGRESS",
                          "b: CREATE_COMPLETE", "/: CREATE_COMPLETE Stack CREATE completed successfully"));
}

TEST_F(MachineTest, WhatIsPausedBehindItsActionIsPausedAfterARestartToo) {
  create(R"({"a": {"hooks": ["post-create"]}, "b": {"needs": ["a"]}})");
  machine_ = std::make_unique<StackMachine>(tree_, *blueprint_, around_);
  machine_->resume();
  EXPECT_THAT(events(), testing::IsEmpty());
  EXPECT_THAT(signal("a", R"({"unset_hook": "post-create"})"),
              ElementsAre("a: CREATE_COMPLETE Hook post-create is cleared", "b: CREATE_IN_PROGRESS",
                          "b: CREATE_COMPLETE", "/: CREATE_COMPLETE Stack CREATE completed successfully"));
}

TEST_F(MachineTest, AnUpdateStopsOnlyAtWhatChanges) {
  create(R"({"a": {"properties": {"v": 1}}, "b": {}})");
  update(R"({"a": {"hooks": ["pre-update"], "properties": {"v": 2}}, "b": {"hooks": ["pre-update"]}})");
  EXPECT_EQ(status(), "UPDATE_IN_PROGRESS");
  signal("a", R"({"unset_hook": "pre-update"})");
  EXPECT_EQ(status(), "UPDATE_COMPLETE");
  EXPECT_EQ(at("a").fingerprint, R"({"v":2})");
}

TEST_F(MachineTest, ADeletionStopsToo) {
  create(R"({"a": {"hooks": ["pre-delete"]}})");
  EXPECT_THAT(run(Action::erase),
              testing::Contains("a: CREATE_COMPLETE DELETE paused until Hook pre-delete is cleared"));
  signal("a", R"({"unset_hook": "pre-delete"})");
  EXPECT_EQ(status(), "DELETE_COMPLETE");
}

TEST_F(MachineTest, APropertyThatCannotChangeMakesANewResource) {
  create(R"({"a": {"properties": {"v": 1}, "replaced_by": ["v"]}, "b": {"properties": {"v": 1}}})");
  EXPECT_THAT(update(R"({"a": {"properties": {"v": 2}, "replaced_by": ["v"]}, "b": {"properties": {"v": 2}}})"),
              ElementsAre("/: UPDATE_IN_PROGRESS Stack UPDATE started", "a: UPDATE_IN_PROGRESS",
                          "a: UPDATE_COMPLETE The Resource a requires replacement.", "a: CREATE_IN_PROGRESS",
                          "a: CREATE_COMPLETE", "b: UPDATE_IN_PROGRESS", "b: UPDATE_COMPLETE", "a: DELETE_IN_PROGRESS",
                          "a: DELETE_COMPLETE", "/: UPDATE_COMPLETE Stack UPDATE completed successfully"));
}

TEST_F(MachineTest, AHandleTellsHowToSignalItAndAGroupKeepsItsBlacklist) {
  create(R"({"h": {"role": "wait_handle", "form": "swift"}, "x": {"needs": ["h"], "properties": {"u": "@h.url"}},
    "g": {"role": "nested", "is_group": true, "blacklist": ["0"], "stack": {"1": {}}}})");
  EXPECT_EQ(at("x").fingerprint, R"({"u":"http://signal/h"})");
  EXPECT_EQ(at("g").data.blacklist, std::vector<std::string>{"0"});
  machine_->relearn();
  EXPECT_EQ(blueprint_->known["g"], Json::parse(R"({"removed_rsrc_list": ["0"], "decided": true})"));
  machine_->relearn(true);
  EXPECT_EQ(blueprint_->known["g"]["removed_rsrc_list"], Json::array({"0"}));
  EXPECT_EQ(blueprint_->known["g"]["refs_map"]["1"], at("g.1").physical_id);
}

}  // namespace
}  // namespace hearth::metadata::live
