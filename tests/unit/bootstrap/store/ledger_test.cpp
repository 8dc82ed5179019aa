#include "bootstrap/store/ledger.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::bootstrap {
namespace {

TEST(Ledger, findsByUuidNameMacAndPort) {
  Store store(":memory:");
  fakes::ManualClock clock;
  Ledger ledger(store, clock);
  Node node;
  node.uuid = new_uuid();
  node.name = "web1";
  node.ports = {new_port("52:54:00:00:00:01", 1)};
  ledger.add(node);
  EXPECT_EQ(ledger.find("web1")->uuid, node.uuid);
  EXPECT_EQ(ledger.find(node.uuid)->uuid, node.uuid);
  EXPECT_EQ(ledger.by_mac("52:54:00:00:00:01")->uuid, node.uuid);
  EXPECT_EQ(ledger.by_port(node.ports[0].uuid)->uuid, node.uuid);
  EXPECT_EQ(ledger.find(""), nullptr);
  EXPECT_EQ(ledger.by_mac("52:54:00:00:00:02"), nullptr);
  EXPECT_THROW(static_cast<void>(ledger.edit("nobody")), Error);
}

TEST(Ledger, onlyWhatWasCommittedIsThereAfterwardsAndWatchersHearItThen) {
  Store store(":memory:");
  fakes::ManualClock clock;
  Ledger ledger(store, clock);
  std::vector<std::string> heard;
  ledger.watch(std::function<void(const Event&)>([&](const Event& event) { heard.push_back(event.text); }));
  std::vector<std::string> changes;
  ledger.watch([&](const Committed& committed) {
    for (const std::string& uuid : committed.changed) changes.push_back("+" + uuid);
    for (const std::string& uuid : committed.removed) changes.push_back("-" + uuid);
  });
  Node node;
  node.uuid = "u1";
  ledger.record(ledger.add(node), "inventory", "created");
  EXPECT_TRUE(heard.empty());
  EXPECT_TRUE(Ledger(store, clock).nodes().empty());
  ledger.commit();
  EXPECT_EQ(heard, std::vector<std::string>{"created"});
  EXPECT_EQ(Ledger(store, clock).nodes().size(), 1U);
  ledger.edit("u1").name = "web1";
  ledger.remove("u1");
  ledger.commit();
  EXPECT_TRUE(Ledger(store, clock).nodes().empty());
  EXPECT_EQ(heard.size(), 1U);
  EXPECT_EQ(changes, (std::vector<std::string>{"+u1", "-u1"}));
}

}  // namespace
}  // namespace hearth::bootstrap
