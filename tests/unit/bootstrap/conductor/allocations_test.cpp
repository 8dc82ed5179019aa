#include "bootstrap/conductor/allocations.hpp"

#include "base/sys/random.hpp"
#include "tests/unit/bootstrap/conductor_fixture.hpp"

namespace hearth::bootstrap {
namespace {

class Allocations : public ConductorFixture {
 protected:
  std::string add_gold(const std::string& name, const std::string& mac, Stamp since) {
    const std::string uuid = add("fake-hardware", mac, name);
    Node& node = conductor->ledger().edit(uuid);
    node.fields["resource_class"] = "gold";
    node.provision_updated = since;
    return uuid;
  }
  std::string allocated(Json record) {
    record["uuid"] = random_uuid();
    record["resource_class"] = "gold";
    allocate(conductor->ledger(), record);
    return text_in(record, "node_uuid");
  }
};

TEST_F(Allocations, takeTheNodeOfTheirNameElseTheOneThatHasWaitedForLongest) {
  const std::string young = add_gold("young", "52:54:00:00:00:01", 300);
  const std::string old = add_gold("old", "52:54:00:00:00:02", 100);
  const std::string named = add_gold("named", "52:54:00:00:00:03", 200);
  EXPECT_EQ(allocated({{"name", "named"}}), named);
  EXPECT_EQ(allocated(Json::object()), old);
  EXPECT_EQ(allocated({{"candidate_nodes", {old}}}), "");
  EXPECT_EQ(allocated({{"candidate_nodes", {young}}}), young);
  EXPECT_EQ(allocated(Json::object()), "");
}

TEST_F(Allocations, leaveOutNodesInMaintenanceOfOtherOwnersOrWhosePowerIsNotKnown) {
  const std::string uuid = add_gold("one", "52:54:00:00:00:01", 1);
  Node& node = conductor->ledger().edit(uuid);
  node.maintenance = true;
  EXPECT_EQ(allocated(Json::object()), "");
  node.maintenance = false;
  node.power = Power::unknown;
  EXPECT_EQ(allocated(Json::object()), "");
  node.power = Power::off;
  node.fields["owner"] = "ann";
  EXPECT_EQ(allocated({{"owner", "bob"}}), "");
  conductor->give("one", "http://cloud:5000");
  EXPECT_EQ(allocated({{"owner", "ann"}}), "");
  conductor->ledger().edit(uuid).internal.erase(k_given_to);
  EXPECT_EQ(allocated({{"owner", "ann"}}), uuid);
}

TEST_F(Allocations, backfillTakesADeployedNodeThatFits) {
  const std::string uuid = add_gold("one", "52:54:00:00:00:01", 1);
  Json record = {{"uuid", random_uuid()}, {"resource_class", "gold"}};
  EXPECT_NE(backfill(conductor->ledger(), record, node(uuid)).find("must be in the \"active\" state"),
            std::string::npos);
  set_state(uuid, State::active);
  EXPECT_EQ(backfill(conductor->ledger(), record, node(uuid)), "");
  EXPECT_EQ(node(uuid).allocation, record["uuid"].get<std::string>());
}

}  // namespace
}  // namespace hearth::bootstrap
