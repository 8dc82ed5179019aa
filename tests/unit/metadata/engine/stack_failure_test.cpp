#include <random>

#include "tests/unit/metadata/engine/machine_fixture.hpp"

namespace hearth::metadata::live {
namespace {

using testing::ElementsAre;

constexpr const char* k_two_nodes = R"({"Compute": {"role": "nested", "is_group": true, "stack": {
  "0": {"role": "nested", "stack": {"s": {"role": "server"}, "Dep1": {"role": "deployment", "server": "s", "needs": ["s"]}}},
  "1": {"role": "nested", "stack": {"s": {"role": "server"}, "Dep1": {"role": "deployment", "server": "s", "needs": ["s"]}}}
}}})";

TEST_F(MachineTest, AFailureAbortsWhatRunsBesideItAndGrowsItsPathOnTheWayUp) {
  create(k_two_nodes);
  const std::string id = at("Compute.1.Dep1").physical_id;
  const std::string text = "Deployment exited with non-zero status code: 3";
  EXPECT_THAT(
      signal("Compute.1.Dep1", R"({"deploy_status_code": 3})"),
      ElementsAre(
          cat("Compute.1.Dep1: SIGNAL_IN_PROGRESS Signal: deployment ", id, " failed (3)"),
          cat("Compute.1.Dep1: CREATE_FAILED Error: resources.Dep1: Deployment to server failed: deploy_status_code : ",
              text),
          cat("Compute.1/: CREATE_FAILED Resource CREATE failed: Error: resources.Dep1: Deployment to server failed: "
              "deploy_status_code : ",
              text),
          cat("Compute.1: CREATE_FAILED Error: resources[1].resources.Dep1: Deployment to server failed: "
              "deploy_status_code: ",
              text),
          "Compute.0: CREATE_FAILED CREATE aborted",
          cat("Compute/: CREATE_FAILED Resource CREATE failed: Error: resources[1].resources.Dep1: Deployment to "
              "server "
              "failed: deploy_status_code: ",
              text),
          "Compute.0.Dep1: CREATE_FAILED CREATE aborted",
          "Compute.0/: CREATE_FAILED Resource CREATE failed: Operation cancelled",
          cat("Compute: CREATE_FAILED Error: resources.Compute.resources[1].resources.Dep1: Deployment to server "
              "failed: "
              "deploy_status_code: ",
              text),
          cat("/: CREATE_FAILED Resource CREATE failed: Error: resources.Compute.resources[1].resources.Dep1: "
              "Deployment "
              "to server failed: deploy_status_code: ",
              text)));
  EXPECT_EQ(at("Compute.0.Dep1").deployment.reason, "Deployment cancelled.");
}

TEST_F(MachineTest, WhereAFailureEndsNothingElseWhatRunsBesideItGoesOn) {
  tree_.body = {{"on_failure", "continue"}};
  create(R"({"Compute": {"role": "nested", "is_group": true, "stack": {
    "0": {"role": "nested", "stack": {"s": {"role": "server"}, "Dep1": {"role": "deployment", "server": "s", "needs": ["s"]},
                                      "Dep2": {"role": "deployment", "server": "s", "needs": ["Dep1"]}}},
    "1": {"role": "nested", "stack": {"s": {"role": "server"}, "Dep1": {"role": "deployment", "server": "s", "needs": ["s"]},
                                      "Dep2": {"role": "deployment", "server": "s", "needs": ["Dep1"]}}}
  }}, "after": {"needs": ["Compute"]}, "beside": {"role": "deployment", "server": "Compute.0.s"},
  "then": {"needs": ["beside"]}})");
  const std::vector<std::string> failure = signal("Compute.1.Dep1", R"({"deploy_status_code": 3})");
  EXPECT_THAT(failure, testing::Not(testing::Contains(testing::HasSubstr("aborted"))));
  EXPECT_THAT(failure.back(),
              testing::StartsWith("/: CREATE_FAILED Resource CREATE failed: Error: resources.Compute."));
  EXPECT_EQ(status(), "CREATE_FAILED");
  const std::string id = at("Compute.0.Dep1").physical_id;
  EXPECT_THAT(signal("Compute.0.Dep1"),
              ElementsAre(cat("Compute.0.Dep1: SIGNAL_IN_PROGRESS Signal: deployment ", id, " succeeded"),
                          "Compute.0.Dep1: CREATE_COMPLETE", "Compute.0.Dep2: CREATE_IN_PROGRESS"));
  signal("Compute.0.Dep2");
  EXPECT_EQ(at("Compute.0").status, Status::complete);
  signal("beside");
  EXPECT_EQ(at("then").action, Action::create);
  EXPECT_EQ(at("Compute.1.Dep2").action, Action::init);
  EXPECT_EQ(at("after").action, Action::init);
  EXPECT_EQ(status(), "CREATE_FAILED");
}

