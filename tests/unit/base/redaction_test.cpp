#include "base/redaction.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/fakes/processor_time.hpp"

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

TEST(Redaction, PasswordsInUrlsOfTextsAreHiddenAndTheirUsersAreNot) {
  EXPECT_EQ(hide_secrets("http://u:p@ss@h/x failed, a https://tok:secret@192.0.2.1:80 b http://c/d@e"),
            "http://u:******@h/x failed, a https://tok:******@192.0.2.1:80 b http://c/d@e");
  EXPECT_EQ(hide_secrets("see qemu+ssh://root@h/system"), "see qemu+ssh://root@h/system");
  EXPECT_EQ(hide_secrets("http://h/v1/AUTH_a/c/o?temp_url_sig=5ec3e7&temp_url_expires=9"),
            "http://h/v1/AUTH_a/c/o?temp_url_sig=******&temp_url_expires=9");
  EXPECT_EQ(without_credentials("http://h/o?temp_url_sig=5ec3e7"), "http://h/o?temp_url_sig=REDACTED");
}

TEST(Redaction, ValuesBehindNamesOfSecretsAreHidden) {
  EXPECT_EQ(hide_secrets("password: se cret\nnext"), "password: ******\nnext");
  EXPECT_EQ(hide_secrets("GET /o?temp_url_sig=5ec3e7 200"), "GET /o?temp_url_sig=****** 200");
  EXPECT_EQ(hide_secrets("{'auth_token': 'a b', 'x': 1}"), "{'auth_token': '******', 'x': 1}");
  EXPECT_EQ(hide_secrets(R"({"password": "a\"b", "x": 1})"), R"({"password": "******", "x": 1})");
  EXPECT_EQ(hide_secrets(R"("{\"password\": \"ab\", \"x\": 1}")"), R"("{\"password\": \"******\", \"x\": 1}")");
  EXPECT_EQ(hide_secrets("quiet rootpwd=$1$x ipa-api-token=t root=x"),
            "quiet rootpwd=****** ipa-api-token=****** root=x");
  EXPECT_EQ(hide_secrets("curl --api-key abc http://h"), "curl --api-key ****** http://h");
  EXPECT_EQ(hide_secrets("X-Auth-Token: gAAA"), "X-Auth-Token: ******");
  EXPECT_EQ(hide_secrets("password=\"a b"), "password=\"******");
  EXPECT_EQ(hide_secrets("password => 'a b', x => 1"), "password => '******', x => 1");
  EXPECT_EQ(hide_secrets("password==a b"), "password==****** b");
  EXPECT_EQ(hide_secrets("<password>a b</password><x>1</x>"), "<password>******</password><x>1</x>");
  EXPECT_EQ(hide_secrets("set --password <password> and go"), "set --password ****** and go");
  EXPECT_EQ(hide_secrets("usage: login <password> now"), "usage: login <password> now");
  EXPECT_EQ(hide_secrets("Set-Cookie: a=b; Path=/"), "Set-Cookie: ******");
}

TEST(Redaction, BlocksAndFormsOfSecretsAreHidden) {
  EXPECT_EQ(hide_secrets("a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb"), "a\n******\nb");
  EXPECT_EQ(hide_secrets("-----BEGIN PRIVATE KEY-----\nMII"), "******");
  EXPECT_EQ(hide_secrets("-----BEGIN CERTIFICATE-----\nMII"), "-----BEGIN CERTIFICATE-----\nMII");
  EXPECT_EQ(hide_secrets("root:$6$salt$ha/sh.x:1"), "root:$******:1");
  EXPECT_EQ(hide_secrets("got eyJ0123456789012345678901234567890123.x_y now"), "got ****** now");
  EXPECT_EQ(hide_secrets("user_data: |\n  one\n\n  two\nkept: 1"), "user_data: ******\nkept: 1");
  EXPECT_EQ(hide_secrets("  secret:\n    one\n  kept: 1"), "  secret:******\n  kept: 1");
}

/// Each was cut out of all that follows: these 8 MB took half a minute.
TEST(Redaction, ManyPrivateKeysAreReadOnce) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "-----BEGIN PRIVATE-----x-----END x-----\n";
  const fakes::ProcessorTime time;
  EXPECT_EQ(hide_secrets(text).size(), 200'000U * 7);
  EXPECT_LT(time.seconds(), 2);
}

TEST(Redaction, WordsOfSentencesStay) {
  for (const char* text :
       {"wrong user or password", "the exit code: 1", "redfish_password is missing: the BMC's password.", "the key: x",
        "password:\nb", "costs $5$ or so", "a token is needed"}) {
    EXPECT_EQ(hide_secrets(text), text);
  }
}

TEST(Redaction, APrivateKeyWhoseBeginningWasCutOffIsHiddenToo) {
  EXPECT_EQ(hide_secrets("MIIEvQ\nabc\n-----END RSA PRIVATE KEY-----\nnext"), "******\nnext");
  EXPECT_EQ(hide_secrets("MIIEvQ\n-----END CERTIFICATE-----\nnext"), "MIIEvQ\n-----END CERTIFICATE-----\nnext");
  EXPECT_EQ(hide_secrets("a\n-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\nb"), "a\n******\nb");
}

}  // namespace
}  // namespace hearth
