#include "agent/collect/sources.hpp"

#include <gmock/gmock.h>

#include "agent/collect/cfn_signature.hpp"
#include "tests/unit/agent/collect/source_fixture.hpp"

namespace hearth::agent {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string answer_with(const std::string& text) {
  return "<?xml version='1.0' encoding='UTF-8'?><DescribeStackResourceResponse><DescribeStackResourceResult>"
         "<StackResourceDetail><Metadata>" +
         text +
         "</Metadata></StackResourceDetail></DescribeStackResourceResult>"
         "</DescribeStackResourceResponse>";
}

TEST(CfnPathTest, ResourceFieldAndKeysAreSplitAtDots) {
  EXPECT_EQ(parse_cfn_path("srv.Metadata.a.b"), (CfnPath{"srv.Metadata.a.b", "srv", "Metadata", {"a", "b"}}));
  EXPECT_EQ(parse_cfn_path("srv"), std::nullopt);
}

TEST(CfnAnswerTest, TheValueIsFoundThroughSubKeys) {
  const CfnPath path = *parse_cfn_path("s.Metadata.a.b");
  EXPECT_EQ(value_in_answer(path, answer_with("{&quot;a&quot;: {\"b\": {\"k\": 1}}}")).value(), (Json{{"k", 1}}));
}

TEST(CfnAnswerTest, WhatIsMissingIsToldInUpstreamsWords) {
  const CfnPath path = *parse_cfn_path("s.Metadata.a");
  EXPECT_EQ(value_in_answer(path, answer_with("{}")).error(), "Sub-key a does not exist. (s.Metadata.a)");
  EXPECT_EQ(value_in_answer(*parse_cfn_path("s.Nope"), answer_with("{}")).error(), "Path s.Nope does not exist.");
  EXPECT_THAT(value_in_answer(path, answer_with("{")).error(),
              HasSubstr("Path s.Metadata.a failed to parse as json. ("));
  EXPECT_EQ(value_in_answer(path, answer_with("{\"a\": 5}")).error(), "Path s.Metadata.a is not an object.");
  EXPECT_THAT(value_in_answer(path, "not xml").error(), HasSubstr("failed to parse as xml"));
}

const std::string k_access =
    "[cfn]\nmetadata_url=http://h:8000/v1/\naccess_key_id=AK\nsecret_access_key=sk\nstack_name=st\n";

std::string described(const std::string& resource) {
  QueryParameters parameters = {{"Action", "DescribeStackResource"}, {"StackName", "st"},
                                {"LogicalResourceId", resource},     {"AWSAccessKeyId", "AK"},
                                {"SignatureVersion", "2"},           {"SignatureMethod", "HmacSHA256"}};
  const Url url = parse_url("http://h:8000/v1/").value_or_throw();
  parameters.emplace_back("Signature", sign_query("sk", url, parameters));
  return "http://h:8000/v1/?" + encode_query(parameters);
}

class CfnSourceTest : public SourceFixture {};

TEST_F(CfnSourceTest, EveryPathIsSignedAndMergedAndBothKeysExploded) {
  http_.on("GET", described("a"), 200, answer_with(R"({"x": 1, "deployments": [{"name": "d1", "config": 1}]})"));
  http_.on("GET", described("b"), 200, answer_with(R"({"x": 2, "more": [{"name": "d2", "config": 2}]})"));
  const std::vector<Collected> found =
      documents(collect_cfn, k_access + "path=a.Metadata\npath=b.Metadata\n[DEFAULT]\ndeployment_key=more\n");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].content.at("x"), 2);
  EXPECT_EQ(found[1].name, "d2");
  EXPECT_EQ(found[2].name, "d1");
}

TEST_F(CfnSourceTest, TheUrlCanComeFromTheHintFile) {
  files_.put("/hint", "http://h:8000\n");
  http_.on("GET", described("a"), 200, answer_with("{}"));
  const std::string config =
      "[cfn]\nheat_metadata_hint=/hint\naccess_key_id=AK\nsecret_access_key=sk\nstack_name=st\npath=a.Metadata\n";
  EXPECT_EQ(documents(collect_cfn, config).size(), 1U);
}

TEST_F(CfnSourceTest, WhatIsNotConfiguredIsNamed) {
  EXPECT_TRUE(is_unconfigured(collect(collect_cfn, "")));
  EXPECT_TRUE(is_unconfigured(collect(collect_cfn, k_access)));
  EXPECT_THAT(log_.lines, testing::ElementsAre("INFO No metadata_url configured.", "INFO No path configured"));
}

TEST_F(CfnSourceTest, APathWithoutDotIsNotConfigured) {
  EXPECT_TRUE(is_unconfigured(collect(collect_cfn, k_access + "path=a\n")));
  EXPECT_THAT(log_.lines, Contains("ERROR Path not in format resource.field[.x.y] (a)"));
}

TEST_F(CfnSourceTest, AnErrorAnswerDoesNotShowTheKeyOrTheSignature) {
  http_.on("GET", described("a"), 500);
  EXPECT_TRUE(is_unavailable(collect(collect_cfn, k_access + "path=a.Metadata\n")));
  EXPECT_THAT(log_.lines, Contains(HasSubstr("500 Server Error")));
  EXPECT_THAT(log_.lines, testing::Not(Contains(HasSubstr("=AK"))));
}

}  // namespace
}  // namespace hearth::agent
