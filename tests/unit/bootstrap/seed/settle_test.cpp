#include "bootstrap/seed/settle.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/handover/handover.hpp"
#include "bootstrap/seed/takeover.hpp"
#include "tests/fakes/lossy_disk.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::bootstrap {
namespace {

const Json k_plan = {{"id", "one"},
                     {"node", "n1"},
                     {"own_address", "192.0.2.11"},
                     {"seed_address", "192.0.2.1"},
                     {"site", {{"mode", "full"}, {"interfaces", {""}}}}};

TEST(Settled, servicesFindTheSeedsAddressOnTheNodesInterface) {
  const Json shown = Json::parse(R"([{"ifname": "lo", "addr_info": [{"local": "127.0.0.1", "prefixlen": 8}]},
      {"ifname": "ens3", "addr_info": [{"local": "192.0.2.11", "prefixlen": 24}]}])");
  const std::optional<OwnInterface> own = interface_with(shown, "192.0.2.11");
  ASSERT_EQ(own, (OwnInterface{"ens3", 24}));
  EXPECT_EQ(interface_with(shown, "192.0.2.12"), std::nullopt);
  EXPECT_EQ(settled_site(k_plan, *own)["interfaces"], Json::array({"ens3"}));
  const std::string environment = settled_environment(k_plan, *own);
  EXPECT_NE(environment.find("HEARTH_SEED_ADDRESSES=\"192.0.2.11/24 192.0.2.1/24\"\n"), std::string::npos);
  EXPECT_NE(environment.find("--listen 192.0.2.11 --own-tls --stacks-listen 0.0.0.0 --public 192.0.2.1"),
            std::string::npos);
  EXPECT_NE(settled_unit().find("ConditionPathExists=\nConditionPathExists="), std::string::npos);
}

/// A machine with boot-stack's unit and an empty state, and no systemd.
class SettledNode : public ::testing::Test {
 protected:
  SettledNode() {
    RealFileSystem files;
    files.make_directories(at(k_settle_folder), 0700);
    files.make_directories(at("/var/lib/hearth/node"), 0700);
    files.write(at("/var/lib/hearth/node/empty"), "", {});
    runner.on("systemctl", 0);
    runner.on("journalctl", 0, "its last words");
    runner.on("ip", 0, R"([{"ifname": "e0", "addr_info": [{"local": "127.0.0.251", "prefixlen": 24}]}])");
    bring();
  }
  [[nodiscard]] fs::path at(const std::string& path) const { return folder_.path().string() + path; }
  void bring() {
    const TempDir seed = TempDir::create(fs::temp_directory_path(), "seed.");
    {
      Store store((seed.path() / "state.db").string());
      keep_handover(store, {"one", "n1"});
      Node node;
      node.uuid = random_uuid();
      node.name = "n1";
      std::vector<Event> events;
      store.commit({&node}, {}, events);
    }
    RealFileSystem files;
    files.write(seed.path() / "api-token", "secret\n", {.mode = 0600});
    fs::rename(pack_state(seed.path(), {"one", "n1"}), at(k_settle_folder) / "state.bundle");
    files.write(at(k_settle_folder) / "site.qcow2", "an image", {});
    Json plan = k_plan;
    plan["own_address"] = plan["seed_address"] = "127.0.0.251";  // nothing listens there
    for (const char* name : {"state.bundle", "site.qcow2"})
      plan["files"][name] = digest_file(at(k_settle_folder) / name).sha256;
    files.write(at(k_settle_folder) / "plan.json", plan.dump(), {});
  }
  std::string settle() {
    try {
      static_cast<void>(Settler(folder_.path(), runner, clock).settle("plan.json", Deadline::after({}, clock)));
    } catch (const Error& error) {
      return error.story();
    }
    return "";
  }

  TempDir folder_ = TempDir::create(fs::temp_directory_path(), "settle.");
  fakes::ScriptedRunner runner;
  SystemClock clock;
};

