#include "metadata/live/stack_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/net/dialer.hpp"
#include "base/sys/file.hpp"
#include "base/sys/local_socket.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::metadata::live {
namespace {

/// Answers in order, remembers what it was asked.
class Answers final : public HttpClient {
 public:
  HttpResponse send(const HttpRequest& request) override {
    asked.push_back(request);
    HttpResponse response = answers.at(asked.size() - 1);
    return response;
  }
  void add(int status, const std::string& body, const HttpHeaders& headers = {}) {
    HttpResponse response;
    response.status = status;
    response.reason = "R";
    response.headers = headers;
    response.body = body;
    answers.push_back(response);
  }
  std::vector<HttpResponse> answers;
  std::vector<HttpRequest> asked;
};

class StackClientTest : public testing::Test {
 protected:
  std::string failure() {
    try {
      (void)client_.call("GET", "/stacks/x");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  Answers http_;
  fakes::ManualClock clock_;
  StackClient client_{http_, clock_, {"http://192.0.2.1:8004/v1/admin", "token", "/ca.pem"}};
};

TEST_F(StackClientTest, RepeatsAnyMethodWhereItIsSent) {
  http_.add(302, "", {{"Location", "http://192.0.2.1:8004/v1/admin/stacks/x/id"}});
  http_.add(200, R"({"a": 1})");
  EXPECT_EQ(client_.call("PUT", "/stacks/x", Json::object())["a"], 1);
  EXPECT_EQ(http_.asked[1].method, "PUT");
  EXPECT_EQ(http_.asked[1].body, "{}");
  EXPECT_EQ(http_.asked[1].url.path, "/v1/admin/stacks/x/id");
  EXPECT_EQ(find_header(http_.asked[0].headers, "X-Auth-Token"), "token");
  EXPECT_EQ(http_.asked[1].ca_file, "/ca.pem");
}

TEST_F(StackClientTest, OfWhatIsNotThereItTellsWhatIs) {
  const auto story = [&](const std::string& path, int status, const std::string& said, const std::string& list) {
    http_.add(status, cat(R"({"error": {"message": ")", said, R"("}})"));
    if (!list.empty()) http_.add(200, list);
    try {
      (void)client_.call("GET", path);
    } catch (const Error& error) {
      return error.story();
    }
    return std::string();
  };
  EXPECT_THAT(story("/stacks/weeb", 404, "The Stack (weeb) could not be found.",
                    R"({"stacks": [{"stack_name": "web"}, {"stack_name": "db"}]})"),
              testing::EndsWith("did you mean web?"));
  EXPECT_THAT(
      story("/stacks/web/1/resources/Wbe1/metadata", 404, "The Resource (Wbe1) could not be found in Stack web.",
            R"({"resources": [{"resource_name": "Web1"}, {"resource_name": "other"}]})"),
      testing::EndsWith("did you mean Web1?"));
  EXPECT_EQ(http_.asked.back().url.path, "/v1/admin/stacks/web/1/resources");
  EXPECT_THAT(story("/stacks/web/1/outputs/address", 404, "Specified output key address not found.",
                    R"({"outputs": [{"output_key": "url"}, {"output_key": "port"}]})"),
              testing::EndsWith("there are: url, port"));
  EXPECT_EQ(http_.asked.back().url.path, "/v1/admin/stacks/web/1/outputs");
  EXPECT_THAT(story("/stacks/x", 404, "The Stack (x) could not be found.", R"({"stacks": []})"),
              testing::EndsWith("there are no stacks"));
  EXPECT_THAT(story("/stacks/preview", 409, "The Stack (web) already exists.", ""),
              testing::EndsWith("hearth stack update web changes it; --dry-run tells how"));
  EXPECT_THAT(story("/stacks/web/1", 400, "Property error: could not convert string to float: '9o90'", ""),
              testing::EndsWith("in other words: Property error: '9o90' is no number"));
  EXPECT_THAT(story("/stacks/web/1", 400, "Unknown Property a", ""), testing::EndsWith("Unknown Property a"));
}

TEST(StackAddress, WhatIsNotSaidIsThatOfTheServiceWithItsStateThere) {
  const TempDir state = TempDir::create("/tmp", "stack-address-");
  const hearth::Environment env = {{"OS_CACERT", "/others.pem"}};
  StackAddress found = stack_address(state.path(), {}, env);
  EXPECT_EQ(found.url, "http://127.0.0.1:8004/v1/admin");
  EXPECT_EQ(found.token, "");
  EXPECT_EQ(found.ca_file, "/others.pem");
  RealFileSystem files;
  files.write(state.path() / "endpoint", "https://192.0.2.1:8004/v1/admin\n", {});
  files.write(state.path() / "api-token", "secret\n", {});
  files.write(state.path() / "authority.pem", "PEM", {});
  found = stack_address(state.path(), {}, env);
  EXPECT_EQ(found.url, "https://192.0.2.1:8004/v1/admin");
  EXPECT_EQ(found.token, "secret");
  EXPECT_EQ(found.ca_file, (state.path() / "authority.pem").string());
  found = stack_address(state.path(), {"https://192.0.2.1:8004/v1/other", "", ""}, env);
  EXPECT_EQ(found.ca_file, (state.path() / "authority.pem").string()) << "it is the same service";
  for (const char* elsewhere : {"https://192.0.2.2:8004/v1/admin", "https://192.0.2.1:9004/v1/admin"}) {
    EXPECT_EQ(stack_address(state.path(), {elsewhere, "", ""}, env).ca_file, "/others.pem");
    EXPECT_EQ(stack_address(state.path(), {elsewhere, "", ""}, {}).ca_file, "") << "the system's, and beside them its";
  }
  EXPECT_EQ(trusting_own({}, state.path())[k_site_authority], (state.path() / "authority.pem").string());
  files.write(state.path() / "other", "lesser", {});
  found = stack_address(state.path(), {"http://h:1", (state.path() / "other").string(), "/given.pem"}, env);
  EXPECT_EQ(cat(found.url, " ", found.token, " ", found.ca_file), "http://h:1 lesser /given.pem");
}

TEST(StackAddress, AServiceOfThisMachineIsAskedAtItsSocketWhereSomebodyListens) {
  const TempDir state = TempDir::create("/tmp", "stack-address-");
  EXPECT_EQ(stack_address(state.path(), {}, {}).socket, "");
  const fs::path path = state.path() / "api.socket";
  {
    const Fd listener = listen_locally(path);
    EXPECT_EQ(stack_address(state.path(), {}, {}).socket, path.string());
    EXPECT_EQ(stack_address(state.path(), {"http://192.0.2.1:8004/v1/admin", "", ""}, {}).socket, "")
        << "another was named";
    EXPECT_EQ(stack_address(state.path(), {"", "", "/site.pem"}, {}).socket, "") << "whom to trust was said";
  }
  EXPECT_EQ(stack_address(state.path(), {}, {}).socket, "") << "what one left that was killed";
}

TEST(StackAddress, OfAConductorsDirectoryItIsThatOfItsOwnStacks) {
  const TempDir state = TempDir::create("/tmp", "stack-address-");
  RealFileSystem files;
  files.write(state.path() / "endpoint", "http://127.0.0.1:6385\n", {});
  files.write(state.path() / "api-token", "nodes\n", {});
  files.make_directories(state.path() / "metadata", 0700);
  files.write(state.path() / "metadata/endpoint", "https://192.0.2.1:8004/v1/admin\n", {});
  files.write(state.path() / "metadata/api-token", "stacks\n", {});
  const StackAddress found = stack_address(state.path(), {}, {});
  EXPECT_EQ(cat(found.url, " ", found.token), "https://192.0.2.1:8004/v1/admin stacks");
}

TEST(StackAddress, ATokenFileWithoutATokenIsToldOf) {
  const TempDir state = TempDir::create("/tmp", "stack-address-");
  const std::string file = (state.path() / "bert.token").string();
  EXPECT_THROW((void)stack_address(state.path(), {"", file, ""}, {}), Error);
  RealFileSystem().write(file, "\n", {});  // as the shell leaves it where what should have written it was refused
  try {
    (void)stack_address(state.path(), {"", file, ""}, {});
    ADD_FAILURE() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), cat("the token in ", file, ": the file is empty"));
  }
}

TEST_F(StackClientTest, SaysOnceThatWhatIsShownMayBeOld) {
  http_.add(200, "{}");
  for (int times = 0; times < 2; ++times) http_.add(200, "{}", {{"Warning", "110 hearth \"known before\""}});
  testing::internal::CaptureStderr();
  (void)client_.call("GET", "/stacks");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  for (int times = 0; times < 2; ++times) (void)client_.call("GET", "/stacks");
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, testing::HasSubstr("192.0.2.1:8004/v1/admin does not reach its store"));
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1);
}

