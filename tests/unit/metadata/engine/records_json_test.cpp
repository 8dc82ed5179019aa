#include "metadata/engine/records_json.hpp"

#include <gtest/gtest.h>

namespace hearth::metadata::live {
namespace {

TEST(RecordsJson, AResourceComesBackAsItWas) {
  Resource resource;
  resource.name = "Dep";
  resource.path = "a.0.Dep";
  resource.type = "OS::Heat::SoftwareDeployment";
  resource.physical_id = "uuid";
  resource.role = Role::deployment;
  resource.action = Action::update;
  resource.status = Status::in_progress;
  resource.reason = "state changed";
  resource.fingerprint = "{}";
  resource.data["deadline"] = 7;
  resource.needs = {"b"};
  resource.visited = true;
  resource.removed = true;
  resource.deployment.server = "a.0.s";
  resource.deployment.derived = "{\"id\": 1}";
  resource.deployment.status = Status::failed;
  resource.deployment.outputs = Json::array({1});
  resource.deployment.pushed = true;
  const Json stored = to_json(resource);
  EXPECT_EQ(to_json(resource_from(stored)), stored);
  EXPECT_EQ(resource_from(stored).deployment.status, Status::failed);
  EXPECT_EQ(resource_from(stored).role, Role::deployment);
}

TEST(RecordsJson, AStackComesBackAsItWas) {
  Stack stack;
  stack.id = "id";
  stack.name = "n";
  stack.path = "a.0";
  stack.is_group = true;
  stack.action = Action::erase;
  stack.status = Status::failed;
  stack.updated = 5;
  const Json stored = to_json(stack);
  EXPECT_EQ(to_json(stack_from(stored)), stored);
  EXPECT_EQ(stack_from(stored).action, Action::erase);
}

}  // namespace
}  // namespace hearth::metadata::live