TEST_F(MachineTest, WhatRunsOnBesideAFailureHasItsTimeToo) {
  tree_.body = {{"on_failure", "continue"}};
  create(
      R"({"s": {"role": "server"}, "d": {"role": "deployment", "server": "s", "needs": ["s"]}, "h": {"role": "wait_handle"},
    "w": {"role": "wait_condition", "handle": "h", "timeout": 60, "needs": ["h"]},
    "n": {"role": "nested", "stack": {"t": {"role": "server"}, "e": {"role": "deployment", "server": "t", "needs": ["t"]}}}})");
  tree_.deadline = 1100;
  signal("d", R"({"deploy_status_code": 1})");
  EXPECT_EQ(status(), "CREATE_FAILED");
  EXPECT_TRUE(tree_.busy());
  around_.time = 1060;
  machine_->check_deadlines();
  EXPECT_THAT(events(), ElementsAre("w: CREATE_FAILED WaitConditionTimeout: resources.w: 0 of 1 received"));
  around_.time = 1099;
  machine_->check_deadlines();
  EXPECT_THAT(events(), testing::IsEmpty());
  around_.time = 1100;
  machine_->check_deadlines();
  EXPECT_THAT(events(), ElementsAre("n: CREATE_FAILED CREATE aborted", "n.e: CREATE_FAILED CREATE aborted",
                                    "n/: CREATE_FAILED Resource CREATE failed: Operation cancelled"));
  EXPECT_EQ(at("n.e").deployment.reason, "Deployment cancelled.");
  EXPECT_FALSE(tree_.busy());
}

/// What ran beside a failure runs on while the next update has not come to it.
class LateTest : public MachineTest {
 protected:
  void SetUp() override {
    tree_.body = {{"on_failure", "continue"}};
    create(R"({"s": {"role": "server"}, "bad": {"role": "deployment", "server": "s", "needs": ["s"]},
      "late": {"role": "deployment", "server": "s", "needs": ["s"]},
      "n": {"role": "nested", "stack": {"e": {"role": "deployment", "server": "s"}}}})");
    signal("bad", R"({"deploy_status_code": 1})");
    update(R"({"s": {"role": "server"}, "bad": {"role": "deployment", "server": "s", "needs": ["s"]},
      "first": {"role": "deployment", "server": "s", "needs": ["s"]},
      "late": {"role": "deployment", "server": "s", "needs": ["s", "first"]},
      "n": {"role": "nested", "needs": ["first"], "stack": {"e": {"role": "deployment", "server": "s"}}}})");
    ASSERT_EQ(at("late").status, Status::in_progress);
    ASSERT_EQ(at("late").action, Action::create);
  }
};

TEST_F(LateTest, ASignalToWhatRanBesideAFailureDoesNotEndTheNextUpdateTooEarly) {
  signal("late");
  signal("n.e");
  EXPECT_EQ(at("late").status, Status::complete);
  signal("first");
  EXPECT_EQ(at("bad").status, Status::in_progress);
  EXPECT_EQ(status(), "UPDATE_IN_PROGRESS");
  signal("bad");
  EXPECT_EQ(status(), "UPDATE_COMPLETE");
}

TEST_F(LateTest, AFailureOfWhatRanBesideAFailureIsNoneOfTheNextUpdate) {
  signal("late", R"({"deploy_status_code": 1})");
  signal("n.e", R"({"deploy_status_code": 1})");
  EXPECT_EQ(at("late").status, Status::failed);
  EXPECT_EQ(at("n").status, Status::failed);
  EXPECT_EQ(status(), "UPDATE_IN_PROGRESS");
  for (const char* path : {"first", "bad", "late", "n.e"}) signal(path);
  EXPECT_EQ(status(), "UPDATE_COMPLETE");
}

TEST_F(MachineTest, WhatIsDeletedIsNeitherMarkedNorDeletedAgain) {
  create(R"({"s": {"role": "server"}, "d": {"role": "deployment", "server": "s", "needs": ["s"],
    "actions": ["CREATE", "DELETE"]}, "z": {"needs": ["d"]}})");
  signal("d");
  around_.polling = true;
  run(Action::erase);
  signal("d", R"({"deploy_status_code": 1})");
  ASSERT_EQ(status(), "DELETE_FAILED");
  machine_->mark(tree_.find_path("z"), true, "it does not answer");
  EXPECT_THAT(events(), testing::IsEmpty());
  EXPECT_THAT(run(Action::erase), testing::Not(testing::Contains(testing::StartsWith("z:"))));
  signal("d");
  EXPECT_EQ(status(), "DELETE_COMPLETE");
}

