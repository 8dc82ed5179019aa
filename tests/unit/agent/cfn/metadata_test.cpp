#include "agent/cfn/metadata.hpp"

#include "base/error.hpp"
#include "tests/unit/agent/cfn/cfn_fixture.hpp"

namespace hearth::agent {
namespace {

constexpr const char* k_api =
    "http://heat.example:8000/v1/?Action=DescribeStackResource&ContentType=JSON&LogicalResourceId=R&StackName=S"
    "&Version=2010-05-15";
constexpr const char* k_last = "/var/cache/heat-cfntools/last_metadata";

std::string answer(const std::string& metadata) {
  return R"({"DescribeStackResourceResponse": {"DescribeStackResourceResult": {"StackResourceDetail": {"Metadata": )" +
         metadata + "}}}}";
}

class CfnMetadataTest : public CfnTest {
 protected:
  CfnMetadataTest() { files_.put("/var/lib/heat-cfntools/cfn-metadata-server", "http://heat.example:8000\n"); }
  std::string retrieve(const MetadataRequest& request) {
    const std::optional<Metadata> found = retrieve_metadata(request, world());
    return found ? python_json(found->content) + (found->changed ? " changed" : "") : "none";
  }
  MetadataRequest keys_ = {.stack = "S", .resource = "R", .access_key = "AK", .secret_key = "secret"};
};

TEST_F(CfnMetadataTest, TheApiIsAskedWithASignatureAndTheAnswerIsKept) {
  http_.on("GET", k_api, 200, answer(R"("{\"a\": 1}")"));
  EXPECT_EQ(retrieve(keys_), R"({"a": 1} changed)");
  EXPECT_EQ(find_header(http_.sent.at(0).headers, "Authorization")->substr(0, 36),
            "AWS4-HMAC-SHA256 Credential=AK/19700");
  EXPECT_EQ(files_.files.at(k_last).data, R"({"a": 1})");
  EXPECT_EQ(files_.files.at(k_last).attributes.mode, 0600U);
  EXPECT_EQ(files_.files.at(std::string(k_last) + "_R").data, R"({"a": 1})");
  EXPECT_EQ(retrieve(keys_), R"({"a": 1})");
}

TEST_F(CfnMetadataTest, CredentialsMayBeInAFile) {
  files_.put("/cred", "AWSAccessKeyId=FROM-FILE\nAWSSecretKey = s\n");
  http_.on("GET", k_api, 200, answer(R"({"a": 1})"));
  EXPECT_EQ(retrieve({.stack = "S", .resource = "R", .credential_file = "/cred"}), R"({"a": 1} changed)");
  EXPECT_NE(find_header(http_.sent.at(0).headers, "Authorization")->find("FROM-FILE"), std::string::npos);
}

TEST_F(CfnMetadataTest, WithoutTheApiTheNewestLocalMetadataCount) {
  files_.put("/var/lib/heat-cfntools/cfn-init-data", R"({"from": "user data"})");
  EXPECT_EQ(retrieve(keys_), R"({"from": "user data"} changed)");
  files_.put(std::string(k_last) + "_R", R"({"from": "last"})");
  EXPECT_EQ(retrieve({.resource = "R"}), R"({"from": "last"})");
  http_.on("GET", k_api, 403, "");
  EXPECT_EQ(retrieve(keys_), R"({"from": "last"})");
  EXPECT_TRUE(log_.holds("HTTP 403"));
  EXPECT_FALSE(log_.holds("secret"));
}

TEST_F(CfnMetadataTest, BrokenMetadataAreNone) {
  EXPECT_EQ(retrieve({}), "none");
  files_.put("/var/lib/heat-cfntools/cfn-init-data", "{");
  EXPECT_EQ(retrieve({}), "none");
  http_.on("GET", k_api, 200, "<xml/>");
  EXPECT_EQ(retrieve(keys_), "none");
  EXPECT_THROW((void)retrieve({.resource = "../x"}), Error);
}

TEST_F(CfnMetadataTest, AFullDiskDoesNotTakeTheMetadataAway) {
  files_.put("/var/lib/heat-cfntools/cfn-init-data", "{}");
  files_.make_directories("/var/cache/heat-cfntools", 0700);
  files_.fail_writes_below("/var/cache/heat-cfntools");
  EXPECT_EQ(retrieve({}), "{} changed");
}

TEST_F(CfnMetadataTest, BotosConfigurationNamesTheHost) {
  EXPECT_EQ(cfn_api_url(files_), "http://heat.example:8000/v1/");
  files_.put("/var/lib/heat-cfntools/cfn-boto-cfg", "[Boto]\ndebug = 0\ncfn_region_endpoint = other.example\n");
  EXPECT_EQ(cfn_api_url(files_), "http://other.example:8000/v1/");
  EXPECT_EQ(cfn_api_url(fakes::MemoryFileSystem()), "");
}

TEST(CfnMetadataMemberTest, PathsHaveDotsAndQuotes) {
  const Json metadata = parse_python_json(R"({"a": {"b.c": {"d": [1]}, "e": 2}})", "x").value_or_throw();
  const auto at = [&metadata](std::string_view path) {
    const Json* found = metadata_member(metadata, path);
    return found == nullptr ? "none" : python_json(*found);
  };
  EXPECT_EQ(at("a.e"), "2");
  EXPECT_EQ(at("a.'b.c'.d"), "[1]");
  EXPECT_EQ(at("'a'"), R"({"b.c": {"d": [1]}, "e": 2})");
  EXPECT_EQ(at(""), python_json(metadata));
  for (const char* missing : {"a.x", "a.b.c", "a.'b.c", "a.e.f", "a.'b.c'd"}) EXPECT_EQ(at(missing), "none") << missing;
}

}  // namespace
}  // namespace hearth::agent
