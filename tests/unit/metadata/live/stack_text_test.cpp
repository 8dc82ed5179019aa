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
