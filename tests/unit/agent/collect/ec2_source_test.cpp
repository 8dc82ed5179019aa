#include "agent/collect/sources.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/collect/source_fixture.hpp"

namespace hearth::agent {
namespace {

const std::string k_config = "[DEFAULT]\ncachedir=/c\n[ec2]\nmetadata_url=http://m/latest/meta-data\n";

class Ec2SourceTest : public SourceFixture {
 protected:
  void answer(const std::string& path, const std::string& body) {
    http_.on("GET", "http://m/latest/meta-data/" + path, 200, body);
  }
};

TEST_F(Ec2SourceTest, TheTreeIsWalked) {
  answer("", "ami-id\nplacement/\n\npublic-keys/\n");
  answer("ami-id", "ami-1");
  answer("placement/", "availability-zone");
  answer("placement/availability-zone", "nova");
  answer("public-keys/", "0=mykey");
  answer("public-keys/0/", "openssh-key");
  answer("public-keys/0/openssh-key", "ssh-rsa A\n");
  const std::vector<Collected> found = documents(collect_ec2, k_config);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(
      found[0].content.dump(),
      R"({"ami-id":"ami-1","placement":{"availability-zone":"nova"},"public-keys":{"0":{"openssh-key":"ssh-rsa A\n"}}})");
}

TEST_F(Ec2SourceTest, OneMissingLeafMakesItUnavailable) {
  answer("", "a\nb\n");
  answer("a", "1");
  EXPECT_TRUE(is_unavailable(collect(collect_ec2, k_config)));
}

TEST_F(Ec2SourceTest, WhatTheCacheHasIsNeverAskedForAgain) {
  files_.put("/c/ec2.json", R"({"k": "v"})");
  EXPECT_EQ(documents(collect_ec2, k_config).at(0), (Collected{"ec2", {{"k", "v"}}}));
  EXPECT_TRUE(http_.sent.empty());
}

TEST_F(Ec2SourceTest, ADamagedOrEmptyCacheIsPassedOver) {
  answer("", "a\n");
  answer("a", "1");
  files_.put("/c/ec2.json", "{");
  EXPECT_EQ(documents(collect_ec2, k_config).size(), 1U);
  files_.put("/c/ec2.json", "{}");
  EXPECT_EQ(documents(collect_ec2, k_config).size(), 1U);
}

TEST_F(Ec2SourceTest, TheConfigDriveComesBeforeTheService) {
  runner_.on("blkid", 0, "DEVNAME=/dev/sr0\nLABEL=config-2\nTYPE=iso9660\n");
  files_.put("/proc/mounts", "/dev/sr0 /mnt/a\\040b iso9660 ro 0 0\n");
  files_.put("/mnt/a b/ec2/latest/meta-data.json", R"({"instance-id": "i"})");
  EXPECT_EQ(documents(collect_ec2, k_config).at(0), (Collected{"ec2", {{"instance-id", "i"}}}));
}

TEST(WalkMetadataTest, ADirectoryThatListsItselfForEverEnds) {
  int asked = 0;
  EXPECT_FALSE(walk_metadata("http://m/", [&asked](const std::string&) -> std::optional<std::string> {
    ++asked;
    return "a/\nb/\n";
  }));
  EXPECT_LT(asked, 5000);
}

}  // namespace
}  // namespace hearth::agent
