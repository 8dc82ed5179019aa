#include "metadata/serve/object_api.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/net/url.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/fakes/metadata_views.hpp"

namespace hearth::metadata {
namespace {

class ObjectApiTest : public testing::Test {
 protected:
  ObjectApiTest() {
    views_.accounts = {{"AUTH_x", {"mykey"}}};
    views_.objects["AUTH_x/c/o"] = fakes::MetadataViews::document("{}");
  }
  ServedResponse send(const std::string& method, const std::string& path, const std::string& signed_method,
                      const HttpHeaders& headers = {}, const std::string& body = "",
                      std::int64_t expires = 2147483586) {
    ServedRequest request;
    const std::string url = make_temp_url("mykey", signed_method, expires, path);
    request.method = method;
    request.path = path;
    request.query = url.substr(url.find('?') + 1);
    request.headers = headers;
    request.body = body;
    request.peer = "192.0.2.7";
    return api_.answer(request);
  }
  fakes::MetadataViews views_;
  fakes::ManualClock clock_;
  fakes::MemoryLogger log_;
  ObjectApi api_{views_, clock_, log_};
};

const std::string k_object = "/v1/AUTH_x/c/o";

TEST_F(ObjectApiTest, GivesAnObjectToTheHolderOfItsUrl) {
  const ServedResponse response = send("GET", k_object, "GET");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content(), "{}");
  EXPECT_EQ(find_header(response.headers, "Last-Modified"), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(find_header(response.headers, "Etag"), "99914b932bd37a50b983c5e7c90ae93b");
  EXPECT_EQ(find_header(response.headers, "Expires"), "Tue, 19 Jan 2038 03:13:06 GMT");
  EXPECT_EQ(send("HEAD", k_object, "PUT").status, 200);
}

TEST_F(ObjectApiTest, SparesWhoeverHoldsItAlready) {
  EXPECT_EQ(send("GET", k_object, "GET", {{"If-None-Match", "99914b932bd37a50b983c5e7c90ae93b"}}).status, 304);
  EXPECT_EQ(send("GET", k_object, "GET", {{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}).status, 304);
}

TEST_F(ObjectApiTest, RefusesAllOthersAndLogsIt) {
  for (const auto& response :
       {send("GET", k_object, "PUT"), send("PUT", k_object, "GET", {}, "x"), send("DELETE", k_object, "GET"),
        send("GET", "/v1/AUTH_y/c/o", "GET"), send("GET", "/v1/AUTH_x/c/../o", "GET"),
        send("GET", "/v1/AUTH_x/c", "GET"), send("GET", k_object, "GET", {}, "", 1000)}) {
    EXPECT_EQ(response.status, 401);
    EXPECT_EQ(response.content(), "401 Unauthorized: Temp URL invalid\n");
    EXPECT_EQ(find_header(response.headers, "Www-Authenticate"), "Swift realm=\"unknown\"");
  }
  EXPECT_EQ(log_.lines.size(), 7U);
  EXPECT_EQ(views_.objects.size(), 1U);
}

TEST_F(ObjectApiTest, WhoeverReadsAServersDocumentMaySayHowItsRunsGo) {
  const std::string report = R"({"state": "failed", "step": "20-net"})";
  EXPECT_FALSE(find_header(send("HEAD", k_object, "GET").headers, "X-Hearth-Run-Reports"));
  EXPECT_EQ(send("POST", k_object, "GET", {}, report).status, 401) << "it is no server's";
  views_.servers = {"AUTH_x/c/o"};
  EXPECT_EQ(find_header(send("HEAD", k_object, "GET").headers, "X-Hearth-Run-Reports"), "POST");
  EXPECT_EQ(send("POST", k_object, "GET", {}, report).status, 204);
  EXPECT_EQ(send("POST", k_object, "GET", {}, "{}").status, 400);
  EXPECT_EQ(send("POST", k_object, "PUT", {}, report).status, 401);
  EXPECT_EQ(send("POST", k_object, "GET", {}, report, 1000).status, 401) << "the URL has ended";
  EXPECT_EQ(views_.runs, std::vector<std::string>{"AUTH_x/c/o 20-net"});
}

TEST_F(ObjectApiTest, StoresAndRemoves) {
  const ServedResponse put = send("PUT", "/v1/AUTH_x/c/new", "PUT", {{"Content-Type", "text/plain"}}, "hello");
  EXPECT_EQ(put.status, 201);
  EXPECT_EQ(find_header(put.headers, "Etag"), "5d41402abc4b2a76b9719d911017c592");
  EXPECT_EQ(send("GET", "/v1/AUTH_x/c/new", "GET").content(), "hello");
  EXPECT_EQ(send("DELETE", "/v1/AUTH_x/c/new", "DELETE").status, 204);
  EXPECT_EQ(send("DELETE", "/v1/AUTH_x/c/new", "DELETE").status, 404);
  EXPECT_EQ(send("GET", "/v1/AUTH_x/c/new", "GET").status, 404);
}

TEST_F(ObjectApiTest, APutCanNotReachElsewhere) {
  for (const char* header : {"X-Object-Manifest", "X-Symlink-Target", "X-Copy-From"}) {
    EXPECT_EQ(send("PUT", k_object, "PUT", {{header, "c/secret"}}).status, 400);
  }
  views_.read_only = true;
  EXPECT_EQ(send("PUT", k_object, "PUT", {}, "x").status, 403);
}

TEST_F(ObjectApiTest, ItsFrontPageIsTheOneThatPeopleTestWith) {
  ServedRequest request;
  request.method = "GET";
  request.path = "/";
  const ServedResponse response = api_.answer(request);
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.content(), "<html><h1>Not Found</h1><p>The resource could not be found.</p></html>");
}

TEST_F(ObjectApiTest, RefusesBeforeTheBodyIsRead) {
  ServedRequest head;
  head.method = "PUT";
  head.path = k_object;
  EXPECT_EQ(api_.admit(head).refusal.value_or(ServedResponse{}).status, 401);
  const std::string url = make_temp_url("mykey", "PUT", 2147483586, k_object);
  head.query = url.substr(url.find('?') + 1);
  EXPECT_FALSE(api_.admit(head).refusal);
}

}  // namespace
}  // namespace hearth::metadata
