#include "bootstrap/seed/giving.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/hash.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::bootstrap {
namespace {

constexpr const char* k_test_key =
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE "
    "KEY-----\n";

struct CutOff : std::runtime_error {
  CutOff() : std::runtime_error("cut") {}
};

/// A seed and a cloud, as small as they can be, whose every call can be the last one of this attempt: before it has an
/// effect, or after.
class SmallCloud final : public GivingWorld {
 public:
  std::map<std::string, std::string> given;  ///< at the seed: UUID → owner
  std::map<std::string, Json> nodes;         ///< in the cloud
  std::map<std::string, Json> ports;
  std::map<std::string, Json> images;
  std::set<std::string> services = {"baremetal", "image"};
  std::vector<std::string> verbs, told;
  std::set<std::string> for_good;
  std::string broken;        ///< a verb that fails
  int locked = 0;            ///< so many orders are refused, as Ironic's power sync holds the node
  bool cuts_upload = false;  ///< of which nothing comes, and which is told as whole
  int calls = 0, cut_at = -1, uploads = 0;
  bool cut_after = false;

  static Json seed_node(const std::string& uuid, const std::string& name, const std::string& state) {
    return {{"uuid", uuid},
            {"name", name},
            {"driver", "ipmi"},
            {"provision_state", state},
            {"driver_info", {{"ipmi_address", "192.0.2.9"}, {"ipmi_password", "pw"}, {"deploy_kernel", "disk"}}},
            {"properties", {{"cpus", 2}}},
            {"instance_info", {{"image_source", "disk"}, {"configdrive", "H4"}}},
            {"extra", {{"x_seed", {{"user_data", "secret"}}}}},
            {"automated_clean", nullptr},
            {"ports", {{{"uuid", "p" + uuid}, {"address", "52:54:00:00:00:0" + uuid}, {"node_uuid", uuid}}}}};
  }
  Json rows = {seed_node("1", "web1", "active"), seed_node("2", "web2", "available"), seed_node("3", "web3", "enroll")};
  Json registered = Json::array();

  Json ask_seed(const std::string& method, const std::string& target, const Json& body) override {
    return step([&]() -> Json {
      if (target.starts_with("/v1/nodes/detail")) return {{"nodes", rows}};
      if (target.starts_with("/v1/ports/detail")) {
        Json all = Json::array();
        for (const Json& row : rows) all.push_back(row["ports"][0]);
        return {{"ports", all}};
      }
      if (target == "/v1/hearth/images") return {{"images", registered}};
      if (method == "GET" && target == "/v1/hearth/given") {
        Json list = Json::array();
        for (const auto& [uuid, to] : given) list.push_back({{"uuid", uuid}, {"name", "web" + uuid}, {"to", to}});
        return {{"given", list}};
      }
      const std::string uuid = target.substr(target.rfind('/') + 1);
      if (method == "DELETE") {
        given.erase(uuid);
        return Json();
      }
      for (const Json& row : rows) {
        if (row["uuid"] != uuid) continue;
        if (body.contains("for_good")) {
          for_good.insert(uuid);
          return row;
        }
        if (row["provision_state"] != body.at("provision_state")) throw Error(ErrorKind::input, "it is now otherwise");
        given[uuid] = body.at("to");
        return row;
      }
      throw Error(ErrorKind::not_found, "404");
    });
  }
  bool has_stacks() const override { return false; }
  Json ask_stacks(const std::string&, const std::string&, const Json&) override { throw std::logic_error("no stacks"); }
  bool has(const std::string& service) override { return services.contains(service); }
  Answer ask_cloud(const std::string& service, const std::string& method, const std::string& target,
                   const Json& body) override {
    return step([&] { return service == "image" ? glance(method, target, body) : ironic(method, target, body); });
  }
  Sent upload(const std::string& id, const fs::path& file) override {
    return step([&]() -> Sent {
      ++uploads;
      const std::string bytes = read_file(file);
      images.at(id)["status"] = "active";
      images.at(id)["os_hash_algo"] = "sha512";
      images.at(id)["os_hash_value"] = hex_digest(HashKind::sha512, cuts_upload ? "" : bytes);
      if (cuts_upload) throw CutOff();
      return {hex_digest(HashKind::sha256, bytes), hex_digest(HashKind::sha512, bytes)};
    });
  }
  void pause() override {}
  void tell(const std::string& line) override { told.push_back(line); }

