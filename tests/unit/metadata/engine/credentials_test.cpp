#include "metadata/engine/credentials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/text.hpp"
#include "metadata/serve/aws_signature.hpp"
#include "metadata/serve/temp_url.hpp"

namespace hearth::metadata::live {
namespace {

using testing::HasSubstr;

class CredentialsTest : public testing::Test {
 protected:
  CredentialsTest() {
    stack_.name = "overcloud";
    stack_.id = "id-1";
    deployment_.name = "Dep";
    deployment_.deployment.key_id = "key-1";
    server_.name = "server";
    server_.data["key"] = "key-2";
    server_.data["container"] = "c";
    server_.data["object"] = "o";
  }
  static ServedRequest request_for(const std::string& method, const std::string& url) {
    const Url parsed = parse_url(url).value_or_throw();
    ServedRequest request;
    request.method = method;
    request.path = percent_decode(parsed.path);
    request.query = parsed.query;
    request.headers = {{"Host", parsed.authority()}};
    return request;
  }
  SignalInputs inputs(const std::string& transport) {
    return credentials_.signal_inputs(transport, "admin", stack_, deployment_, 1000);
  }
  Stack stack_;
  Resource deployment_;
  Resource server_;
  Credentials credentials_{"master", {}};
};

TEST_F(CredentialsTest, ACfnSignalIsAUrlThatOurOwnCheckTakes) {
  const SignalInputs signal = inputs("CFN_SIGNAL");
  EXPECT_EQ(signal[1], (std::pair<std::string, std::string>("deploy_signal_verb", "POST")));
  EXPECT_THAT(signal[0].second,
              HasSubstr("http://127.0.0.1:8000/v1/signal/arn%3Aopenstack%3Aheat%3A%3Aadmin%3Astacks/overcloud/id-1/"
                        "resources/Dep?SignatureMethod=HmacSHA256&SignatureVersion=2&AWSAccessKeyId=key-1&Timestamp="
                        "1970-01-01T00%3A16%3A40Z&Signature="));
  const ServedRequest request = request_for("POST", signal[0].second);
  const Parameters parameters = parse_parameters(request.query);
  EXPECT_TRUE(verify_signature({request, parameters}, *find_credential({request, parameters}),
                               credentials_.secret_of("key-1")));
}

TEST_F(CredentialsTest, ATempUrlSignalIsAUrlThatOurOwnCheckTakes) {
  const SignalInputs signal = inputs("TEMP_URL_SIGNAL");
  EXPECT_EQ(signal[1].second, "PUT");
  const ServedRequest request = request_for("PUT", signal[0].second);
  const auto path = parse_object_path(request.path);
  ASSERT_TRUE(path);
  EXPECT_EQ(*path, (ObjectPath{"AUTH_admin", "id-1", "key-1"}));
  EXPECT_TRUE(check_temp_url(request, *path, {credentials_.temp_url_key()}, 1000));
}

TEST_F(CredentialsTest, AHeatSignalHasUserAndPassword) {
  std::vector<std::string> names;
  for (const auto& [name, value] : inputs("HEAT_SIGNAL")) names.push_back(name);
  EXPECT_THAT(names, testing::ElementsAre("deploy_auth_url", "deploy_username", "deploy_user_id", "deploy_password",
                                          "deploy_project_id", "deploy_region_name"));
  EXPECT_TRUE(inputs("NO_SIGNAL").empty());
  EXPECT_THROW((void)inputs("ZAQAR_SIGNAL"), Error);
}

TEST_F(CredentialsTest, TheAgentsSectionFollowsTheTransport) {
  const auto section = [&](const char* transport) {
    server_.data["transport"] = transport;
    return credentials_.collect_section("admin", stack_, server_);
  };
  EXPECT_EQ(section("POLL_SERVER_CFN")["cfn"]["path"], "server.Metadata");
  EXPECT_EQ(section("POLL_SERVER_CFN")["cfn"]["metadata_url"], "http://127.0.0.1:8000/v1/");
  EXPECT_EQ(section("POLL_SERVER_HEAT")["heat"]["stack_id"], "overcloud/id-1");
  EXPECT_EQ(section("POLL_TEMP_URL")["collectors"], Json::array({"request", "local"}));
  const std::string url = section("POLL_TEMP_URL")["request"]["metadata_url"];
  EXPECT_THAT(url, HasSubstr("http://127.0.0.1:8080/v1/AUTH_admin/c/o?temp_url_sig="));
  EXPECT_THAT(url, HasSubstr("&temp_url_expires=2147483586"));
  EXPECT_THROW((void)section("ZAQAR_MESSAGE"), Error);
}

TEST_F(CredentialsTest, SecretsFollowFromTheMasterAndTellNothingOfEachOther) {
  EXPECT_EQ(credentials_.secret_of("a"), Credentials("master", {}).secret_of("a"));
  EXPECT_NE(credentials_.secret_of("a"), credentials_.secret_of("b"));
  EXPECT_NE(credentials_.secret_of("a"), Credentials("other", {}).secret_of("a"));
  EXPECT_EQ(credentials_.temp_url_key().size(), 32U);
}

TEST(Credentials, AHandleTellsEachTransportsWayToSignalIt) {
  const Credentials credentials("master", PublicUrls{});
  Stack stack;
  stack.name = "s";
  stack.id = "id";
  Resource handle;
  handle.name = "h";
  handle.data["key"] = "k";
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
