#include "metadata/live/event_sinks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::metadata::live {
namespace {

TEST(EventSinks, AreWhatTheEnvironmentNamesPlainly) {
  std::vector<std::string> unknown;
  const Json environment = Json::parse(R"({"event_sinks": [
    {"type": "zaqar-queue", "target": "deploy", "ttl": 3600}, {"type": "file", "target": "log.1"},
    {"type": "zaqar-queue", "target": "../up"}, {"type": "zaqar-queue", "target": ".hidden"}, {"type": "mail", "target": "x"},
    {"type": "file"}, {"type": 5, "target": "x"}, "text"]})");
  EXPECT_THAT(sink_names(environment, unknown), testing::ElementsAre("deploy", "log.1"));
  EXPECT_EQ(unknown.size(), 6U);
  EXPECT_TRUE(sink_names(Json::object(), unknown).empty());
}

TEST(EventSinks, GetEventsInTheFormOfHeatsQueues) {
  EventRecord event;
  event.id = "e1";
  event.root_id = "root";
  event.stack_id = "s1";
  event.resource = "Dep1";
  event.physical_id = "p1";
  event.type = "OS::Heat::SoftwareDeployment";
  event.status = "CREATE_IN_PROGRESS";
  event.reason = "state changed";
  event.time = 1795219200;
  EXPECT_EQ(Json::parse(sink_line(event)), Json::parse(R"({"timestamp": "2026-11-21T00:00:00", "version": "0.1",
    "type": "os.heat.event", "id": "e1", "payload": {"resource_name": "Dep1", "physical_resource_id": "p1",
    "stack_id": "s1", "resource_action": "CREATE", "resource_status": "IN_PROGRESS",
    "resource_status_reason": "state changed", "resource_type": "OS::Heat::SoftwareDeployment", "version": "0.1",
    "root_stack_id": "root"}})"));
}

}  // namespace
}  // namespace hearth::metadata::live
