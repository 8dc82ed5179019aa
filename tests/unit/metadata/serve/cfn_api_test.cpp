#include "metadata/serve/cfn_api.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/net/url.hpp"
#include "metadata/serve/cfn_answer.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/fakes/metadata_views.hpp"

namespace hearth::metadata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CfnApiTest : public testing::Test {
 protected:
  CfnApiTest() {
    views_.stacks = {{"overcloud", "id-1"}, {"other", "id-2"}};
    views_.keys = {{"server-key", {"s1", "id-1", "server"}},
                   {"dep-key", {"s2", "id-1", "Dep"}},
                   {"other-key", {"s3", "id-2", "server"}}};
    for (const char* key : {"id-1/server", "id-2/server"}) {
      views_.resources[key] = ResourceDetail{.logical_id = "server",
                                             .metadata = fakes::MetadataViews::document(cat("{\"of\": \"", key, "\"}")),
                                             .status = "CREATE_COMPLETE",
                                             .project = "admin",
                                             .stack_name = "overcloud",
                                             .stack_id = std::string(key, 4)};
    }
  }

  ServedResponse send(const std::string& method, const std::string& path, const Parameters& parameters,
                      const std::string& body = "", HttpHeaders headers = {}) {
    ServedRequest request;
    request.method = method;
    request.path = path;
    request.query = encode_query(parameters);
    request.target = cat(path, "?", request.query);
    request.headers = std::move(headers);
    request.headers.emplace_back("Host", "h:8000");
    request.body = body;
    request.peer = "192.0.2.7";
    return api_.answer(request);
  }

  static Parameters signed_with(const std::string& key, const std::string& secret, const std::string& method,
                                const std::string& path, Parameters parameters) {
    parameters.emplace_back("AWSAccessKeyId", key);
    parameters.emplace_back("SignatureVersion", "2");
    parameters.emplace_back("SignatureMethod", "HmacSHA256");
    parameters.emplace_back("Signature", sign_version_2(secret, method, "h:8000", path, parameters));
    return parameters;
  }

  static Parameters describe(const std::string& stack, const std::string& resource,
                             const std::string& key = "server-key", const std::string& secret = "s1",
                             const Parameters& more = {}) {
    Parameters parameters = {
        {"Action", "DescribeStackResource"}, {"StackName", stack}, {"LogicalResourceId", resource}};
    parameters.insert(parameters.end(), more.begin(), more.end());
    return signed_with(key, secret, "GET", "/v1/", parameters);
  }

  ServedResponse signal(const std::string& arn, const std::string& key, const std::string& secret,
                        const std::string& body, const std::string& method = "POST") {
    const std::string path = cat("/v1/signal/", arn);
    return send(method, path, signed_with(key, secret, "POST", path, {}), body);
  }

  fakes::MetadataViews views_;
  fakes::MemoryLogger log_;
  CfnApi api_{views_, log_};
};

const std::string k_dep = "arn:openstack:heat::admin:stacks/overcloud/id-1/resources/Dep";

TEST_F(CfnApiTest, ShowsAServerItsMetadataByNameIdOrArnOfItsStack) {
  for (const std::string stack : {"overcloud", "id-1", "arn:openstack:heat::admin:stacks/overcloud/id-1"}) {
    const ServedResponse response = send("GET", "/v1/", describe(stack, "server"));
    EXPECT_EQ(response.status, 200) << stack;
    EXPECT_THAT(response.content(), HasSubstr("<Metadata>{\"of\": \"id-1/server\"}</Metadata>"));
  }
}

TEST_F(CfnApiTest, Answers304ToWhoeverHoldsTheCurrentVersion) {
  const ServedResponse first = send("GET", "/v1/", describe("overcloud", "server"));
  const std::string tag = find_header(first.headers, "Etag").value_or("");
  EXPECT_EQ(send("GET", "/v1/", describe("overcloud", "server"), "", {{"If-None-Match", tag}}).status, 304);
  views_.resources["id-1/server"].metadata = fakes::MetadataViews::document("{}");
  const ServedResponse changed = send("GET", "/v1/", describe("overcloud", "server"), "", {{"If-None-Match", tag}});
  EXPECT_EQ(changed.status, 200);
  EXPECT_THAT(changed.content(), HasSubstr("<Metadata>{}</Metadata>"));
}

TEST_F(CfnApiTest, SaysWhatThereIsWhileALargeStackIsMade) {
  ServedRequest request;
  request.method = "GET";
  for (const char* path : {"/", "/2013-08-29/", "/nothing"}) {
    request.path = path;
    EXPECT_TRUE(api_.answers_at_once(request)) << path;
  }
  for (const std::string& path : {std::string("/v1/"), cat("/v1/signal/", k_dep), cat("/v1/waitcondition/", k_dep)}) {
    request.path = path;
    EXPECT_FALSE(api_.answers_at_once(request)) << path;
  }
}

