#include "agent/collect/cfn_signature.hpp"

#include <gtest/gtest.h>

namespace hearth::agent {
namespace {

QueryParameters parameters() {
  return {{"Action", "DescribeStackResource"}, {"StackName", "my stack~é"}, {"LogicalResourceId", "Srv"},
          {"AWSAccessKeyId", "AK/ID+1"},       {"SignatureVersion", "2"},   {"SignatureMethod", "HmacSHA256"}};
}

TEST(CfnSignatureTest, TheKnownVectorIsMet) {
  const Url url = parse_url("http://heat.example:8000/v1/").value_or_throw();
  EXPECT_EQ(sign_query("s3cr/et+KEY", url, parameters()), "j+D+IX6sMB4dQXB1uBkS4WKvX1qCSmum5crOYY5GNZ0=");
}

TEST(CfnSignatureTest, SigningTwiceGivesTheSame) {
  const Url url = parse_url("http://heat.example:8000/v1/").value_or_throw();
  EXPECT_EQ(sign_query("k", url, parameters()), sign_query("k", url, parameters()));
}

}  // namespace
}  // namespace hearth::agent
