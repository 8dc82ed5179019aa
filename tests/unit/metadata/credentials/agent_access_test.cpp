#include "metadata/credentials/agent_access.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/net/url.hpp"
#include "metadata/credentials/aws_signature.hpp"
#include "metadata/credentials/temp_url.hpp"

namespace hearth::metadata {
namespace {

using testing::HasSubstr;

constexpr const char* k_then = "1970-01-01T00:16:40Z";

class AgentAccessTest : public testing::Test {
 protected:
  static ServedRequest request_for(const std::string& method, const std::string& url) {
    const Url parsed = parse_url(url).value_or_throw();
    ServedRequest request;
    request.method = method;
    request.path = percent_decode(parsed.path);
    request.query = parsed.query;
    request.headers = {{"Host", parsed.authority()}};
    return request;
  }
  AgentAccess access(const std::string& resource, const std::string& queue = "") {
    return {urls_, "object key", {"admin", "overcloud", "id-1"}, resource, {"key-1", "secret-1"}, queue};
  }
  Parameters inputs(const std::string& transport, const std::string& queue = "") {
    return access("Dep", queue).signal_inputs(transport, "name-1", k_then);
  }
  CollectSection section(const std::string& transport, const std::string& queue = "") {
    return access("server", queue).collect_section(transport, "c", "o");
  }
  static std::vector<std::string> names(const Parameters& fields) {
    std::vector<std::string> found;
    for (const auto& [name, value] : fields) found.push_back(name);
    return found;
  }
  PublicUrls urls_;
};

TEST_F(AgentAccessTest, ACfnSignalIsAUrlThatOurOwnCheckTakes) {
  const Parameters signal = inputs("CFN_SIGNAL");
  EXPECT_EQ(signal[1], (std::pair<std::string, std::string>("deploy_signal_verb", "POST")));
  EXPECT_THAT(signal[0].second,
              HasSubstr("http://127.0.0.1:8000/v1/signal/arn%3Aopenstack%3Aheat%3A%3Aadmin%3Astacks/overcloud/id-1/"
                        "resources/Dep?SignatureMethod=HmacSHA256&SignatureVersion=2&AWSAccessKeyId=key-1&Timestamp="
                        "1970-01-01T00%3A16%3A40Z&Signature="));
  const ServedRequest request = request_for("POST", signal[0].second);
  const Parameters parameters = parse_parameters(request.query);
  EXPECT_TRUE(verify_signature({request, parameters}, *find_credential({request, parameters}), "secret-1"));
}

TEST_F(AgentAccessTest, AWaitConditionsUrlIsForAPut) {
  const ServedRequest request = request_for("PUT", access("Wait").signed_url("waitcondition", k_then));
  const Parameters parameters = parse_parameters(request.query);
  EXPECT_TRUE(verify_signature({request, parameters}, *find_credential({request, parameters}), "secret-1"));
}

TEST_F(AgentAccessTest, ATempUrlSignalIsAUrlThatOurOwnCheckTakes) {
  const Parameters signal = inputs("TEMP_URL_SIGNAL");
  EXPECT_EQ(signal[1].second, "PUT");
  const ServedRequest request = request_for("PUT", signal[0].second);
  const auto path = parse_object_path(request.path);
  ASSERT_TRUE(path);
  EXPECT_EQ(*path, (ObjectPath{"AUTH_admin", "id-1", "name-1"}));
  EXPECT_TRUE(check_temp_url(request, *path, {"object key"}, 1000));
}

TEST_F(AgentAccessTest, AHeatSignalHasUserAndPassword) {
  EXPECT_THAT(names(inputs("HEAT_SIGNAL")),
              testing::ElementsAre("deploy_auth_url", "deploy_username", "deploy_user_id", "deploy_password",
                                   "deploy_project_id", "deploy_region_name"));
  EXPECT_EQ(find_parameter(inputs("HEAT_SIGNAL"), "deploy_username"), "name-1");
  EXPECT_EQ(find_parameter(inputs("HEAT_SIGNAL"), "deploy_auth_url"), "http://127.0.0.1:5000/v3");
  EXPECT_TRUE(inputs("NO_SIGNAL").empty());
}

TEST_F(AgentAccessTest, AQueueIsServedOnlyByWhoHasOne) {
  EXPECT_EQ(inputs("ZAQAR_SIGNAL", "q").back(), (std::pair<std::string, std::string>("deploy_queue_id", "q")));
  EXPECT_EQ(section("ZAQAR_MESSAGE", "q").collector, "zaqar");
  EXPECT_THROW((void)inputs("ZAQAR_SIGNAL"), Error);
  EXPECT_THROW((void)section("ZAQAR_MESSAGE"), Error);
}

TEST_F(AgentAccessTest, TheAgentsSectionFollowsTheTransport) {
  const CollectSection cfn = section("POLL_SERVER_CFN");
  EXPECT_EQ(cfn.collector, "cfn");
  EXPECT_EQ(find_parameter(cfn.fields, "path"), "server.Metadata");
  EXPECT_EQ(find_parameter(cfn.fields, "metadata_url"), "http://127.0.0.1:8000/v1/");
  EXPECT_EQ(find_parameter(section("POLL_SERVER_HEAT").fields, "stack_id"), "overcloud/id-1");
  const CollectSection object = section("POLL_TEMP_URL");
  EXPECT_EQ(object.collector, "request");
  EXPECT_THAT(object.fields[0].second, HasSubstr("http://127.0.0.1:8080/v1/AUTH_admin/c/o?temp_url_sig="));
  EXPECT_THAT(object.fields[0].second, HasSubstr("&temp_url_expires=2147483586"));
}

}  // namespace
}  // namespace hearth::metadata
