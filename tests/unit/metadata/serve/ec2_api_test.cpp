#include "metadata/serve/ec2_api.hpp"

#include <gtest/gtest.h>

#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/fakes/metadata_views.hpp"

namespace hearth::metadata {
namespace {

class Ec2ApiTest : public testing::Test {
 protected:
  Ec2ApiTest() {
    Machine machine;
    machine.meta_data =
        Json::parse(R"({"instance-id": "i-1", "hostname": "node-0", "placement": {"availability-zone": "nova"},
        "public-keys": {"0": {"_name": "default", "openssh-key": "ssh-ed25519 AAAA"},
                        "1": {"_name": "other", "openssh-key": "ssh-ed25519 BBBB"}}, "ami-launch-index": 0})");
    machine.user_data = "#cloud-config\n";
    machine.openstack = Json::parse(R"({"meta_data.json": {"uuid": "i-1"}})");
    views_.machines["192.0.2.7"] = machine;
    machine.meta_data["hostname"] = "node-1";
    views_.machines["i-2"] = machine;
  }
  std::string get(const std::string& path, const std::string& peer = "192.0.2.7", const HttpHeaders& headers = {}) {
    ServedRequest request;
    request.method = "GET";
    request.path = path;
    request.target = path;
    request.peer = peer;
    request.headers = headers;
    const ServedResponse response = api_.answer(request);
    return response.status == 200 ? response.content() : std::to_string(response.status);
  }
  fakes::MetadataViews views_;
  fakes::MemoryLogger log_;
  Ec2Api api_{views_, "between us", log_};
};

TEST_F(Ec2ApiTest, ListsDirectoriesWithoutANewlineAtTheEnd) {
  EXPECT_EQ(get("/latest/meta-data/"), "instance-id\nhostname\nplacement/\npublic-keys/\nami-launch-index");
  EXPECT_EQ(get("/latest/meta-data/public-keys/"), "0=default\n1=other");
  EXPECT_EQ(get("/latest"), "meta-data/\nuser-data");
  EXPECT_EQ(get("/"), "1.0/\n2009-04-04/\nlatest/\nopenstack/");
}

TEST_F(Ec2ApiTest, GivesLeavesAsRawText) {
  EXPECT_EQ(get("/latest/meta-data/placement/availability-zone"), "nova");
  EXPECT_EQ(get("/latest/meta-data/public-keys/0/"), "openssh-key");
  EXPECT_EQ(get("/latest/meta-data/public-keys/0=default/openssh-key"), "ssh-ed25519 AAAA");
  EXPECT_EQ(get("/latest/meta-data/ami-launch-index"), "0");
  EXPECT_EQ(get("/latest/user-data"), "#cloud-config\n");
  EXPECT_EQ(get("/openstack/latest/meta_data.json"), R"({"uuid":"i-1"})");
}

TEST_F(Ec2ApiTest, WhatIsNotThereIs404) {
  for (const char* path : {"/latest/meta-data/nothing", "/latest/meta-data/hostname/x", "/latest/../latest",
                           "/openstack/latest/meta_data.json/uuid", "/latest/meta-data/public-keys/0/_name"}) {
    EXPECT_EQ(get(path), "404") << path;
  }
}

TEST_F(Ec2ApiTest, AnUnknownAddressGetsNothingAndIsLogged) {
  EXPECT_EQ(get("/latest/meta-data/hostname", "192.0.2.8"), "404");
  EXPECT_TRUE(log_.holds("from 192.0.2.8"));
}

TEST_F(Ec2ApiTest, AProxyNamesTheMachineIfItKnowsTheSecret) {
  const std::string good = to_hex(hmac(HashKind::sha256, "between us", "i-2"));
  const std::string path = "/latest/meta-data/hostname";
  EXPECT_EQ(get(path, "192.0.2.99", {{"X-Instance-ID", "i-2"}, {"X-Instance-ID-Signature", good}}), "node-1");
  EXPECT_EQ(get(path, "192.0.2.7", {{"X-Instance-ID", "i-2"}, {"X-Instance-ID-Signature", "forged"}}), "404");
  EXPECT_EQ(get(path, "192.0.2.7", {{"X-Instance-ID", "i-2"}}), "404");
}

}  // namespace
}  // namespace hearth::metadata
