#include "base/redaction.hpp"

#include <gtest/gtest.h>

namespace hearth {
namespace {

TEST(Redaction, TakesCredentialsOutOfUrls) {
  EXPECT_EQ(without_credentials("http://me:s3cret@192.0.2.1/debian"), "http://192.0.2.1/debian");
  EXPECT_EQ(without_credentials("a https://t@h/x b=git+ssh://u:p@h:22 c"), "a https://h/x b=git+ssh://h:22 c");
  EXPECT_EQ(without_credentials("http://u:p@@h/"), "http://h/");
  EXPECT_EQ(without_credentials("http://h/a@b"), "http://h/a@b");
  EXPECT_EQ(without_credentials("http://h/x?a=1&X-Amz-Signature=s&access_token=t#f"),
            "http://h/x?a=1&X-Amz-Signature=REDACTED&access_token=REDACTED#f");
  EXPECT_EQ(without_credentials("http://h/?sig=x&design=y"), "http://h/?sig=REDACTED&design=y");
  EXPECT_EQ(without_credentials("nothing"), "nothing");
  EXPECT_EQ(without_credentials("://@?"), "://?");
}

TEST(Redaction, KnowsNamesOfSecrets) {
  for (const char* name :
       {"DIB_DEV_USER_PASSWORD", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "db_passwd", "X-Api-Key"}) {
    EXPECT_TRUE(names_secret(name)) << name;
  }
  for (const char* name : {"DIB_RELEASE", "DIB_APT_KEYRING", "KEYBOARD", "DIB_PASSIVE"}) {
    EXPECT_FALSE(names_secret(name)) << name;
  }
}

}  // namespace
}  // namespace hearth