TEST_F(CfnApiTest, AnswersInJsonWhereAskedTo) {
  const ServedResponse response =
      send("GET", "/v1/", describe("overcloud", "server", "server-key", "s1", {{"ContentType", "JSON"}}));
  EXPECT_EQ(find_header(response.headers, "Content-Type"), "application/json");
  EXPECT_THAT(response.content(), HasSubstr("DescribeStackResourceResponse"));
}

/// A view that keeps what it is told of runs.
class NotedRuns final : public StackView {
 public:
  explicit NotedRuns(const StackView& keys) : keys_(keys) {}
  std::vector<std::string> noted;
  [[nodiscard]] std::optional<AccessKey> access_key(const std::string& id) const override {
    return keys_.access_key(id);
  }
  [[nodiscard]] std::optional<std::string> stack_id(const std::string&, const AccessKey&) const override { return {}; }
  [[nodiscard]] std::optional<ResourceDetail> resource(const std::string&, const std::string&) const override {
    return {};
  }
  SignalOutcome signal(const std::string&, const std::string&, const Json&) override { return {}; }
  void note_run(const std::string& stack, const std::string& resource, const RunReport& report) override {
    noted.push_back(cat(stack, " ", resource, " ", report.step));
  }

 private:
  const StackView& keys_;
};

TEST_F(CfnApiTest, TakesReportsOfRunsOfTheServerThatTheKeyBelongsTo) {
  NotedRuns runs(views_);
  CfnApi api(runs, log_);
  const auto report = [&](const std::string& resource, const std::string& text, const std::string& secret = "s1") {
    const Parameters form = {
        {"Action", "ReportRun"}, {"StackName", "x"}, {"LogicalResourceId", resource}, {"Report", text}};
    ServedRequest request;
    request.method = "POST";
    request.path = request.target = "/v1/";
    request.headers = {{"Host", "h:8000"}};
    request.body = encode_query(signed_with("server-key", secret, "POST", "/v1/", form));
    return api.answer(request).status;
  };
  EXPECT_EQ(report("server", R"({"state": "failed", "step": "20-x"})"), 200);
  EXPECT_THAT(runs.noted, ElementsAre("id-1 server 20-x"));
  EXPECT_EQ(report("Dep", R"({"state": "failed"})"), 403);
  EXPECT_EQ(report("server", R"({"state": "failed"})", "wrong"), 403);
  EXPECT_EQ(report("server", "{"), 400);
  EXPECT_EQ(report("server", R"({"state": "splendid"})"), 400);
  EXPECT_EQ(runs.noted.size(), 1U);
}

TEST_F(CfnApiTest, TakesTheParametersOfAFormToo) {
  Parameters parameters = {
      {"Action", "DescribeStackResource"}, {"StackName", "overcloud"}, {"LogicalResourceId", "server"}};
  const Parameters all = signed_with("server-key", "s1", "POST", "/v1/", parameters);
  EXPECT_EQ(send("POST", "/v1/", {}, encode_query(all)).status, 200);
}

TEST_F(CfnApiTest, TellsEachKindOfBadSignatureAsHeatDoes) {
  EXPECT_EQ(send("GET", "/v1/", {{"Action", "DescribeStackResource"}}).reason, "IncompleteSignature");
  EXPECT_EQ(send("GET", "/v1/", {{"Signature", "x"}}).reason, "MissingAuthenticationToken");
  EXPECT_EQ(send("GET", "/v1/", describe("overcloud", "server", "nobody")).reason, "InvalidClientTokenId");
  EXPECT_EQ(send("GET", "/v1/", describe("overcloud", "server", "server-key", "forged")).reason, "AccessDenied");
  EXPECT_TRUE(log_.holds("from 192.0.2.7: wrong signature"));
  EXPECT_FALSE(log_.holds("forged"));
}

TEST_F(CfnApiTest, AKeyOpensNeitherAnotherStackNorAnotherResource) {
  EXPECT_EQ(send("GET", "/v1/", describe("other", "server")).reason, "AccessDenied");
  EXPECT_EQ(send("GET", "/v1/", describe("overcloud", "server", "dep-key", "s2")).reason, "AccessDenied");
  EXPECT_EQ(send("GET", "/v1/", signed_with("server-key", "s1", "GET", "/v1/", {{"Action", "ListStacks"}})).reason,
            "AccessDenied");
  EXPECT_EQ(send("GET", "/v1/", signed_with("server-key", "s1", "GET", "/v1/", {{"Action", "Dance"}})).reason,
            "InvalidAction");
}

TEST_F(CfnApiTest, SaysWhatCouldNotBeFound) {
  EXPECT_THAT(send("GET", "/v1/", describe("nowhere", "server")).content(),
              HasSubstr("The Stack (nowhere) could not be found."));
  views_.resources.clear();
  EXPECT_THAT(send("GET", "/v1/", describe("overcloud", "server")).content(),
              HasSubstr("The Resource (server) could not be found in Stack overcloud."));
}

