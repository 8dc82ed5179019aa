#include "metadata/engine/records_json.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/foreign_json.hpp"

namespace hearth::metadata::live {
namespace {

TEST(RecordsJson, AResourceComesBackAsItWas) {
  ResourceRecord resource;
  resource.name = "Dep";
  resource.path = "a.0.Dep";
  resource.type = "OS::Heat::SoftwareDeployment";
  resource.physical_id = "uuid";
  resource.role = Role::deployment;
  resource.action = Action::update;
  resource.status = Status::in_progress;
  resource.reason = "state changed";
  resource.fingerprint = "{}";
  resource.data.deadline = 7;
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

TEST(RecordsJson, AllThatIsKnownOfAResourceComesBackAsItWas) {
  ResourceData data;
  data.key = "k";
  data.container = "c";
  data.object = "o";
  data.former = {"k0", "o0", 5};
  data.name = "n";
  data.transport = "POLL_TEMP_URL";
  data.metadata = {{"m", 1}};
  data.os_collect_config = {{"collectors", Json::array({"cfn"})}};
  data.version = 2;
  data.modified = 3;
  data.generation = 4;
  data.is_machine = true;
  data.machine = {{"address", "192.0.2.5"}};
  data.given = {"id", {{"a", "b"}}, {{"cfn", Json::object()}}, "told", "why"};
  data.attributes = {{"url", "u"}};
  data.signals = {{"1", {{"status", "SUCCESS"}}}};
  data.handle = "h";
  data.count = 6;
  data.deadline = 7;
  data.told = true;
  data.kept = {{"value", "v"}};
  data.blacklist = {"0"};
  data.hook = "pre-create";
  data.cleared = "pre-update";
  const Json stored = to_json(data);
  EXPECT_EQ(stored.size(), 24U);
  EXPECT_EQ(resource_data_from(stored), data);
  EXPECT_EQ(data.address(), "192.0.2.5");
}

TEST(RecordsJson, WhatNothingIsKnownOfTakesNoPlace) {
  EXPECT_EQ(to_json(ResourceData{}), Json::object());
  EXPECT_EQ(resource_data_from(Json::parse(R"({"key": null, "of another Hearth": 1})")), ResourceData{});
  EXPECT_THROW((void)resource_data_from(Json::parse(R"({"is_machine": "yes"})")), Json::exception);
  EXPECT_THROW((void)resource_data_from(5), Json::exception);
  EXPECT_THROW((void)stack_from(Json::array()), Json::exception);
}

TEST(RecordsJson, AStackComesBackAsItWas) {
  StackRecord stack;
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

TEST(RecordsJson, NothingIsKeptThatCouldNotBeReadAgain) {
  const auto nested = [](std::size_t levels) {
    return parse_json(std::string(levels, '[') + std::string(levels, ']'), "", levels).value_or_throw();
  };
  EXPECT_EQ(kept_json(kept_text(nested(1024), "it"), "it"), nested(1024));
  try {
    (void)kept_text(nested(1025), "the resource a");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the resource a can't be kept: it is nested deeper than 1024 levels");
  }
  EXPECT_THROW((void)kept_json(std::string(1025, '[') + std::string(1025, ']'), "it"), Error);
}

TEST(RecordsJson, CredentialsAreFoundInAnythingThatIsJson) {
  EXPECT_EQ(credentials_in(Json::parse(R"({"data": {"key": "k", "object": "o", "former": {"key": "f"}}, "deployment":
    {"key_id": "d"}})")),
            (std::vector<std::string>{"k", "o", "f", "d"}));
  for (const char* odd : {"5", "[]", R"({"data": []})", R"({"data": {"key": 5, "former": "x"}})", "null"})
    EXPECT_TRUE(credentials_in(Json::parse(odd)).empty()) << odd;
}

}  // namespace
}  // namespace hearth::metadata::live
