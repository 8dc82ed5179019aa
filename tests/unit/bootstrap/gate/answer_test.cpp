#include "bootstrap/gate/answer.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

int minor_of(const char* header) {
  ServedRequest request;
  if (*header != '\0') request.headers = {{"X-OpenStack-Ironic-API-Version", header}};
  return asked_minor(request);
}

TEST(Answer, errorsAreEncodedTwiceAsClientsExpect) {
  const ServedResponse response = fault_answer(404, "Node x could not be found.");
  const Json fault = Json::parse(Json::parse(response.body)["error_message"].get<std::string>());
  EXPECT_EQ(fault["faultstring"], "Node x could not be found.");
  EXPECT_EQ(fault["faultcode"], "Client");
  EXPECT_EQ(Json::parse(Json::parse(fault_answer(503, "").body)["error_message"].get<std::string>())["faultcode"],
            "Server");
}

TEST(Answer, versionsFrom1To87AndNoOther) {
  EXPECT_EQ(minor_of(""), 1);
  EXPECT_EQ(minor_of("1.78"), 78);
  EXPECT_EQ(minor_of("latest"), 87);
  for (const char* bad : {"1.88", "1.0", "2.1", "x", "1."}) EXPECT_EQ(minor_of(bad), -1) << bad;
  ServedResponse response;
  add_version_headers(response, 78, "id");
  EXPECT_EQ(find_header(response.headers, "x-openstack-ironic-api-version"), "1.78");
  EXPECT_EQ(find_header(response.headers, "openstack-request-id"), "req-id");
  ServedResponse refused;
  add_version_headers(refused, -1, "id");
  EXPECT_FALSE(find_header(refused.headers, "x-openstack-ironic-api-version"));
  EXPECT_EQ(find_header(refused.headers, "x-openstack-ironic-api-maximum-version"), "1.87");
}

TEST(Answer, emptyAnswersHaveNoContentType) {
  EXPECT_FALSE(find_header(empty_answer(202, "http://h/x").headers, "content-type"));
  EXPECT_EQ(root_document("http://h")["default_version"]["version"], "1.87");
  EXPECT_EQ(v1_document("http://h")["id"], "v1");
}

}  // namespace
}  // namespace hearth::bootstrap