 private:
  Answer glance(const std::string& method, const std::string& target, const Json& body) {
    if (method == "POST") {
      images[body.at("id")] = body;
      images[body.at("id")]["status"] = "queued";
      return {201, images[body.at("id")]};
    }
    if (const std::size_t at = target.find("?name="); at != std::string::npos) {
      Json found = Json::array();
      for (const auto& [id, image] : images) {
        if (image.at("name") == target.substr(at + 6)) found.push_back(image);
      }
      return {200, {{"images", found}}};
    }
    const std::string id = target.substr(target.rfind('/') + 1);
    if (!images.contains(id)) return {404, "no image"};
    if (method == "DELETE") return {images.erase(id) == 1 ? 204 : 500, Json()};
    return {200, images[id]};
  }
  Answer ironic(const std::string& method, const std::string& target, const Json& body) {
    if (method != "GET" && locked > 0) {
      --locked;
      return {409, {{"error_message", R"({"faultstring": "Node 1 is locked by host c, please retry"})"}}};
    }
    if (target == "/v1/drivers") return {200, {{"drivers", {{{"name", "ipmi"}}}}}};
    if (method == "POST") return added(target == "/v1/ports" ? ports : nodes, body);
    if (target.starts_with("/v1/ports?address=")) return {200, {{"ports", Json::array()}}};
    const std::vector<std::string> parts = split(target, '/');
    const std::string uuid = parts.at(3);
    if (!nodes.contains(uuid)) return {404, Json()};
    Json& node = nodes[uuid];
    if (target.ends_with("/ports")) return ports_of(uuid);
    if (target.ends_with("/states/provision")) return moved(node, body.at("target"));
    if (target.ends_with("/maintenance")) node["maintenance"] = true;
    if (method == "DELETE") {
      EXPECT_TRUE(node.value("maintenance", false)) << "Ironic deletes no node in service but in maintenance";
      nodes.erase(uuid);
      std::erase_if(ports, [&](const auto& port) { return port.second["node_uuid"] == uuid; });
      return {204, Json()};
    }
    return {200, node};
  }
  Answer added(std::map<std::string, Json>& to, const Json& body) {
    const std::string uuid = body.at("uuid");
    if (to.contains(uuid)) return {409, {{"error_message", R"({"faultstring": "it already exists"})"}}};
    to[uuid] = body;
    if (&to == &nodes) {
      EXPECT_TRUE(given.contains(uuid)) << "two owners: the seed has not let go of it";
      to[uuid]["provision_state"] = "enroll";
    }
    return {201, to[uuid]};
  }
  Answer ports_of(const std::string& uuid) {
    Json found = Json::array();
    for (const auto& [id, port] : ports) {
      if (port["node_uuid"] == uuid) found.push_back(port);
    }
    return {200, {{"ports", found}}};
  }
  Answer moved(Json& node, const std::string& verb) {
    verbs.push_back(cat(verb, " ", text_of_name(node)));
    if (verb == broken) {
      node["last_error"] = "the BMC says no";
      if (verb == "adopt") node["provision_state"] = "adopt failed";
      if (verb == "adopt") node["target_provision_state"] = "active";  // which Ironic keeps where a verb failed
    } else {
      node["target_provision_state"] = nullptr;
      node["provision_state"] = verb == "manage" ? "manageable" : verb == "adopt" ? "active" : "available";
    }
    return {202, Json()};
  }
  static std::string text_of_name(const Json& node) { return node.value("name", ""); }