TEST_F(SettledNode, findsTheSeedsStateInPlaceWithImagesAndAsItsOwn) {
  const std::string story = settle();  // nothing listens in this test
  EXPECT_NE(story.find("the services don't answer here"), std::string::npos) << story;
  EXPECT_NE(story.find("its last words"), std::string::npos);
  const fs::path state = at("/var/lib/hearth/node");
  EXPECT_EQ(read_file(state / "api-token"), "secret\n");
  EXPECT_EQ(read_file(state / "files/images/site.qcow2"), "an image");
  EXPECT_TRUE(fs::exists(cat(state.string(), ".before-one/empty")));
  Store store((state / "state.db").string());
  EXPECT_EQ(kept_handover(store), std::nullopt);
  EXPECT_TRUE(store.nodes().front().fields.value("protected", false));
  EXPECT_EQ(store.events({}).back().text, "the services run on n1 now");
  EXPECT_NE(read_file(at("/etc/hearth/takeover/site.json")).find("\"e0\""), std::string::npos);
  std::vector<std::string> ran;
  for (const Command& command : runner.ran) ran.push_back(join(command.argv, " "));
  EXPECT_EQ(join(ran, "; "),
            "systemctl stop hearth-seed.service; ip -j address show; systemctl daemon-reload; systemctl restart "
            "hearth-seed-address.service; systemctl restart --no-block hearth-seed.service; journalctl -q -o cat -n 5 "
            "_SYSTEMD_UNIT=hearth-seed.service");
}

TEST_F(SettledNode, afterAPowerCutTheStateIsTheOldOneOrAllOfTheSeedsAndSettlingGoesOn) {
  const fs::path state = at("/var/lib/hearth/node");
  const auto is_the_seeds = [&] {
    EXPECT_EQ(read_file(state / "api-token"), "secret\n");
    EXPECT_EQ(read_file(state / "files/images/site.qcow2"), "an image");
    Store store((state / "state.db").string());
    EXPECT_EQ(store.nodes().size(), 1U);
    EXPECT_EQ(kept_handover(store), std::nullopt);
  };
  fakes::LossyDisk disk(at("/var/lib/hearth"));
  settle();
  disk.promise("settled");
  int looks = 0;
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    const bool is_old = fs::exists(state / "empty");
    EXPECT_TRUE(cut.promised.empty() || !is_old);
    if (fs::exists(state) && !is_old) is_the_seeds();
    if (fs::exists(at(k_settle_folder) / "plan.json") && ++looks % 10 == 1) {
      settle();
      is_the_seeds();
      EXPECT_TRUE(fs::exists(cat(state.string(), ".before-one/empty")));
    }
  });
  EXPECT_GT(cuts, 40U);
}

TEST_F(SettledNode, settledAgainKeepsWhatTheServicesHaveLearnedSince) {
  settle();
  RealFileSystem().write(at("/var/lib/hearth/node/learned"), "", {});
  settle();
  EXPECT_TRUE(fs::exists(at("/var/lib/hearth/node/learned")));
}

TEST_F(SettledNode, filesThatArriveAlteredChangeNothing) {
  RealFileSystem().write(at(k_settle_folder) / "site.qcow2", "another", {});
  EXPECT_NE(settle().find("site.qcow2 is not what was sent"), std::string::npos);
  EXPECT_TRUE(fs::exists(at("/var/lib/hearth/node/empty")));
}

TEST_F(SettledNode, undoneIsAsBefore) {
  settle();
  Settler settler(folder_.path(), runner, clock);
  static_cast<void>(settler.undo("plan.json", Deadline::never()));
  EXPECT_TRUE(fs::exists(at("/var/lib/hearth/node/empty")));
  EXPECT_FALSE(fs::exists(at("/etc/hearth/takeover")));
  EXPECT_FALSE(fs::exists(at("/etc/systemd/system/hearth-seed.service.d/takeover.conf")));
  static_cast<void>(settler.undo("plan.json", Deadline::never()));
}

TEST_F(SettledNode, tellsWhatItIsLike) {
  const Json told = Settler(folder_.path(), runner, clock).look("127.0.0.251");
  EXPECT_EQ(told["prefix"], 24);
  EXPECT_EQ(told["files"].size(), 3U);
  EXPECT_NE(told["faults"].dump().find("element boot-stack"), std::string::npos);
  EXPECT_NE(Settler(folder_.path(), runner, clock).look("192.0.2.99")["faults"].dump().find("192.0.2.99"),
            std::string::npos);
}

}  // namespace
}  // namespace hearth::bootstrap
