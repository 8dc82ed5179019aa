#include "bootstrap/store/ledger.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/random.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::bootstrap {
namespace {

TEST(Ledger, findsByUuidNameMacAndPort) {
  Store store(":memory:");
  fakes::ManualClock clock;
  Ledger ledger(store, clock);
  Node node;
  node.uuid = random_uuid();
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

/// While it lives no file of this process may grow: a disk that is full.
class FullDisk {
 public:
  FullDisk() {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &none);
    old_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, old_);
  }

 private:
  rlimit before_{};
  void (*old_)(int) = SIG_DFL;
};

TEST(Ledger, documentsAreCommittedWithWhatBelongsToThemOrNotAtAll) {
  const TempDir directory = TempDir::create("/tmp", "hearth-ledger-");
  Store store((directory.path() / "state.db").string());
  fakes::ManualClock clock;
  Ledger ledger(store, clock);
  ledger.put_document("chassis/1", {{"uuid", "1"}});
  ledger.commit();
  ledger.put_document("chassis/2", {{"uuid", "2"}, {"description", std::string(100000, 'x')}});
  ledger.remove_document("chassis/1");
  EXPECT_EQ(ledger.documents("chassis/").size(), 1U);  // as it will be
  EXPECT_FALSE(ledger.document("chassis/1"));
  {
    const FullDisk full;
    EXPECT_THROW(ledger.commit(), std::exception);
  }
  EXPECT_TRUE(ledger.document("chassis/1"));
  EXPECT_FALSE(ledger.document("chassis/2"));
  ledger.remove_document("chassis/1");
  ledger.commit();
  EXPECT_TRUE(store.documents("chassis/").empty());
}

TEST(Ledger, whatCouldNotBeKeptIsNotShownEither) {
  const TempDir directory = TempDir::create("/tmp", "hearth-ledger-");
  Store store((directory.path() / "state.db").string());
  fakes::ManualClock clock;
  Ledger ledger(store, clock);
  Pace pace;
  ledger.measure(pace);
  Node kept;
  kept.uuid = random_uuid();
  ledger.add(kept);
  Node gone;
  gone.uuid = random_uuid();
  ledger.add(gone);
  ledger.commit();
  {
    const FullDisk full;
    ledger.edit(kept.uuid).maintenance = true;
    ledger.remove(gone.uuid);
    Node fresh;
    fresh.uuid = random_uuid();
    ledger.add(fresh);
    ledger.record(kept, "maintenance", std::string(100000, 'x'));
    EXPECT_THROW(ledger.commit(), std::exception);
  }
  EXPECT_NE(pace.shown(clock.now())["store refused"]["what"].dump().find("state.db"), std::string::npos);
  EXPECT_NE(ledger.unkept().find("state.db"), std::string::npos);
  ledger.commit();
  EXPECT_FALSE(ledger.unkept().empty()) << "nothing was to be kept, so nothing is known of it";
  EXPECT_FALSE(ledger.by_uuid(kept.uuid)->maintenance);
  EXPECT_EQ(ledger.nodes().size(), 2U);
  ledger.edit(kept.uuid).maintenance = true;
  ledger.commit();
  EXPECT_TRUE(ledger.unkept().empty());
  EXPECT_TRUE(store.node(kept.uuid)->maintenance);
  EXPECT_TRUE(store.events({0, 10, "", false}).empty());
}

}  // namespace
}  // namespace hearth::bootstrap
