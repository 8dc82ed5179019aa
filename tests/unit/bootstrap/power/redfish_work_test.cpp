// Volumes, firmware and tasks of a BMC: what is asked of it, and how its answers are read.
#include <gmock/gmock.h>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "bootstrap/power/redfish_driver.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::bootstrap {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* k_root = "/redfish/v1";
constexpr const char* k_storage = "/redfish/v1/Systems/1/Storage/C1";

/// Things by their path, and what is answered where something is asked of it.
class FakeService final : public HttpClient {
 public:
  std::map<std::string, Json> things;
  std::map<std::string, HttpResponse> orders;  ///< by "METHOD path"
  std::vector<std::pair<std::string, Json>> seen;
  std::string file;  ///< what lies at http://192.0.2.1/fw
  std::function<void()> takes = [] {};
  int asked = 0;

  FakeService() {
    const auto link = [](const std::string& path) { return Json{{"@odata.id", path}}; };
    things[cat(k_root, "/")] = {{"UpdateService", link("/u")}};
    things["/u"] = {{"Actions", {{"#UpdateService.SimpleUpdate", {{"target", "/u/go"}}}}}};
    things[cat(k_root, "/Systems")] = {{"Members", {link("/redfish/v1/Systems/1")}}};
    things["/redfish/v1/Systems/1"] = {{"Storage", link("/s")},
                                       {"BiosVersion", "1.0"},
                                       {"Links", {{"ManagedBy", {link("/m")}}, {"Chassis", {link("/c")}}}}};
    things["/m"] = {{"FirmwareVersion", "2.0\nx"}};
    things["/c"] = {{"NetworkAdapters", link("/n")}};
    things["/n"] = {{"Members", {link("/n/1")}}};
    things["/n/1"] = {{"Id", "1"}, {"Controllers", {{{"FirmwarePackageVersion", "3.0"}}}}};
    things["/s"] = {{"Members", {link(k_storage), link("/s/plain")}}};
    things["/s/plain"] = {{"Id", "P"}, {"StorageControllers", {{{"SupportedRAIDTypes", Json::array()}}}}};
    things[k_storage] = {{"@odata.id", k_storage},
                         {"Id", "C1"},
                         {"Volumes", link("/v")},
                         {"Drives", {link("/d/1"), link("/d/2"), link("/d/3"), link("/d/gone")}}};
    things["/d/1"] = drive("1", 100);
    things["/d/2"] = drive("2", 100);
    things["/d/3"] = drive("3", 100);
    things["/d/3"]["HotspareType"] = "Global";
    things["/v"] = {{"Members", {link("/v/1"), link("/v/raw")}}};
    things["/v/1"] = {{"@odata.id", "/v/1"},
                      {"Id", "1"},
                      {"Name", "root"},
                      {"RAIDType", "RAID1"},
                      {"CapacityBytes", 50},
                      {"Links", {{"Drives", {link("/d/1")}}}},
                      {"Identifiers", {{{"DurableNameFormat", "NAA"}, {"DurableName", "NAA.6000A"}}}}};
    things["/v/raw"] = {{"@odata.id", "/v/raw"}, {"Id", "raw"}};
  }
  [[nodiscard]] HttpResponse send(const HttpRequest& request) override {
    if (request.url.host == "192.0.2.1") {
      request.sink->take(file);
      return {file.empty() ? 404 : 200, "", {}, "", {}};
    }
    takes();
    ++asked;
    const Json body = request.body.empty() ? Json() : Json::parse(request.body);
    const std::string what = cat(request.method, " ", request.url.path);
    if (request.method != "GET") seen.emplace_back(what, body);
    if (orders.contains(what)) return orders[what];
    if (request.method == "GET" && things.contains(request.url.path))
      return {200, "", {}, things[request.url.path].dump(), {}};
    return {404, "", {}, "", {}};
  }
  void times(const Json& values) { things["/v"]["@Redfish.OperationApplyTimeSupport"] = {{"SupportedValues", values}}; }
  static Json drive(const std::string& id, int bytes) {
    return {
        {"@odata.id", cat("/d/", id)}, {"Id", id}, {"CapacityBytes", bytes}, {"MediaType", "SSD"}, {"Protocol", "SAS"}};
  }
};

class RedfishWorkTest : public testing::Test {
 protected:
  RedfishWorkTest() {
    node.driver = "redfish";
    node.driver_info = {{"redfish_address", "bmc"}};
  }
  std::string refusal(const std::function<void()>& deed) {
    try {
      deed();
    } catch (const PowerFault& fault) {
      return fault.what();
    }
    return "";
  }
  FakeService bmc;
  fakes::ManualClock clock;
  RedfishDriver driver{bmc, clock};
  Node node;
};

