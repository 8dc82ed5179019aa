#include "agent/cfn/signature.hpp"

#include <gtest/gtest.h>

namespace hearth::agent {
namespace {

TEST(CfnSignatureTest, TheSignatureIsWhatHeatComputes) {  // measured with the real Heat
  const Url url = parse_url("http://127.0.0.1:8000/v1/?Action=ListStacks&Version=2010-05-15").value_or_throw();
  const WallTime when{std::chrono::seconds(1795219964)};
  const HttpHeaders headers = sign_get(url, {"AK", "sec"}, {"regionOne", "heat"}, when);
  EXPECT_EQ(find_header(headers, "X-Amz-Date"), "20261121T001244Z");
  EXPECT_EQ(find_header(headers, "Authorization"),
            "AWS4-HMAC-SHA256 Credential=AK/20261121/regionOne/heat/aws4_request,SignedHeaders=host;x-amz-date,"
            "Signature=3be9f1a25b9cce6c7aff82db437d8d2261faa7f800681044d625e490a2377c24");
}

}  // namespace
}  // namespace hearth::agent
