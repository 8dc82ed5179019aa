#include "metadata/serve/cfn_answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/metadata_views.hpp"

namespace hearth::metadata {
namespace {

ResourceDetail detail() {
  return {.description = "",
          .updated = "2026-11-21T00:12:44Z",
          .logical_id = "deployed-server",
          .metadata = fakes::MetadataViews::document(R"({"a": "<ü&>"})"),
          .physical_id = "ee1c",
          .status = "CREATE_COMPLETE",
          .status_reason = "state changed",
          .type = "OS::Heat::DeployedServer",
          .project = "admin",
          .stack_name = "overcloud",
          .stack_id = "95fc"};
}

TEST(DescribeResource, AsXmlHasTheFieldsInHeatsOrderAndNoDeclaration) {
  EXPECT_EQ(describe_resource_xml(detail()),
            "<DescribeStackResourceResponse><DescribeStackResourceResult><StackResourceDetail><Description/>"
            "<LastUpdatedTimestamp>2026-11-21T00:12:44Z</LastUpdatedTimestamp>"
            "<LogicalResourceId>deployed-server</LogicalResourceId>"
            "<Metadata>{\"a\": \"&lt;&#252;&amp;&gt;\"}</Metadata><PhysicalResourceId>ee1c</PhysicalResourceId>"
            "<ResourceStatusReason>state changed</ResourceStatusReason>"
            "<ResourceType>OS::Heat::DeployedServer</ResourceType>"
            "<StackId>arn:openstack:heat::admin:stacks/overcloud/95fc</StackId><StackName>overcloud</StackName>"
            "<ResourceStatus>CREATE_COMPLETE</ResourceStatus></StackResourceDetail></DescribeStackResourceResult>"
            "</DescribeStackResourceResponse>");
}

TEST(DescribeResource, AsJsonIsTheSameTree) {
  const Json answer = Json::parse(describe_resource_json(detail()));
  const Json& fields = answer["DescribeStackResourceResponse"]["DescribeStackResourceResult"]["StackResourceDetail"];
  EXPECT_EQ(fields["Metadata"], R"({"a": "<ü&>"})");
  EXPECT_EQ(fields["ResourceStatus"], "CREATE_COMPLETE");
}

TEST(Xml, HoldsNoCharacterThatItMustNot) {
  EXPECT_EQ(xml_text("a\x01\nb\xff\xf0\x9f\x98\x80"), "a?\nb&#65533;&#128512;");
}

TEST(Arn, IsWrittenAndRead) {
  const auto arn = parse_arn(stack_arn("p", "n", "i") + "/resources/r");
  ASSERT_TRUE(arn);
  EXPECT_EQ(arn->project + arn->name + arn->id + arn->resource, "pnir");
  EXPECT_EQ(parse_arn("arn:openstack:heat::p:stacks/n/i")->resource, "");
  for (const char* bad : {"", "n", "arn:aws:s3::p:stacks/n/i", "arn:openstack:heat::p:stacks/n",
                          "arn:openstack:heat::p:stacks/n/i/resources", "arn:openstack:heat::p:stacks/n/i/x/r"}) {
    EXPECT_FALSE(parse_arn(bad)) << bad;
  }
}

TEST(CfnError, HasItsCodeAsReason) {
  const ServedResponse response = cfn_error(403, "AccessDenied", "no <way>");
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(response.reason, "AccessDenied");
  EXPECT_EQ(response.body,
            "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>no &lt;way&gt;</Message>"
            "</Error></ErrorResponse>");
}

TEST(VersionDocument, LinksToWhereTheRequestCameIn) {
  ServedRequest request;
  request.headers = {{"Host", "192.0.2.1:8000"}};
  const ServedResponse response = version_document(request);
  EXPECT_EQ(response.status, 300);
  EXPECT_EQ(
      response.body,
      R"({"versions":[{"status":"CURRENT","id":"v1.0","links":[{"href":"http://192.0.2.1:8000/v1/","rel":"self"}]}]})");
}

}  // namespace
}  // namespace hearth::metadata
