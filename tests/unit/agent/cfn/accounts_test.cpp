#include "agent/cfn/init.hpp"
#include "tests/unit/agent/cfn/cfn_fixture.hpp"

namespace hearth::agent {
namespace {

TEST_F(CfnTest, GroupsAndUsersAreCreatedWithTheirProperties) {
  runner_.on("groupadd", 0);
  runner_.on("useradd", 9);
  apply_groups(json(R"({"a": {"gid": 45}, "b": {"gid": "46"}, "c": {}})"), world());
  apply_users(json(R"({"u": {"uid": 50, "groups": ["a", "b"], "homeDir": "/tmp"}})"), world());
  EXPECT_EQ(commands(), (Words{"groupadd a --gid 45", "groupadd b --gid 46", "groupadd c",
                               "useradd u --uid 50 --home /tmp --groups a,b --shell /sbin/nologin"}));
  EXPECT_TRUE(log_.holds("An error occured creating u user"));
}

}  // namespace
}  // namespace hearth::agent