TEST_F(RedfishWorkTest, drivesVolumesAndControllersAreReadAsFarAsTheyMakeVolumes) {
  const RaidHardware found = driver.raid(node);
  ASSERT_EQ(found.controllers.size(), 1U) << "one that makes no volumes is left out";
  ASSERT_EQ(found.drives.size(), 2U) << "neither a spare nor one that is not there";
  EXPECT_EQ(found.drives[0].media, "SSD");
  ASSERT_EQ(found.volumes.size(), 1U) << "a plain drive is no volume";
  EXPECT_EQ(found.volumes[0].wwn, "0x6000a");
  EXPECT_EQ(found.volumes[0].drives, std::vector<std::string>{"/d/1"});
}

TEST_F(RedfishWorkTest, aBmcWhosePartsComeToNoEndIsLeftAndItsWordsAreOneLine) {
  bmc.things["/v/1"]["RAIDType"] = "RAID1\n# Hearth: all is well";
  bmc.things[k_storage]["Id"] = "C1\nC2";
  const RaidHardware found = driver.raid(node);
  EXPECT_EQ(found.volumes.at(0).raid_type, "RAID1\\n# Hearth: all is well");
  EXPECT_EQ(found.controllers.at(0).id, "C1\\nC2");
  for (int i = 0; i < 500; ++i) bmc.things[k_storage]["Drives"].push_back({{"@odata.id", "/d/1"}});
  bmc.takes = [this] { clock.advance(std::chrono::seconds(59)); };
  EXPECT_THAT(refusal([&] { static_cast<void>(driver.raid(node)); }), HasSubstr("took more than ten minutes to tell"));
  EXPECT_LT(bmc.asked, 80);
}

TEST_F(RedfishWorkTest, aVolumeIsAskedForAtOnceWhereThatCanBeElseForTheNextStart) {
  const VolumeWish wish{.controller = "C1", .raid_type = "RAID1", .name = "r", .bytes = 7, .drives = {"/d/1", "/d/2"}};
  bmc.orders["POST /v"] = {201, "", {}, "{}", {}};
  bmc.times({"OnReset", "Immediate"});
  EXPECT_FALSE(driver.create_volume(node, wish).at_start);
  EXPECT_EQ(bmc.seen.back().second, Json::parse(R"({"RAIDType": "RAID1",
    "Links": {"Drives": [{"@odata.id": "/d/1"}, {"@odata.id": "/d/2"}]}, "CapacityBytes": 7, "Name": "r", "@Redfish.OperationApplyTime": "Immediate"})"));
  bmc.times({"OnReset"});
  bmc.orders["POST /v"] = {202, "", {{"Location", "https://bmc/t/1/Monitor"}}, "{}", {}};
  const BmcOrder order = driver.create_volume(node, wish);
  EXPECT_TRUE(order.at_start);
  EXPECT_EQ(order.task, "/t/1/Monitor");
  bmc.orders["DELETE /v/1"] = {202, "", {}, R"({"@odata.id": "/t/2"})", {}};
  EXPECT_EQ(driver.delete_volume(node, driver.raid(node).volumes[0]).task, "/t/2");
  EXPECT_EQ(bmc.seen.back().second, (Json{{"@Redfish.OperationApplyTime", "OnReset"}}));
  bmc.orders["POST /v"] = {400, "", {}, R"({"error": {"message": "no licence"}})", {}};
  EXPECT_THAT(refusal([&] { driver.create_volume(node, wish); }), HasSubstr("/v: HTTP 400: no licence"));
}

TEST_F(RedfishWorkTest, aTaskIsReadByItsMonitorAndByItself) {
  const auto told = [&](int status, const char* body) {
    bmc.orders["GET /t"] = {status, "", {}, body, {}};
    return driver.task(node, "/t");
  };
  EXPECT_TRUE(told(202, "").running);
  EXPECT_TRUE(told(200, R"({"TaskState": "Pending"})").rests);
  EXPECT_TRUE(told(200, R"({"TaskState": "Running"})").running);
  EXPECT_FALSE(told(204, "").running);
  EXPECT_EQ(told(200, R"({"TaskState": "Completed", "TaskStatus": "Warning"})").fault, "");
  EXPECT_FALSE(told(404, "").running) << "it was done, and is forgotten";
  EXPECT_EQ(told(200, R"({"TaskState": "Exception", "Messages": [{"Message": "disk\n2 broke"}]})").fault,
            "its BMC's task /t ended as Exception: disk\\n2 broke");
  EXPECT_THAT(told(200, R"({"TaskState": "Completed", "TaskStatus": "Critical"})").fault, HasSubstr("Completed"));
  EXPECT_THAT(told(400, R"({"error": {"message": "no"}})").fault, HasSubstr("HTTP 400: no"));
  for (const int passing : {503, 429, 401})
    EXPECT_NE(refusal([&] { static_cast<void>(told(passing, "")); }), "") << passing << ": asked again";
}

