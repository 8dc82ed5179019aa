#include "bootstrap/seed/takeover.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/lossy_disk.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::bootstrap {
namespace {

struct Cut : std::runtime_error {
  Cut() : std::runtime_error("cut") {}
};

/// A seed and a node, as small as they can be, whose every call can be the last one of this attempt: before it has an
/// effect, or after.
class SmallWorld final : public TakeoverWorld {
 public:
  std::string state = "what the seed knows: 3 nodes";
  bool up = true, seed_serves = true, node_serves = false;
  std::string frozen_for;  // id
  std::string node_knows;  // state on the node
  std::map<std::string, std::string> brought;
  Json node = {
      {"name", "n1"}, {"provision_state", "active"}, {"extra", {{"x_seed", {{"ipv4_address", "192.0.2.11"}}}}}};
  Json faults = Json::array();
  std::vector<std::string> told;
  int calls = 0, cut_at = -1;
  bool cut_after = false;
  int copies = 0;

  Json ask_seed(const std::string& method, const std::string& target, const Json& body) override {
    return step([&]() -> Json {
      if (!up) throw Error(ErrorKind::io, "no connection");
      if (target == "/v1/hearth/handover" && method == "POST") {
        frozen_for = body.at("id");
        seed_serves = false;
        return Json();
      }
      if (target == "/v1/hearth/handover" && method == "DELETE") {
        frozen_for.clear();
        seed_serves = true;
        return Json();
      }
      if (target == "/v1/hearth/handover") {
        if (frozen_for.empty()) throw Error(ErrorKind::not_found, "404");
        return {
            {"id", frozen_for}, {"to", "n1"}, {"bytes", state.size()}, {"sha256", hex_digest(HashKind::sha256, state)}};
      }
      if (!frozen_for.empty()) throw Error(ErrorKind::external, "503");
      if (target == "/v1/nodes/n1") return node;
      if (target == "/v1/nodes") return Json{{"nodes", Json::array({Json{{"name", "n1"}}})}};
      throw Error(ErrorKind::not_found, "404");
    });
  }
  std::string seed_bytes(const std::string& target) override {
    return step([&] {
      const std::size_t offset = parse_number(target.substr(target.find('=') + 1)).value();
      return state.substr(offset, 10);
    });
  }
  bool seed_is_up() override { return up; }
  void stop_seed() override {
    step([&] {
      up = false;
      return 0;
    });
  }
  void start_seed() override {
    step([&] {
      up = true;
      return 0;
    });
  }
  Json on_node(const std::string&, const std::vector<std::string>& words) override {
    return step([&]() -> Json {
      if (words.front() == "--look") {
        Json digests = Json::object();
        for (const auto& [name, bytes] : brought) digests[name] = hex_digest(HashKind::sha256, bytes);
        return {
            {"version", HEARTH_VERSION}, {"files", digests}, {"prefix", 24}, {"free", 1U << 30U}, {"faults", faults}};
      }
      if (words.front() == "--undo") {
        node_serves = false;
        return Json::object();
      }
      if (up) ADD_FAILURE() << "the node takes an address that the seed has";
      node_knows = brought.at("state.bundle");
      node_serves = true;
      return {{"nodes", 3}};
    });
  }
  void copy(const std::string&, const std::vector<fs::path>& files) override {
    step([&] {
      ++copies;
      for (const fs::path& file : files) brought[file.filename().string()] = read_file(file);
      return 0;
    });
  }
  void tell(const std::string& line) override { told.push_back(line); }

 private:
  template <typename Act>
  auto step(const Act& act) -> decltype(act()) {
    const bool now = calls++ == cut_at;
    if (now && !cut_after) throw Cut();
    auto result = act();
    EXPECT_FALSE(seed_serves && up && node_serves) << "both serve";
    if (now) throw Cut();
    return result;
  }
};

class TakeoverTest : public ::testing::Test {
 protected:
  TakeoverTest() {
    site.subnet = "192.0.2.0/24";
    site.seed_address = "192.0.2.1";
    site.pool = "192.0.2.100-192.0.2.199";
    site.image = home() / "node.qcow2";
    site.deploy = {home() / "k", home() / "r"};
    for (const fs::path& file : {site.image, site.deploy.kernel, site.deploy.ramdisk})
      RealFileSystem().write(file, file.string(), {});
  }
  [[nodiscard]] const fs::path& home() const { return folder_.path(); }
  void run(SmallWorld& world) { Takeover(site, home(), world, clock).run({"n1", "", false}); }
  /// Whether it was cut; an answer that is an error anyway can't be.
  bool run_cut(SmallWorld& world) {
    try {
      run(world);
      return false;
    } catch (const Cut&) {
      return true;
    }
  }
  std::string failure(SmallWorld& world) {
    try {
      run(world);
    } catch (const Error& error) {
      return error.story();
    }
    return "";
  }