TEST_F(StackClientTest, TellsErrorsInTheServersWords) {
  http_.add(404, R"({"error": {"message": "The Stack (x) could not be found."}})");
  http_.add(500, "the list that is to tell what was meant");
  EXPECT_EQ(failure(), "The Stack (x) could not be found.");
  http_.add(500, "<html>");
  EXPECT_EQ(failure(), "the server answered 500 R");
  http_.add(401, "");
  EXPECT_EQ(failure(), "the stack service does not accept the token");
}

TEST_F(StackClientTest, AnEmptyAnswerIsNull) {
  http_.add(204, "");
  EXPECT_TRUE(client_.call("DELETE", "/stacks/x").is_null());
}

TEST_F(StackClientTest, FindsAStacksPlace) {
  http_.add(200, R"({"stack": {"stack_name": "x", "id": "1"}})");
  EXPECT_EQ(client_.locate("x"), "/stacks/x/1");
}

TEST_F(StackClientTest, AnAnswerOfAnotherServiceIsNoStack) {
  for (const char* answer : {R"({"nothing": 1})", "[]", R"({"stack": {"stack_name": null, "id": 1}})"}) {
    http_.add(200, answer);
    EXPECT_THROW((void)client_.locate("x"), Error) << answer;
  }
}

}  // namespace
}  // namespace hearth::metadata::live