TEST_F(CfnApiTest, HandsOnASignal) {
  EXPECT_EQ(signal(k_dep, "dep-key", "s2", R"({"deploy_status_code": 0})").status, 200);
  EXPECT_THAT(views_.signals, ElementsAre(R"(id-1/Dep {"deploy_status_code":0})"));
}

TEST_F(CfnApiTest, AFormInASignalsBodyDoesNotSpoilItsSignature) {
  const std::string path = cat("/v1/signal/", k_dep);
  const Parameters parameters = signed_with("dep-key", "s2", "POST", path, {});
  EXPECT_EQ(send("POST", path, parameters, "{}", {{"Content-Type", "application/x-www-form-urlencoded"}}).status, 200);
}

TEST_F(CfnApiTest, RefusesSignalsForAnotherResourceForgedOnesAndOtherMethods) {
  const std::string other = "arn:openstack:heat::admin:stacks/other/id-2/resources/server";
  EXPECT_EQ(signal(other, "dep-key", "s2", "{}").reason, "AccessDenied");
  EXPECT_EQ(signal(k_dep, "server-key", "s1", "{}").reason, "AccessDenied");
  EXPECT_EQ(signal(k_dep, "dep-key", "forged", "{}").reason, "AccessDenied");
  EXPECT_EQ(signal(k_dep, "dep-key", "s2", "{}", "PUT").reason, "AccessDenied");
  EXPECT_EQ(signal("../../etc/passwd", "dep-key", "s2", "{}").reason, "InvalidParameterValue");
  EXPECT_THAT(views_.signals, IsEmpty());
}

TEST_F(CfnApiTest, RefusesSignalsThatAreNoJsonObjects) {
  for (const std::string& body : std::vector<std::string>{"{", "[]", "1", "\xff", std::string(2000, '[')}) {
    EXPECT_EQ(signal(k_dep, "dep-key", "s2", body).reason, "InvalidParameterValue") << body.substr(0, 20);
  }
  EXPECT_THAT(views_.signals, IsEmpty());
}

TEST_F(CfnApiTest, WaitConditionsArePutAndAnsweredWithTheResourcesName) {
  const std::string path = cat("/v1/waitcondition/", k_dep);
  const ServedResponse response =
      send("PUT", path, signed_with("dep-key", "s2", "PUT", path, {}), R"({"Status": "SUCCESS"})");
  EXPECT_EQ(response.content(), "<resource>Dep</resource>");
  EXPECT_EQ(send("POST", path, signed_with("dep-key", "s2", "POST", path, {}), "{}").status, 403);
}

TEST_F(CfnApiTest, WhatTheStackSaysOfASignalIsPassedOn) {
  views_.next_outcome = {SignalOutcome::Kind::bad, "Metadata format invalid"};
  EXPECT_THAT(signal(k_dep, "dep-key", "s2", "{}").content(), HasSubstr("Metadata format invalid"));
  views_.next_outcome = {SignalOutcome::Kind::no_stack, ""};
  EXPECT_THAT(signal(k_dep, "dep-key", "s2", "{}").content(), HasSubstr("The Stack (overcloud)"));
}

TEST_F(CfnApiTest, TellsItsVersionsToEverybody) {
  EXPECT_EQ(send("GET", "/", {}).status, 300);
  EXPECT_EQ(send("GET", "/v2", {}).status, 300);
  EXPECT_EQ(send("GET", "/favicon.ico", {}).status, 404);
}

TEST_F(CfnApiTest, KnowsWhoSignalsBeforeTheBodyIsRead) {
  const std::string path = cat("/v1/signal/", k_dep);
  ServedRequest head;
  head.method = "POST";
  head.path = path;
  head.headers = {{"Host", "h:8000"}};
  head.query = encode_query(signed_with("dep-key", "s2", "POST", path, {}));
  EXPECT_FALSE(api_.admit(head).refusal);
  EXPECT_GT(api_.admit(head).body_bytes, 1'000'000U) << "what a deployment says may be long";
  head.query = encode_query(signed_with("dep-key", "wrong", "POST", path, {}));
  ASSERT_TRUE(api_.admit(head).refusal);
  EXPECT_EQ(api_.admit(head).refusal->status, 403);
  head.query = "";
  EXPECT_TRUE(api_.admit(head).refusal);
  head.path = "/v1/";
  EXPECT_FALSE(api_.admit(head).refusal) << "the signature may be in the form";
  EXPECT_LE(api_.admit(head).body_bytes, 65536U);
}

TEST_F(CfnApiTest, SaysWhoAsked) {
  EXPECT_EQ(send("GET", "/v1/", describe("overcloud", "server")).principal, "key server-key");
  EXPECT_EQ(signal(k_dep, "dep-key", "s2", "{}").principal, "key dep-key");
  EXPECT_EQ(signal(k_dep, "dep-key", "wrong", "{}").principal, "");
}

}  // namespace
}  // namespace hearth::metadata