  template <typename Act>
  auto step(const Act& act) -> decltype(act()) {
    const bool now = calls++ == cut_at;
    if (now && !cut_after) throw CutOff();
    auto result = act();
    for (const auto& [uuid, node] : nodes) EXPECT_TRUE(given.contains(uuid)) << "node " << uuid << " has two owners";
    if (now) throw CutOff();
    return result;
  }
};

class GivingTest : public ::testing::Test {
 protected:
  GivingTest() {
    RealFileSystem().write(folder_.path() / "disk.raw", "a disk", {});
    RealFileSystem().write(folder_.path() / "kernel", "a kernel", {});
    registered = {{{"name", "disk"},
                   {"file", (folder_.path() / "disk.raw").string()},
                   {"kernel", (folder_.path() / "kernel").string()},
                   {"image_disk_format", "raw"},
                   {"image_os_hash_algo", "sha256"},
                   {"image_os_hash_value", hex_digest(HashKind::sha256, "a disk")}}};
  }
  SmallCloud world() {
    SmallCloud made;
    made.registered = registered;
    return made;
  }
  Giving::Wishes wishes(bool final = false) {
    std::string pem = k_test_key;
    return {"http://cloud:5000", {}, {}, Secret::take(pem), final};
  }
  void run(SmallCloud& world, bool final = false) { Giving(folder_.path(), world, clock).run(wishes(final)); }
  void back(SmallCloud& world, const std::string& to = "http://cloud:5000", const std::set<std::string>& left = {}) {
    Giving::Wishes wishes;
    wishes.to = to;
    wishes.left = left;
    Giving(folder_.path(), world, clock).back(wishes);
  }
  template <typename Act>
  std::string failure(const Act& act) {
    try {
      act();
    } catch (const Error& error) {
      return error.story();
    }
    return "";
  }
  /// Whether it was cut.
  template <typename Act>
  bool cut(const Act& act) {
    try {
      act();
      return false;
    } catch (const CutOff&) {
      return true;
    }
  }
  void expect_all_given(SmallCloud& world) {
    ASSERT_EQ(world.nodes.size(), 3U);
    EXPECT_EQ(world.nodes["1"]["provision_state"], "active");
    EXPECT_EQ(world.nodes["2"]["provision_state"], "available");
    EXPECT_EQ(world.nodes["3"]["provision_state"], "enroll");
    EXPECT_EQ(world.ports.size(), 3U);
    EXPECT_EQ(world.images.size(), 2U);
    EXPECT_EQ(world.given.size(), 3U);
    EXPECT_TRUE(fs::exists(folder_.path() / k_handover_record));
  }
  void expect_all_back(SmallCloud& world) {
    EXPECT_TRUE(world.nodes.empty());
    EXPECT_TRUE(world.ports.empty());
    EXPECT_TRUE(world.images.empty());
    EXPECT_TRUE(world.given.empty());
    EXPECT_FALSE(read_giving(folder_.path()));
  }

