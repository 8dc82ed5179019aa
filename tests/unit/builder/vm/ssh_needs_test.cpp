#include "builder/vm/ssh_needs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::builder::vm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Json manifest(const std::vector<std::pair<std::string, std::string>>& packages) {
  Json list = Json::array();
  for (const auto& [name, version] : packages) list.push_back({{"package", name}, {"version", version}});
  return {{"packages", list}};
}

TEST(SshNeeds, AnImageWithoutAnSshServerIsToldWhatToAdd) {
  const SshLack lack = ssh_lack(manifest({{"systemd", "252.36-1~deb12u1"}, {"openssh-client", "1:9.2p1"}}));
  EXPECT_EQ(lack.what, "it has no ssh server: none of its 2 packages is one");
  EXPECT_THAT(lack.advice, HasSubstr("the element openssh-server"));
}

TEST(SshNeeds, AnOldSystemdTakesNoKey) {
  EXPECT_THAT(ssh_lack(manifest({{"systemd", "247.3-7+deb11u4"}, {"openssh-server", "1:8.4p1"}})).what,
              HasSubstr("it has systemd 247, and the key is handed over to systemd 252 or newer"));
  EXPECT_THAT(ssh_lack(manifest({{"openssh-server", "1:9.2p1"}})).what, HasSubstr("it has no systemd"));
}

TEST(SshNeeds, WhatTheRecordDoesNotTellIsNotHeldAgainstAnImage) {
  EXPECT_EQ(ssh_lack(manifest({{"systemd", "252.36-1~deb12u1"}, {"openssh-server", "1:9.2p1"}})).what, "");
  EXPECT_EQ(ssh_lack(manifest({{"systemd", "v255"}, {"dropbear-bin", "1"}})).what, "");
  EXPECT_EQ(ssh_lack(manifest({})).what, "");
  EXPECT_EQ(ssh_lack(Json::array()).what, "");
  Json partial = manifest({{"bash", "5"}});
  partial["unlisted"] = "what pip installed";
  EXPECT_EQ(ssh_lack(partial).what, "");
}

TEST(SshNeeds, WhatSshSaysIsToldInWords) {
  EXPECT_THAT(ssh_trouble("root@127.0.0.1: Permission denied (publickey).", true), HasSubstr("does not take the key"));
  EXPECT_THAT(ssh_trouble("kex_exchange_identification: read: Connection reset by peer", false),
              HasSubstr("nothing answers at the guest's port 22: has the image an ssh server"));
}

TEST(SshNeeds, AnImageThatHasAServerIsNotAskedWhetherItHasOne) {
  EXPECT_TRUE(ssh_lack(manifest({{"systemd", "252"}, {"openssh-server", "1:9.2p1"}})).has_server);
  EXPECT_FALSE(ssh_lack(manifest({})).has_server) << "nobody knows";
  EXPECT_THAT(ssh_trouble("kex_exchange_identification: read: Connection reset by peer", true),
              AllOf(HasSubstr("a first start makes its keys"), Not(HasSubstr("openssh-server"))));
}

}  // namespace
}  // namespace hearth::builder::vm