  TempDir folder_ = TempDir::create(fs::temp_directory_path(), "takeover.");
  SiteFile site;
  SystemClock clock;
};

TEST_F(TakeoverTest, movesWhatTheSeedKnowsAndTheNodeServesInItsPlace) {
  SmallWorld world;
  run(world);
  EXPECT_TRUE(world.node_serves);
  EXPECT_FALSE(world.up);
  EXPECT_EQ(world.node_knows, world.state);
  EXPECT_EQ(world.brought.at("site.qcow2"), site.image.string());
  const Json plan = Json::parse(world.brought.at("plan.json"));
  EXPECT_EQ(plan["seed_address"], "192.0.2.1");
  EXPECT_EQ(plan["own_address"], "192.0.2.11");
  EXPECT_EQ(plan["files"].size(), 4U);
  EXPECT_EQ(world.copies, 2) << "images are sent once, before the seed stops serving";
  run(world);
  EXPECT_EQ(world.told.back(), "the services run on n1 already");
}

TEST_F(TakeoverTest, cutAnywhereTheSameCommandGoesOnAndNothingIsLost) {
  SmallWorld whole;
  run(whole);
  for (int cut = 0; cut < whole.calls * 2; ++cut) {
    fs::remove(home() / "takeover.json");
    fs::remove(home() / "state.bundle");
    SmallWorld world;
    world.cut_at = cut / 2;
    world.cut_after = cut % 2 == 1;
    run_cut(world);
    run(world);
    EXPECT_TRUE(world.node_serves && !world.up) << cut;
    EXPECT_EQ(world.node_knows, world.state) << cut;
  }
}

TEST_F(TakeoverTest, afterAPowerCutWhatTheJournalSaysIsOnTheDisk) {
  SmallWorld world;
  fakes::LossyDisk disk(home());
  run(world);
  disk.promise("settled");
  int fetched = 0;
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    const std::optional<TakeoverJournal> journal = read_journal(home());
    EXPECT_TRUE(cut.promised.empty() || (journal && journal->step == "settled"));
    if (!journal || journal->step != "fetched") return;
    ++fetched;
    EXPECT_EQ(read_file(home() / "state.bundle"), world.state);
  });
  EXPECT_GT(cuts, 20U);
  EXPECT_GT(fetched, 0);
}

TEST_F(TakeoverTest, cutAnywhereItCanBeCalledOffAndTheSeedServesAgain) {
  SmallWorld whole;
  run(whole);
  int called_off = 0;
  for (int cut = 0; cut < whole.calls * 2; ++cut) {
    fs::remove(home() / "takeover.json");
    SmallWorld world;
    world.cut_at = cut / 2;
    world.cut_after = cut % 2 == 1;
    if (!run_cut(world) || !read_journal(home())) continue;  // nothing has begun
    ++called_off;
    Takeover(site, home(), world, clock).call_off();
    EXPECT_TRUE(world.up && world.seed_serves && !world.node_serves) << cut;
    run(world);
    EXPECT_TRUE(world.node_serves) << cut;
  }
  EXPECT_GT(called_off, whole.calls) << "of " << whole.calls * 2;
}

TEST_F(TakeoverTest, allThatIsWrongWithTheNodeIsToldBeforeAnythingIsDone) {
  SmallWorld world;
  world.node["provision_state"] = "available";
  world.faults = {"there is no hearth-seed.service"};
  const std::string story = failure(world);
  EXPECT_NE(story.find("n1 is available: only an active node can take over"), std::string::npos) << story;
  EXPECT_NE(story.find("n1: there is no hearth-seed.service"), std::string::npos);
  EXPECT_TRUE(world.seed_serves);
  EXPECT_FALSE(read_journal(home()));

  const Json node = {{"name", "n1"}, {"provision_state", "active"}, {"maintenance", true}};
  const Json look = {{"version", "0.0.9"}, {"free", 10}, {"prefix", 16}};
  const std::string all = join(takeover_faults(node, look, site, 1000), "\n");
  for (const char* part : {"in maintenance", "has Hearth 0.0.9", "has 10 B free", "not in the network 192.0.2.0/24"})
    EXPECT_NE(all.find(part), std::string::npos) << part << " in " << all;
}

TEST_F(TakeoverTest, aNodeThatTheSeedDoesNotHaveIsToldAndNotWhatItsApiAnswers) {
  SmallWorld world;
  try {
    Takeover(site, home(), world, clock).check({"n2", "", false});
    ADD_FAILURE() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::not_found);
    EXPECT_STREQ(error.what(), "the seed has no node n2; did you mean n1?");
  }
}

TEST_F(TakeoverTest, anotherNodeIsRefusedWhileOneIsUnderWayAndCallingOffWhenItServes) {
  SmallWorld world;
  write_journal(home(), {"x", "n2", "192.0.2.12", "asked"});
  EXPECT_NE(failure(world).find("a takeover by n2 is under way (asked)"), std::string::npos);
  write_journal(home(), {"x", "n1", "192.0.2.11", "settled"});
  EXPECT_THROW(Takeover(site, home(), world, clock).call_off(), Error);
  fs::remove(home() / "takeover.json");
  EXPECT_THROW(Takeover(site, home(), world, clock).call_off(), Error);
}

TEST_F(TakeoverTest, stateThatArrivesAlteredIsNotUsed) {
  SmallWorld world;
  RealFileSystem().write(home() / "state.part", "WHAT", {});
  EXPECT_NE(failure(world).find("arrived altered"), std::string::npos);
  run(world);
  EXPECT_EQ(world.node_knows, world.state);
}

TEST(NodeAddress, isTheInventorysOrTheOneLastSeen) {
  EXPECT_EQ(node_address({{"driver_internal_info", {{"last_address", "192.0.2.150"}}}}), "192.0.2.150");
  EXPECT_EQ(node_address({{"extra", {{"x_seed", {{"ipv4_address", "192.0.2.11"}}}}},
                          {"driver_internal_info", {{"last_address", "192.0.2.150"}}}}),
            "192.0.2.11");
}

}  // namespace
}  // namespace hearth::bootstrap
