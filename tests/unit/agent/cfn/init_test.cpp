#include "agent/cfn/init.hpp"

#include "base/error.hpp"
#include "tests/unit/agent/cfn/cfn_fixture.hpp"

namespace hearth::agent {
namespace {

TEST_F(CfnTest, TheSectionIsAppliedInItsOrder) {
  for (const char* program : {"apt-get", "groupadd", "useradd", "sh", "service"}) runner_.on(program, 0);
  apply_init(
      json(R"({"AWS::CloudFormation::Init": {"config": {"services": {"sysvinit": {"s": {"ensureRunning": false}}},
      "commands": {"c": {"command": "x"}}, "users": {"u": {}}, "groups": {"g": {}}, "packages": {"apt": {"p": []}}}}})"),
      "", world());
  EXPECT_EQ(commands(), (Words{"apt-get -y install p", "groupadd g", "useradd u --shell /sbin/nologin", "/bin/sh -c x",
                               "/usr/sbin/service s status", "/usr/sbin/service s stop"}));
}

TEST_F(CfnTest, MetadataWithoutTheSectionAreAnError) {
  EXPECT_THROW(apply_init(json("{}"), "", world()), Error);
  EXPECT_THROW(apply_init(json(R"({"AWS::CloudFormation::Init": {}})"), "", world()), Error);
  EXPECT_THROW(apply_init(json(R"({"AWS::CloudFormation::Init": {"other": {"x": 1}}})"), "", world()), Error);
  EXPECT_THROW(apply_init(json(R"({"AWS::CloudFormation::Init": {"config": {"files": [1]}}})"), "", world()), Error);
}

TEST_F(CfnTest, BooleansHaveManyForms) {
  for (const char* yes : {"true", "1", "\"Yes \"", "\"1\"", "\"TRUE\""}) EXPECT_TRUE(to_boolean(json(yes))) << yes;
  for (const char* no : {"false", "0", "2", "\"on\"", "null", "[]"}) EXPECT_FALSE(to_boolean(json(no))) << no;
}

TEST_F(CfnTest, AFailingOrMissingProgramIsLoggedWithItsOutput) {
  runner_.on("bad", [](const Command&) { return CommandResult{Exited{3}, "some out", "some err"}; });
  EXPECT_EQ(run_logged({"bad", "x y"}, world()), 3);
  EXPECT_TRUE(log_.holds("bad 'x y': exit code 3\nstdout: some out\nstderr: some err"));
  EXPECT_EQ(run_logged({"none"}, world()), 127);
}

TEST_F(CfnTest, ADownloadFollowsRedirectsAndRefusesErrors) {
  http_.on("GET", "http://h/a", 302, "", {{"Location", "/b"}});
  http_.on("GET", "http://h/b", 200, "data");
  EXPECT_EQ(download("http://h/a", world()), "data");
  http_.on("GET", "http://h/c", 404);
  EXPECT_THROW((void)download("http://h/c", world()), Error);
}

}  // namespace
}  // namespace hearth::agent
