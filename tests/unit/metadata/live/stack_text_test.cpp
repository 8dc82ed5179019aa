#include "metadata/live/stack_text.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::metadata::live {
namespace {

TEST(StackTables, ShowWhatTheFieldShows) {
  const Json stacks = Json::parse(
      R"([{"id": "1", "stack_name": "s", "stack_status": "CREATE_COMPLETE", "creation_time": "t", "updated_time": null}])");
  EXPECT_NE(stack_table(stacks).find("| 1  | s          | CREATE_COMPLETE | t             | None         |"),
            std::string::npos)
      << stack_table(stacks);
  const Json resources = Json::parse(R"([{"resource_name": "deployed-server", "physical_resource_id": "p", "links":
      [{"rel": "stack", "href": "http://h/v1/admin/stacks/s-Compute-x/id"}]}])");
  EXPECT_NE(resource_table(resources, true).find("s-Compute-x"), std::string::npos);
  EXPECT_EQ(resource_table(resources, false).find("s-Compute-x"), std::string::npos);
  EXPECT_NE(stack_fields(stacks[0]).find("| stack_name"), std::string::npos);
}

TEST(StackTables, TellWhatAResourceThatHasNotBegunWaitsFor) {
  const Json waits = {{"resource_name", "Second"},
                      {"resource_status", "INIT_COMPLETE"},
                      {"resource_status_reason", "not begun: it needs First, not done yet"}};
  EXPECT_NE(resource_table(Json::array({waits}), false).find("it needs First"), std::string::npos);
  const std::string shown = stack_fields(Json::object(), Json::array({waits}));
  EXPECT_NE(shown.find("1 resource: hearth stack resource list"), std::string::npos) << shown;
}

TEST(StackTables, TellWhatAnUpdateWouldDo) {
  const auto one = [](const char* name) {
    return Json{{"resource_name", name}, {"resource_type", "T"}, {"stack_name", "s"}};
  };
  const Json changes = {
      {"updated", {one("Deploy")}}, {"added", {one("More")}}, {"unchanged", {one("Server"), one("v")}}};
  const std::string table = change_table(changes);
  EXPECT_NE(table.find("| updated | Deploy   | T    | s     |"), std::string::npos) << table;
  EXPECT_NE(table.find("| added   | More "), std::string::npos) << table;
  EXPECT_NE(table.find("2 resources stay as they are"), std::string::npos) << table;
  EXPECT_EQ(table.find("Server"), std::string::npos) << table;
  EXPECT_EQ(change_table({{"unchanged", {one("v")}}}), "nothing would change: 1 resource stays as it is\n");
  EXPECT_NE(planned_table({one("a"), Json::array({one("below")})}).find("| below "), std::string::npos);
}

Json event(const std::string& stack, const std::string& resource, const std::string& physical,
           const std::string& status) {
  Json event = Json::object();
  event["links"] = Json::array({{{"rel", "stack"}, {"href", cat("http://h/v1/admin/stacks/n/", stack)}}});
  event["event_time"] = "2017-01-14T13:25:13Z";
  event["resource_name"] = resource;
  event["physical_resource_id"] = physical;
  event["resource_status"] = status;
  event["resource_status_reason"] = "state changed";
  return event;
}

TEST(EventPaths, NameResourcesByTheirPlaceInTheTree) {
  EventPaths paths("overcloud");
  EXPECT_EQ(paths.line(event("1", "overcloud", "1", "CREATE_IN_PROGRESS")),
            "2017-01-14 13:25:13Z [overcloud]: CREATE_IN_PROGRESS  state changed");
  EXPECT_EQ(paths.line(event("1", "Compute", "overcloud-Compute-x", "CREATE_IN_PROGRESS")),
            "2017-01-14 13:25:13Z [overcloud.Compute]: CREATE_IN_PROGRESS  state changed");
  EXPECT_EQ(paths.line(event("2", "overcloud-Compute-x", "2", "CREATE_IN_PROGRESS")),
            "2017-01-14 13:25:13Z [overcloud.Compute]: CREATE_IN_PROGRESS  state changed");
  EXPECT_EQ(paths.line(event("2", "0", "3", "CREATE_IN_PROGRESS")),
            "2017-01-14 13:25:13Z [overcloud.Compute.0]: CREATE_IN_PROGRESS  state changed");
}

TEST(Failures, ShowWhatTheScriptWrote) {
  const Json resource =
      Json::parse(R"({"resource_type": "T", "physical_resource_id": "p", "resource_status": "CREATE_FAILED",
      "resource_status_reason": "Error: x"})");
  const Json deployment = Json::parse(R"({"output_values": {"deploy_stdout": "one\ntwo", "deploy_stderr": null}})");
  EXPECT_EQ(failure_text("s.Dep", resource, deployment),
            "s.Dep:\n  resource_type: T\n  physical_resource_id: p\n  status: CREATE_FAILED\n  status_reason: |\n"
            "    Error: x\n  deploy_stdout: |\n    one\n    two\n  deploy_stderr: |\nNone\n");
  EXPECT_EQ(failure_text("s.r", resource, Json()).find("deploy_stdout"), std::string::npos);
}

}  // namespace
}  // namespace hearth::metadata::live