TEST_F(RedfishWorkTest, ordersThatABmcKnowsOfAreTold) {
  EXPECT_TRUE(driver.tasks(node).empty()) << "it has no such service";
  bmc.things["/redfish/v1/"]["Tasks"] = {{"@odata.id", "/ts"}};
  bmc.things["/ts"] = {{"Tasks", {{"@odata.id", "/ts/t"}}}};
  bmc.things["/ts/t"] = {{"Members", {{{"@odata.id", "/ts/t/1"}}, {{"@odata.id", "/ts/t/2"}}}}};
  bmc.things["/ts/t/2"] = {{"TaskState", "Running"}, {"Payload", {{"TargetUri", "/u/SimpleUpdate"}}}};
  EXPECT_EQ(driver.tasks(node), (std::vector<std::string>{"/ts/t/1", "/ts/t/2"}));
  EXPECT_EQ(driver.task(node, "/ts/t/2").of, "/u/SimpleUpdate");
}

TEST_F(RedfishWorkTest, firmwareIsToldOfAllPartsAndFetchedByTheBmc) {
  const Firmware found = driver.firmware(node);
  ASSERT_EQ(found.parts.size(), 3U);
  EXPECT_EQ(found.parts[1].version, "2.0\\nx") << "one line";
  EXPECT_EQ(found.parts[2].component, "nic:1");
  bmc.orders["POST /u/go"] = {202, "", {{"Location", "/t/9"}}, "", {}};
  EXPECT_EQ(driver.update_firmware(node, {"http://192.0.2.1/fw", ""}).task, "/t/9");
  EXPECT_EQ(bmc.seen.back().second, (Json{{"ImageURI", "http://192.0.2.1/fw"}}));
  bmc.things[cat(k_root, "/Systems")]["Members"].push_back({{"@odata.id", "/redfish/v1/Systems/2"}});
  node.driver_info["redfish_system_id"] = "/redfish/v1/Systems/1";
  static_cast<void>(driver.update_firmware(node, {"http://192.0.2.1/fw", ""}));
  EXPECT_EQ(bmc.seen.back().second["Targets"], Json({"/redfish/v1/Systems/1"}));
  bmc.things.erase("/u");
  EXPECT_THAT(refusal([&] {
                driver.update_firmware(node, {"http://192.0.2.1/fw", ""});
              }),
              HasSubstr("does not support firmware"));
}

TEST_F(RedfishWorkTest, aFileWithAnotherChecksumIsNotGivenToTheBmc) {
  bmc.orders["POST /u/go"] = {204, "", {}, "", {}};
  bmc.file = "firmware";
  EXPECT_EQ(driver.update_firmware(node, {"http://192.0.2.1/fw", hex_digest(HashKind::sha256, "firmware")}).task, "");
  const std::size_t told = bmc.seen.size();
  const std::string wrong = hex_digest(HashKind::sha1, "another");
  EXPECT_THAT(refusal([&] {
                driver.update_firmware(node, {"http://192.0.2.1/fw", wrong});
              }),
              HasSubstr(cat("checksums do not match. Expected: ", wrong)));
  EXPECT_THAT(refusal([&] { driver.update_firmware(node, {"http://192.0.2.1/fw", "12"}); }), HasSubstr("is no SHA-1"));
  bmc.file.clear();
  EXPECT_THAT(refusal([&] { driver.update_firmware(node, {"http://192.0.2.1/fw", wrong}); }), HasSubstr("HTTP 404"));
  EXPECT_THAT(refusal([&] {
                driver.update_firmware(node, {"http://me:hidden@192.0.2.1/fw?token=hidden", wrong});
              }),
              AllOf(HasSubstr("192.0.2.1/fw"), Not(HasSubstr("hidden"))));
  EXPECT_EQ(bmc.seen.size(), told);
}

}  // namespace
}  // namespace hearth::bootstrap
