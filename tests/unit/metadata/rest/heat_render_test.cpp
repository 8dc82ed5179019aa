#include "metadata/rest/heat_render.hpp"

#include "tests/unit/metadata/rest/rest_fixture.hpp"

namespace hearth::metadata::live {
namespace {

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST_F(RestTest, StacksHaveTheKeysOfHeatInItsOrder) {
  create("s1", k_nested);
  const StackTree& tree = engine_->find("s1").live->tree;
  const Base base{"http://h/v1/admin"};
  EXPECT_EQ(join(keys_of(stack_summary(base, tree, 0)), " "),
            "id links project stack_name description stack_status stack_status_reason creation_time updated_time "
            "deletion_time stack_owner parent stack_user_project_id tags");
  EXPECT_EQ(join(keys_of(stack_details(base, tree, 0, Json(), Json::array())), " "),
            "stack_name id links creation_time updated_time deletion_time notification_topics parameters description "
            "template_description capabilities disable_rollback timeout_mins stack_owner parent stack_user_project_id "
            "tags stack_status stack_status_reason outputs");
  EXPECT_FALSE(stack_details(base, tree, 0, Json(), Json()).contains("outputs"));
  EXPECT_EQ(stack_summary(base, tree, 1)["parent"], tree.root().id);
}

TEST_F(RestTest, ResourcesLinkToTheirStackAndTheirNestedOne) {
  create("s1", k_nested);
  const StackTree& tree = engine_->find("s1").live->tree;
  const Json shown = resource_summary({"http://h/v1/admin"}, tree, tree.find_path("g.0"));
  EXPECT_EQ(join(keys_of(shown), " "),
            "updated_time creation_time logical_resource_id resource_name physical_resource_id resource_status "
            "resource_status_reason resource_type links required_by parent_resource");
  EXPECT_EQ(shown["links"][2]["rel"], "nested");
  EXPECT_EQ(shown["parent_resource"], "g");
  EXPECT_EQ(shown["physical_resource_id"], tree.stack(tree.resource(tree.find_path("g.0")).child).id);
}

TEST(HeatError, HasTheFormThatTheClientReads) {
  const Json body = Json::parse(heat_error(404, "EntityNotFound", "The Stack (x) could not be found.").body);
  EXPECT_EQ(body, Json::parse(R"({"code": 404, "title": "Not Found", "explanation": "The resource could not be found.",
      "error": {"type": "EntityNotFound", "traceback": null, "message": "The Stack (x) could not be found."}})"));
}

}  // namespace
}  // namespace hearth::metadata::live
