#include "metadata/credentials/aws_signature.hpp"

#include <gtest/gtest.h>

#include "base/json.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "source_directory.hpp"

namespace hearth::metadata {
namespace {

Json vectors() {
  const std::string path = HEARTH_SOURCE_DIR "/tests/unit/metadata/credentials/data/aws_signatures.json";
  return parse_json(read_file(path), path).value_or_throw();
}

Parameters parameters_of(const Json& vector) {
  Parameters parameters;
  for (const auto& [name, value] : vector["params"].items()) parameters.emplace_back(name, value.get<std::string>());
  return parameters;
}

ServedRequest request_of(const Json& vector) {
  ServedRequest request;
  request.method = vector["verb"];
  request.path = vector["path"];
  request.headers = {{"Host", vector["host"]}};
  return request;
}

TEST(AwsSignature, OfVersionTwoIsWhatKeystoneclientMakes) {
  int seen = 0;
  for (const Json& vector : vectors()) {
    if (vector["kind"] != "v2") continue;
    ++seen;
    EXPECT_EQ(sign_version_2(vector["secret"], vector["verb"], vector["host"], vector["path"], parameters_of(vector)),
              vector["signature"].get<std::string>());
    Parameters parameters = parameters_of(vector);
    parameters.emplace_back("Signature", vector["signature"].get<std::string>());
    const ServedRequest request = request_of(vector);
    const auto credential = find_credential({request, parameters});
    ASSERT_TRUE(credential);
    EXPECT_TRUE(verify_signature({request, parameters}, *credential, vector["secret"]));
    EXPECT_FALSE(verify_signature({request, parameters}, *credential, "another"));
  }
  EXPECT_EQ(seen, 5);
}

TEST(AwsSignature, OfVersionFourIsWhatKeystoneclientMakes) {
  int seen = 0;
  for (const Json& vector : vectors()) {
    if (vector["kind"] != "v4") continue;
    ++seen;
    ServedRequest request = request_of(vector);
    const Parameters parameters = parameters_of(vector);
    for (const auto& [name, value] : vector["headers"].items()) {
      if (name == "Host") continue;
      const std::string text =
          replace_all(value, "Signature=x", cat("Signature=", vector["signature"].get<std::string>()));
      request.headers.emplace_back(name, text);
    }
    if (request.method == "POST") request.body = "Action=ListStacks";
    const auto credential = find_credential({request, parameters});
    ASSERT_TRUE(credential);
    EXPECT_EQ(credential->key_id, "AK");
    EXPECT_TRUE(verify_signature({request, parameters}, *credential, "sec"));
    request.body += "&Evil=1";
    EXPECT_FALSE(verify_signature({request, parameters}, *credential, "sec"));
  }
  EXPECT_EQ(seen, 2);
}

TEST(AwsSignature, CountsForTheHostWithoutItsPortToo) {
  ServedRequest request;
  request.method = "GET";
  request.path = "/v1/";
  request.headers = {{"Host", "[2001:db8::1]:8000"}};
  Parameters parameters = {{"AWSAccessKeyId", "k"}};
  parameters.emplace_back("Signature", sign_version_2("s", "GET", "[2001:db8::1]", "/v1/", parameters));
  EXPECT_TRUE(verify_signature({request, parameters}, *find_credential({request, parameters}), "s"));
}

TEST(AwsSignature, IsMissingWhereThereIsNone) {
  const ServedRequest request;
  EXPECT_FALSE(find_credential({request, {{"AWSAccessKeyId", "k"}}}));
  EXPECT_EQ(find_credential({request, {{"Signature", "x"}}})->key_id, "");
}

TEST(AwsSignature, OfVersionFourWithAMalformedScopeOrAnotherDayDoesNotHold) {
  ServedRequest request;
  request.method = "GET";
  request.path = "/";
  for (const char* credential : {"", "AK", "AK/20261121/r/s", "AK/20261120/r/s/aws4_request", "AK////aws4_request"}) {
    request.headers = {{"X-Amz-Date", "20261121T000000Z"},
                       {"Authorization", cat("AWS4-HMAC-SHA256 Credential=", credential,
                                             ", SignedHeaders=host, Signature=", std::string(64, '0'))}};
    const auto found = find_credential({request, {}});
    ASSERT_TRUE(found);
    EXPECT_FALSE(verify_signature({request, {}}, *found, "s")) << credential;
  }
}

}  // namespace
}  // namespace hearth::metadata