/// Lives of stacks: made-up templates, and signals, failures, updates, restarts and deletions whenever they come.
class Lives : public MachineTest {
 protected:
  bool one_in(unsigned many) { return random_() % many == 0; }
  std::string some_deployments() {
    const auto row = [this](std::string needs, char last) {
      for (char name = 'a'; name < last; ++name) needs += one_in(3) ? cat(R"(, ")", name, '"') : "";
      return cat(
          R"({"role": "deployment", "server": "s", "actions": ["CREATE", "UPDATE", "DELETE"], "properties": {"v": )",
          random_() % 2, R"(}, "needs": [)", needs, "]}");
    };
    std::string json = R"({"s": {"role": "server"})";
    for (char name = 'a'; name < 'g'; ++name)
      json += one_in(4) ? "" : cat(R"(, ")", name, R"(": )", row(R"("s")", name));
    return cat(json, R"(, "n": {"role": "nested", "needs": ["s")", one_in(2) ? R"(, "a")" : "", R"(], "stack": {"x": )",
               row("", 'a'), R"(, "y": )", row(R"("x")", 'a'), "}}}");
  }
  std::vector<std::size_t> running() const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < tree_.resources().size(); ++i) {
      const ResourceRecord& each = tree_.resource(i);
      if (!each.gone && each.role == Role::deployment && each.status == Status::in_progress) found.push_back(i);
    }
    return found;
  }
  void signal_one(bool good) {
    const std::vector<std::size_t> all = running();
    if (all.empty()) return;
    (void)machine_->signal(all[random_() % all.size()], good ? Json::object() : Json{{"deploy_status_code", 1}});
    (void)events();
  }
  void step() {
    const auto chance = random_() % 100;
    if (chance < 75) return signal_one(chance >= 15);
    if (chance < 85 && tree_.busy()) return machine_->resume();
    if (chance < 97 && !tree_.running()) update(some_deployments().c_str());
    if (chance >= 98) run(Action::erase);
  }
  void expect_whole(unsigned seed) const {
    if (tree_.root().status != Status::complete) return;
    for (const std::size_t member : tree_.root().resources)
      EXPECT_EQ(tree_.resource(member).status, Status::complete)
          << "life " << seed << ": " << tree_.resource(member).path;
  }

  std::mt19937 random_;
};

TEST_F(Lives, EndWhenNothingIsLeftToDoAndNotBefore) {
  around_.polling = true;
  for (unsigned seed = 0; seed < 300; ++seed) {
    random_.seed(seed);
    tree_ = StackTree();
    tree_.body = {{"on_failure", seed % 4 == 0 ? "rollback" : "continue"}};
    blueprint_.reset();
    create(some_deployments().c_str());
    for (int steps = 0; steps < 60 && tree_.root().action != Action::erase; ++steps) {
      step();
      expect_whole(seed);
    }
    for (int left = 0; left < 100 && !running().empty(); ++left) signal_one(true);
    expect_whole(seed);
    ASSERT_FALSE(tree_.busy()) << "life " << seed << " is at " << status();
  }
}

TEST_F(MachineTest, WhatTheTemplateDoesNotAllowIsAFailureOfThatResource) {
  EXPECT_THAT(
      create(R"({"a": {"broken": "no such attribute"}, "b": {"needs": ["a"]}})"),
      ElementsAre("/: CREATE_IN_PROGRESS Stack CREATE started", "a: CREATE_IN_PROGRESS",
                  "a: CREATE_FAILED StackValidationFailed: resources.a: no such attribute",
                  "/: CREATE_FAILED Resource CREATE failed: StackValidationFailed: resources.a: no such attribute"));
}

TEST_F(MachineTest, TimeRunsOutForTheStackAndAllThatRunsInIt) {
  create(k_two_nodes);
  tree_.deadline = 1060;
  around_.time = 1059;
  machine_->check_deadlines();
  EXPECT_THAT(events(), testing::IsEmpty());
  around_.time = 1060;
  machine_->check_deadlines();
  EXPECT_THAT(events(),
              ElementsAre("Compute: CREATE_FAILED CREATE aborted", "/: CREATE_FAILED Create timed out",
                          "Compute.0: CREATE_FAILED CREATE aborted", "Compute.1: CREATE_FAILED CREATE aborted",
                          "Compute/: CREATE_FAILED Resource CREATE failed: Operation cancelled",
                          "Compute.0.Dep1: CREATE_FAILED CREATE aborted",
                          "Compute.0/: CREATE_FAILED Resource CREATE failed: Operation cancelled",
                          "Compute.1.Dep1: CREATE_FAILED CREATE aborted",
                          "Compute.1/: CREATE_FAILED Resource CREATE failed: Operation cancelled"));
}

TEST_F(MachineTest, AWaitConditionThatGetsAFailureOrTooLittleInTimeFails) {
  constexpr const char* json =
      R"({"h": {"role": "wait_handle"}, "w": {"role": "wait_condition", "handle": "h", "count": 2, "timeout": 60, "needs": ["h"]}})";
  create(json);
  signal("h", R"({"reason": "r"})");
  around_.time += 60;
  machine_->check_deadlines();
  EXPECT_EQ(at("w").reason, "WaitConditionTimeout: resources.w: 1 of 2 received - r");

  tree_ = StackTree();
  create(json);
  signal("h", R"({"status": "FAILURE", "reason": "disk full"})");
  EXPECT_EQ(at("w").reason, "WaitConditionFailure: resources.w: disk full");
}

}  // namespace
}  // namespace hearth::metadata::live
