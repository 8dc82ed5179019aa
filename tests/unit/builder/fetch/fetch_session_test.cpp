#include "builder/fetch/fetch_session.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::builder::fetch {
namespace {

using testing::HasSubstr;

class FetchSessionTest : public testing::Test {
 protected:
  FetchPlan plan(FetchMode mode) { return {mode, dir_.path() / "hearth.lock", false}; }
  void write_lock(const std::string& text) { RealFileSystem().write(dir_.path() / "hearth.lock", text, {}); }
  TempDir dir_ = TempDir::create("/tmp", "hearth-test-");
  Environment environment_{{"HEARTH_CACHE", dir_.path().string()}};
  fakes::ManualClock clock_;
};

TEST_F(FetchSessionTest, NeedsALockToReplay) {
  try {
    const FetchSession session(plan(FetchMode::offline), environment_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.story(), HasSubstr("there is no lock file"));
    EXPECT_THAT(error.story(), HasSubstr("--record"));
  }
  write_lock("GET nonsense\n");
  EXPECT_THROW(FetchSession(plan(FetchMode::locked), environment_), Error);
}

TEST_F(FetchSessionTest, TellsHooksWhereTheProxyIs) {
  const FetchSession session(plan(FetchMode::record), environment_);
  Environment hooks{{"http_proxy", "http://corporate.example"}, {"DIB_OFFLINE", "1"}};
  add_variables(session.view(), "/hooks", hooks);
  EXPECT_EQ(hooks["http_proxy"], "http://127.0.0.1:3128");
  EXPECT_EQ(hooks["DIB_OFFLINE"], "");
  EXPECT_EQ(hooks["HEARTH_CALLER_http_proxy"], "http://corporate.example");
  EXPECT_EQ(hooks["HEARTH_CALLER_https_proxy"], "");
}

TEST_F(FetchSessionTest, OnlyTheProxyReachesServersOfThisMachineThatAreMeant) {
  const auto without_proxy = [&](const FetchPlan& given) {
    return FetchSession(given, environment_).view().variables.at("no_proxy");
  };
  EXPECT_EQ(without_proxy(plan(FetchMode::record)), "127.0.0.1,localhost");
  FetchPlan named = plan(FetchMode::record);
  named.local = {"127.0.0.1:3142", "192.0.2.1"};
  EXPECT_EQ(without_proxy(named), "localhost");
  named.local = {"LocalHost", "127.0.0.11:80"};
  EXPECT_EQ(without_proxy(named), "127.0.0.1");
  write_lock("GET http://127.0.0.1:3142/file 200 sha256:" + std::string(64, '0') + " 1\n");
  EXPECT_EQ(without_proxy(plan(FetchMode::offline)), "localhost");
}

TEST_F(FetchSessionTest, RecordsHttpsUnlessTheUserLetsItPass) {
  EXPECT_EQ(FetchSession(plan(FetchMode::record), environment_).view().variables.count("SSL_CERT_FILE"), 1U);
  const FetchSession wgetrc(plan(FetchMode::record), environment_);
  EXPECT_EQ(wgetrc.view().files.at("wgetrc"), "ca_certificate = /tmp/in_target.d/.fetch/authorities.pem\n");
  FetchPlan lets_pass = plan(FetchMode::record);
  lets_pass.allow_unrecorded = true;
  EXPECT_EQ(FetchSession(lets_pass, environment_).view().variables.count("SSL_CERT_FILE"), 0U);
}

TEST_F(FetchSessionTest, ReplaysHttpsByAnAuthorityOfItsOwn) {
  write_lock("GET https://a.example/ 200 sha256:" + std::string(64, '0') + " 1\n");
  const FetchSession session(plan(FetchMode::offline), environment_);
  Environment hooks;
  add_variables(session.view(), "/hooks", hooks);
  EXPECT_EQ(hooks["SSL_CERT_FILE"], "/hooks/.fetch/authorities.pem");
  EXPECT_THAT(session.view().files.at("authorities.pem"), HasSubstr("BEGIN CERTIFICATE"));
  EXPECT_THAT(session.view().files.at("apt.conf"), HasSubstr("Check-Valid-Until \"false\""));
}

TEST_F(FetchSessionTest, TakesFromTheLockWhatTheCallerHasNotSet) {
  write_lock("SET DIB_RELEASE bookworm\nSET DIB_DISTRIBUTION_MIRROR http://a.example/\nSET SOURCE_DATE_EPOCH 7\n");
  const Environment settled =
      settled_environment(plan(FetchMode::locked), {{"DIB_RELEASE", "trixie"}, {"SOURCE_DATE_EPOCH", ""}}, clock_);
  EXPECT_EQ(settled.at("DIB_RELEASE"), "trixie");
  EXPECT_EQ(settled.at("DIB_DISTRIBUTION_MIRROR"), "http://a.example/");
  EXPECT_EQ(settled.at("SOURCE_DATE_EPOCH"), "7");
  EXPECT_EQ(settled_environment(plan(FetchMode::record), {}, clock_).at("SOURCE_DATE_EPOCH"), "3600");
}

TEST_F(FetchSessionTest, WritesTheLockAfterAGoodBuildOnly) {
  {
    FetchSession session(plan(FetchMode::record), {{"HEARTH_CACHE", dir_.path().string()}, {"SOURCE_DATE_EPOCH", "7"}});
    session.keep_settings("DIB_RELEASE=bookworm\n");
    EXPECT_EQ(session.finish(false), "");
    EXPECT_FALSE(fs::exists(dir_.path() / "hearth.lock"));
    EXPECT_EQ(session.finish(true), "");
  }
  EXPECT_THAT(read_file(dir_.path() / "hearth.lock"), HasSubstr("SET DIB_RELEASE bookworm\nSET SOURCE_DATE_EPOCH 7\n"));
}

TEST(FetchDirectory, IsInTheUsersCache) {
  EXPECT_EQ(fetch_directory({{"HEARTH_CACHE", "/c"}}), "/c/fetched");
  EXPECT_EQ(fetch_directory({{"HEARTH_CACHE", "0"}, {"HOME", "/h"}}), fetch_directory({{"HOME", "/h"}}));
  EXPECT_EQ(fetch_directory({{"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}), "/x/hearth/fetched");
  EXPECT_EQ(fetch_directory({{"HOME", "/h"}}), "/h/.cache/hearth/fetched");
}

}  // namespace
}  // namespace hearth::builder::fetch
