#include "metadata/engine/credentials.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace hearth::metadata::live {
namespace {

TEST(Credentials, ADeploymentWithoutASignalNeedsNoKey) {
  EXPECT_TRUE(Credentials("master", {}).signal_inputs("NO_SIGNAL", "admin", {}, {}, 1000).empty());
}

TEST(Credentials, ASignalAndASectionAreOfTheResourcesOwnKey) {
  const Credentials credentials("master", PublicUrls{});
  StackRecord stack;
  stack.name = "overcloud";
  ResourceRecord resource;
  resource.name = "server";
  resource.deployment.key_id = "key-1";
  resource.data.key = "key-2";
  const Parameters inputs = credentials.signal_inputs("HEAT_SIGNAL", "admin", stack, resource, 1000);
  EXPECT_EQ(find_parameter(inputs, "deploy_username"), "key-1");
  EXPECT_EQ(find_parameter(inputs, "deploy_password"), credentials.secret_of("key-1"));
  const Json section = credentials.collect_section("admin", stack, resource);
  EXPECT_EQ(section["collectors"], Json::array({"cfn", "local"}));
  EXPECT_EQ(section["cfn"]["path"], "server.Metadata");
  EXPECT_EQ(section["cfn"]["secret_access_key"], credentials.secret_of("key-2"));
}

TEST(Credentials, SecretsFollowFromTheMasterAndTellNothingOfEachOther) {
  const Credentials credentials("master", {});
  EXPECT_EQ(credentials.secret_of("a"), Credentials("master", {}).secret_of("a"));
  EXPECT_NE(credentials.secret_of("a"), credentials.secret_of("b"));
  EXPECT_NE(credentials.secret_of("a"), Credentials("other", {}).secret_of("a"));
  EXPECT_EQ(credentials.temp_url_key().size(), 32U);
}

TEST(Credentials, AHandleTellsEachTransportsWayToSignalIt) {
  const Credentials credentials("master", PublicUrls{});
  StackRecord stack;
  stack.name = "s";
  stack.id = "id";
  ResourceRecord handle;
  handle.name = "h";
  handle.data.key = "k";
  using Form = PlannedHandle::Form;
  const auto attributes = [&](Form form, const std::string& transport) {
    return credentials.handle_attributes({form, transport}, "admin", stack, handle, 100);
  };
  const Json token = attributes(Form::heat, "TOKEN_SIGNAL");
  EXPECT_EQ(token["endpoint"], "http://127.0.0.1:8004/v1/admin/stacks/s/id/resources/h/signal");
  EXPECT_EQ(token["curl_cli"], "curl -i -X POST -H 'X-Auth-Token: " + token["token"].get<std::string>() +
                                   "' -H 'Content-Type: application/json' -H 'Accept: application/json' '" +
                                   token["endpoint"].get<std::string>() + "'");
  EXPECT_EQ(attributes(Form::heat, "CFN_SIGNAL")["url"].get<std::string>().substr(0, 32),
            "http://127.0.0.1:8000/v1/signal/");
  EXPECT_EQ(attributes(Form::aws, "")["url"].get<std::string>().substr(0, 39),
            "http://127.0.0.1:8000/v1/waitcondition/");
  EXPECT_EQ(attributes(Form::swift, "")["url"].get<std::string>().substr(0, 41),
            "http://127.0.0.1:8080/v1/AUTH_admin/id/k?");
  EXPECT_EQ(Json::parse(attributes(Form::heat, "HEAT_SIGNAL")["signal"].get<std::string>())["user_id"], "k");
  EXPECT_FALSE(attributes(Form::heat, "NO_SIGNAL").contains("endpoint"));
  EXPECT_THROW((void)attributes(Form::heat, "ZAQAR_SIGNAL"), Error);
}

}  // namespace
}  // namespace hearth::metadata::live