  TempDir folder_ = TempDir::create(fs::temp_directory_path(), "giving.");
  Json registered;
  fakes::ManualClock clock;
};

TEST_F(GivingTest, NodesAndImagesGoInTheStatesThatTheyHave) {
  SmallCloud cloud = world();
  run(cloud);
  expect_all_given(cloud);
  EXPECT_EQ(join(cloud.verbs, ", "), "manage web1, adopt web1, manage web2, provide web2");
  const Json& node = cloud.nodes["1"];
  EXPECT_EQ(node["driver_info"]["ipmi_password"], "pw");
  EXPECT_EQ(cloud.images[node["driver_info"]["deploy_kernel"]]["name"], "disk-kernel");
  EXPECT_EQ(cloud.images[node["instance_info"]["image_source"]]["name"], "disk");
  EXPECT_FALSE(node["instance_info"].contains("configdrive"));
  EXPECT_FALSE(node["extra"].contains("x_seed"));
  const std::string key = frames::public_key_of(k_test_key);
  const std::string record = read_file(folder_.path() / k_handover_record);
  const Json told = open_record(record, "record", key);
  EXPECT_EQ(told["predicate"]["nodes"].size(), 3U);
  EXPECT_EQ(record.find("\"pw\""), std::string::npos);
  EXPECT_THROW((void)open_record(record, "record", std::string(64, '0')), Error);
  const std::string journal = read_file(folder_.path() / "handover.json");
  EXPECT_EQ(journal.find("pw"), std::string::npos) << "no secret is in the journal";
}

TEST_F(GivingTest, CutAnywhereItGoesOnOrComesBack) {
  for (const bool after : {false, true}) {
    for (int at = 0;; ++at) {
      SmallCloud cloud = world();
      cloud.cut_at = at;
      cloud.cut_after = after;
      if (!cut([&] { run(cloud); })) {
        EXPECT_GT(at, 20);
        cloud.cut_at = -1;
        back(cloud);
        expect_all_back(cloud);
        break;
      }
      if (at % 2 == 0) {  // the same again, then all of it back, which is cut, too
        run(cloud);
        expect_all_given(cloud);
        EXPECT_LE(cloud.uploads, 3);
        cloud.cut_at = cloud.calls + at % 10;
        static_cast<void>(cut([&] { back(cloud); }));
      }
      if (read_giving(folder_.path())) back(cloud);
      expect_all_back(cloud);
    }
  }
}

TEST_F(GivingTest, EverythingThatIsWrongIsToldBeforeAnythingChanges) {
  SmallCloud cloud = world();
  cloud.rows[0]["provision_state"] = "deploying";
  cloud.rows[1]["driver"] = "libvirt";
  cloud.rows[2]["maintenance"] = true;
  cloud.nodes["3"] = {{"provision_state", "active"}};
  cloud.given["3"] = "x";
  cloud.images["i"] = {{"name", "disk"}, {"status", "active"}};
  RealFileSystem().write(folder_.path() / "disk.raw", "another disk", {});
  const std::string story = failure([&] { run(cloud); });
  for (const char* part :
       {"web1 is deploying", "web3: it was given to x", "web2 has the driver libvirt", "web3 is in maintenance",
        "the cloud has a node 3 already", "the cloud has an image disk already", "is not what the seed has registered",
        "--leave NAME"})
    EXPECT_NE(story.find(part), std::string::npos) << part << "\n" << story;
  EXPECT_FALSE(read_giving(folder_.path()));
  EXPECT_EQ(cloud.given.size(), 1U);
}

TEST_F(GivingTest, WhatIsLeftStaysWithTheSeed) {
  SmallCloud cloud = world();
  Giving::Wishes some = wishes();
  some.left = {"web2", "web9"};
  EXPECT_NE(
      failure([&] { Giving(folder_.path(), cloud, clock).run(some); }).find("--leave web9: the seed has no such node"),
      std::string::npos);
  some = wishes();
  some.left = {"web2"};
  Giving(folder_.path(), cloud, clock).run(some);
  EXPECT_EQ(cloud.nodes.size(), 2U);
  EXPECT_FALSE(cloud.given.contains("2"));
}

TEST_F(GivingTest, WhatTheCatalogueLacksIsNamed) {
  SmallCloud cloud = world();
  run(cloud);
  EXPECT_NE(join(cloud.told, "\n").find("the cloud's catalogue has no network service"), std::string::npos);
  EXPECT_NE(join(cloud.told, "\n").find("stacks stay with the seed"), std::string::npos);
  SmallCloud poor = world();
  poor.services = {"image"};
  back(cloud);
  EXPECT_NE(failure([&] { run(poor); }).find("has no baremetal service"), std::string::npos);
}

TEST_F(GivingTest, ANodeThatTheCloudCannotManageIsToldInItsWordsAndTriedAgain) {
  SmallCloud cloud = world();
  cloud.broken = "manage";
  const std::string story = failure([&] { run(cloud); });
  EXPECT_NE(story.find("the cloud's node web1 stays enroll: the BMC says no"), std::string::npos) << story;
  EXPECT_EQ(cloud.given.size(), 1U) << "nodes that were not begun are the seed's";
  cloud.broken.clear();
  cloud.locked = 3;  // passing
  run(cloud);
  expect_all_given(cloud);
}

TEST_F(GivingTest, BackIsCutAnywhereAndNothingIsGivenAgainBehindIt) {
  for (int at = 0;; ++at) {
    SmallCloud cloud = world();
    run(cloud);
    cloud.cut_at = cloud.calls + at;
    if (!cut([&] { back(cloud); })) {
      EXPECT_GT(at, 15);
      break;
    }
    cloud.cut_at = -1;
    const bool has_returned_some = cloud.given.size() < 3 || cloud.nodes.size() < 3;
    if (has_returned_some && read_giving(folder_.path())) {
      EXPECT_NE(failure([&] { run(cloud); }).find("is being called off"), std::string::npos);
    }
    if (read_giving(folder_.path())) back(cloud);
    expect_all_back(cloud);
  }
}

TEST_F(GivingTest, AnotherCloudReturnsNothing) {
  SmallCloud cloud = world();
  run(cloud);
  EXPECT_NE(failure([&] { back(cloud, "http://192.0.2.99:5000"); }).find("does not come back from"), std::string::npos);
  const std::map<std::string, Json> nodes = std::exchange(cloud.nodes, {});  // another region, another project
  EXPECT_NE(failure([&] { back(cloud); }).find("web1 is not there, or not for who asks"), std::string::npos);
  EXPECT_EQ(cloud.given.size(), 3U);
  cloud.nodes = nodes;
  cloud.nodes.erase("2");  // deleted there, as its people know
  std::erase_if(cloud.ports, [](const auto& port) { return port.second["node_uuid"] == "2"; });
  back(cloud, "http://cloud:5000", {"web2"});
  expect_all_back(cloud);
}

TEST_F(GivingTest, AnAdoptionThatFailsIsToldAtOnceAndTriedAgain) {
  SmallCloud cloud = world();
  cloud.broken = "adopt";
  const std::string story = failure([&] { run(cloud); });
  EXPECT_NE(story.find("the cloud's node web1 stays adopt failed: the BMC says no"), std::string::npos) << story;
  cloud.broken.clear();
  run(cloud);
  expect_all_given(cloud);
}

TEST_F(GivingTest, ANodeThatTheCloudDoesNotTakeCanBeLeftOnTheWay) {
  SmallCloud cloud = world();
  cloud.broken = "adopt";
  static_cast<void>(failure([&] { run(cloud); }));
  EXPECT_TRUE(cloud.given.contains("1"));
  Giving::Wishes some = wishes();
  some.left = {"web1"};
  Giving(folder_.path(), cloud, clock).run(some);
  EXPECT_EQ(cloud.given.size(), 2U);
  EXPECT_FALSE(cloud.given.contains("1")) << "it is the seed's again";
  EXPECT_EQ(cloud.nodes.size(), 2U);
  back(cloud);
  expect_all_back(cloud);
}

TEST_F(GivingTest, WhatTheCloudHasUsedIsNotTakenFromIt) {
  SmallCloud cloud = world();
  run(cloud);
  cloud.nodes["2"]["provision_state"] = "deploying";
  EXPECT_NE(failure([&] { back(cloud); }).find("web2 is deploying there"), std::string::npos);
  EXPECT_EQ(cloud.nodes.size(), 3U);
  cloud.nodes["2"]["provision_state"] = "available";
  back(cloud);
  expect_all_back(cloud);
}

TEST_F(GivingTest, WhatTheCloudHasPutOnAMachineOrPromisedIsNotTakenFromIt) {
  const std::vector<std::tuple<std::string, const char*, Json>> changes = {
      {"1", "/instance_info/image_source", "its own"},
      {"1", "/provision_state", "manageable"},  // it was undeployed there
      {"2", "/instance_uuid", "nova's"},
      {"1", "/extra", Json::object()}};  // whose it is can't be told, and two would give it orders
  for (const auto& [uuid, what, value] : changes) {
    SmallCloud cloud = world();
    run(cloud);
    const Json before = cloud.nodes[uuid];
    cloud.nodes[uuid][Json::json_pointer(what)] = value;
    EXPECT_NE(failure([&] { back(cloud); }).find(cat("has used what it got: web", uuid)), std::string::npos) << what;
    EXPECT_EQ(cloud.given.size(), 3U) << what;
    EXPECT_EQ(cloud.nodes.size(), 3U) << what;
    cloud.nodes[uuid] = before;
    back(cloud);
    expect_all_back(cloud);
  }
}

TEST_F(GivingTest, ANodeThatHasChangedSinceTheHandoverBeganIsNotGivenAsItWas) {
  SmallCloud cloud = world();
  cloud.broken = "manage";
  static_cast<void>(failure([&] { run(cloud); }));
  cloud.broken.clear();
  cloud.rows[1]["provision_state"] = "active";
  EXPECT_NE(failure([&] { run(cloud); }).find("it is now otherwise"), std::string::npos);
  EXPECT_EQ(cloud.given.size(), 1U);
  EXPECT_EQ(cloud.nodes.size(), 1U);
  back(cloud);
  expect_all_back(cloud);
}

TEST_F(GivingTest, OnlyTheSeedThatGaveGetsItBackAndWithoutNodesDeletedThere) {
  SmallCloud cloud = world();
  run(cloud);
  const Json rows = cloud.rows;
  cloud.rows = {SmallCloud::seed_node("9", "web1", "active")};
  EXPECT_NE(failure([&] { back(cloud); }).find("the seed has none of the nodes"), std::string::npos);
  EXPECT_EQ(cloud.nodes.size(), 3U);
  cloud.rows = {rows[0], rows[1]};
  back(cloud);
  EXPECT_EQ(cloud.given.erase("3"), 1U) << "a seed was asked for what it does not have";
  expect_all_back(cloud);
}

TEST_F(GivingTest, AnImageThatNobodyComparedIsNotTakenAsWhole) {
  SmallCloud cloud = world();
  cloud.cuts_upload = true;
  ASSERT_TRUE(cut([&] { run(cloud); }));
  cloud.cuts_upload = false;
  run(cloud);
  EXPECT_EQ(cloud.images.size(), 2U);
  for (const auto& [id, image] : cloud.images)
    EXPECT_NE(image["os_hash_value"], hex_digest(HashKind::sha512, "")) << image["name"];
  for (auto& [id, image] : cloud.images) image["status"] = "deactivated";
  GivingJournal journal = *read_giving(folder_.path());
  journal.step = "begun";
  write_giving(folder_.path(), journal);
  EXPECT_NE(failure([&] { run(cloud); }).find("is 'deactivated'"), std::string::npos) << "nodes mean it by that id";
}

TEST_F(GivingTest, WhatIsNoJournalReturnsNothing) {
  for (const char* text : {"{}", "[]", R"({"id": "x", "to": "http://cloud:5000", "step": "given", "left": 5})",
                           R"({"to": "http://cloud:5000", "step": "given", "nodes": [{"uuid": "1"}]})",
                           R"({"id": "x", "to": "http://cloud:5000", "step": "give"})"}) {
    RealFileSystem().write(folder_.path() / "handover.json", text, {});
    SmallCloud cloud = world();
    EXPECT_NE(failure([&] { back(cloud); }).find("is no journal of a handover"), std::string::npos) << text;
    EXPECT_EQ(cloud.calls, 0);
  }
}

TEST_F(GivingTest, WhatIsFinalStays) {
  SmallCloud cloud = world();
  run(cloud);
  EXPECT_TRUE(cloud.for_good.empty());
  run(cloud, true);
  EXPECT_EQ(cloud.for_good.size(), 3U) << "so that the seed can forget them";
  EXPECT_NE(failure([&] { back(cloud); }).find("is final"), std::string::npos);
  expect_all_given(cloud);
  const Json told =
      open_record(read_file(folder_.path() / k_handover_record), "record", frames::public_key_of(k_test_key));
  EXPECT_EQ(told["predicate"]["final"], true);
}

TEST_F(GivingTest, WhatIsMadeFinalIsCutAnywhereAndIsFinalOrComesBack) {
  for (int at = 0;; ++at) {
    SmallCloud cloud = world();
    run(cloud);
    cloud.cut_at = cloud.calls + at;
    const bool was_cut = cut([&] { run(cloud, true); });
    cloud.cut_at = -1;
    if (read_giving(folder_.path())->step == "final") {
      run(cloud, true);
      EXPECT_EQ(cloud.for_good.size(), 3U);
      fs::remove(folder_.path() / "handover.json");
    } else {
      EXPECT_TRUE(cloud.for_good.empty()) << "the seed would not take them back";
      back(cloud);
      expect_all_back(cloud);
    }
    if (was_cut) continue;
    EXPECT_GT(at, 2);
    break;
  }
}

TEST_F(GivingTest, AnotherCloudIsNotGivenWhatIsUnderWay) {
  SmallCloud cloud = world();
  run(cloud);
  Giving::Wishes other = wishes();
  other.to = "http://other:5000";
  EXPECT_NE(failure([&] { Giving(folder_.path(), cloud, clock).run(other); }).find("a handover to http://cloud:5000"),
            std::string::npos);
}

}  // namespace
}  // namespace hearth::bootstrap
