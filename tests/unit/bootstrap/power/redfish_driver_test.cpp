#include "bootstrap/power/redfish_driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::bootstrap {
namespace {

/// A BMC in the smallest form that DSP0266 allows, with the oddities that a test asks for.
class FakeBmc final : public HttpClient {
 public:
  bool on = false;
  bool sessions = true, wants_strong_tag = false, refuses_continuous = false, says_already = false, down = false;
  int open_sessions = 0, log_ins = 0;
  std::string password = "secret";
  Json boot = {{"BootSourceOverrideEnabled", "Disabled"},
               {"BootSourceOverrideTarget", "None"},
               {"BootSourceOverrideMode", "UEFI"},
               {"BootSourceOverrideTarget@Redfish.AllowableValues", {"None", "Pxe", "Hdd", "Cd"}}};
  std::string media;
  bool has_firmware = true;  ///< says how it is set
  bool secure = false;
  Json bios_more = Json::object();  ///< what its BIOS says besides
  Json bios_wish;                   ///< what was asked of it
  int refuses_patch_with = 0;
  int refuses_reset_with = 0;
  Json system_more = Json::object();  ///< what its system says besides, or in place of what it should
  std::optional<Json> root;           ///< what it answers in place of its root
  Json words = Json();                ///< of its refusals
  int looks_until_off = 0;            ///< so long does it go on after it was told to go off
  std::vector<std::string> seen;
  std::vector<std::string> resets;
  [[nodiscard]] std::size_t patches() const {
    return static_cast<std::size_t>(std::count(seen.begin(), seen.end(), cat("PATCH ", k_system)));
  }

  void says(const std::vector<std::string>& messages) {
    words = {{"error", {{"message", "See ExtendedInfo."}, {"@Message.ExtendedInfo", Json::array()}}}};
    for (const std::string& message : messages)
      words["error"]["@Message.ExtendedInfo"].push_back({{"Message", message}});
  }

  void forget_sessions() {
    open_sessions = 0;
    token_ += "T";
  }

  [[nodiscard]] HttpResponse send(const HttpRequest& request) override {
    if (down) throw Error(ErrorKind::io, "connecting: no route");
    const std::string& path = request.url.path;
    seen.push_back(cat(request.method, " ", path));
    const Json body = request.body.empty() ? Json() : Json::parse(request.body);
    if (path == "/redfish/v1/" && root) return answer(200, *root);
    if (path == "/redfish/v1/") return answer(200, {{"Links", {{"Sessions", {{"@odata.id", k_sessions}}}}}});
    if (path == k_sessions) return log_in(body);
    const bool token = find_header(request.headers, "X-Auth-Token") == token_;
    const bool basic = find_header(request.headers, "Authorization").has_value();
    if (!token && !basic) return answer(401, Json());
    if (request.method == "DELETE") {
      --open_sessions;
      return answer(204, Json());
    }
    if (path == "/redfish/v1/Systems") return answer(200, {{"Members", {{{"@odata.id", k_system}}}}});
    if (path == k_system) return request.method == "PATCH" ? patch(request, body) : system();
    if (path == cat(k_system, "/SecureBoot")) return secure_boot(request.method, body);
    if (path.starts_with(cat(k_system, "/Bios"))) return bios(request, path, body);
    if (path == cat(k_system, "/Reset") || path == cat(k_system, "/Actions/ComputerSystem.Reset"))
      return reset(text_in(body, "ResetType"));
    return manager(path, body);
  }

 private:
  static constexpr const char* k_sessions = "/redfish/v1/SessionService/Sessions";
  static constexpr const char* k_system = "/redfish/v1/Systems/1";
  static HttpResponse answer(int status, const Json& body, HttpHeaders headers = {}) {
    return {status, "", std::move(headers), body.is_null() ? "" : body.dump(), {}};
  }
  HttpResponse log_in(const Json& body) {
    if (!sessions) return answer(405, Json());
    ++log_ins;
    if (text_in(body, "Password") != password) return answer(401, {{"error", {{"message", "bad credentials"}}}});
    ++open_sessions;
    return answer(201, Json::object(),
                  {{"X-Auth-Token", token_}, {"Location", "https://bmc/redfish/v1/SessionService/Sessions/1"}});
  }
  HttpResponse system() {
    if (goes_off_in_ > 0 && --goes_off_in_ == 0) on = false;
    Json body = {{"PowerState", on ? "On" : "Off"},
                 {"Boot", boot},
                 {"Links", {{"ManagedBy", {{{"@odata.id", "/m"}}}}}},
                 {"Actions",
                  {{"#ComputerSystem.Reset",
                    {{"target", cat(k_system, "/Reset")},
                     {"ResetType@Redfish.AllowableValues", {"ForceOn", "ForceOff", "GracefulShutdown"}}}}}}};
    if (has_firmware) {
      for (const char* part : {"SecureBoot", "Bios"}) body[part] = {{"@odata.id", cat(k_system, "/", part)}};
      body["Actions"]["#ComputerSystem.Reset"]["ResetType@Redfish.AllowableValues"].push_back("Nmi");
    }
    if (!system_more.is_object()) return answer(200, system_more);
    body.update(system_more);
    return answer(200, body, {{"ETag", "W/\"5\""}});
  }
  HttpResponse patch(const HttpRequest& request, const Json& body) {
    const std::string tag = find_header(request.headers, "If-Match").value_or("");
    if (refuses_patch_with != 0) return answer(refuses_patch_with, Json());
    if (wants_strong_tag && tag != "\"5\"") return answer(412, Json());
    if (refuses_continuous && body["Boot"]["BootSourceOverrideEnabled"] == "Continuous")
      return answer(400, {{"error", {{"message", "no"}}}});
    boot.update(body["Boot"]);
    return answer(204, Json());
  }
  HttpResponse bios(const HttpRequest& request, const std::string& path, const Json& body) {
    const std::string own = cat(k_system, "/Bios");
    if (path == own + "/Reset") return answer(202, Json());
    if (path == own + "/Settings") {
      if (request.method != "PATCH") return answer(200, Json::object(), {{"ETag", "\"9\""}});
      if (find_header(request.headers, "If-Match") != "\"9\"") return answer(412, Json());
      bios_wish = body;
      return answer(202, Json::object());
    }
    Json told = {{"Attributes", {{"Hyper", "On"}, {"Fans", 3}}}};
    told.update(bios_more);
    return answer(200, told);
  }
  HttpResponse secure_boot(const std::string& method, const Json& body) {
    if (method == "PATCH") secure = body["SecureBootEnable"];
    return answer(200, {{"SecureBootEnable", secure}});
  }
  HttpResponse reset(const std::string& type) {
    resets.push_back(type);
    if (refuses_reset_with != 0) return answer(refuses_reset_with, words);
    if (type == "Nmi") return answer(204, Json());
    if (type != "ForceOn" && looks_until_off > 0) {
      goes_off_in_ = looks_until_off;
    } else {
      on = type == "ForceOn" || type == "On";
    }
    return says_already ? answer(400, Json()) : answer(204, Json());
  }
  HttpResponse manager(const std::string& path, const Json& body) {
    if (path == "/m") return answer(200, {{"VirtualMedia", {{"@odata.id", "/v"}}}});
    if (path == "/v") return answer(200, {{"Members", {{{"@odata.id", "/v/cd"}}}}});
    if (path == "/v/cd") {
      return answer(200, {{"MediaTypes", {"CD"}},
                          {"Inserted", !media.empty()},
                          {"Actions",
                           {{"#VirtualMedia.InsertMedia", {{"target", "/v/cd/in"}}},
                            {"#VirtualMedia.EjectMedia", {{"target", "/v/cd/out"}}}}}});
    }
    if (path == "/v/cd/in" && !media.empty()) return answer(409, Json());  // there is one in it
    media = path == "/v/cd/in" ? text_in(body, "Image") : "";
    return answer(204, Json());
  }
  int goes_off_in_ = 0;
  std::string token_ = "T";
};

class RedfishDriverTest : public ::testing::Test {
 protected:
  RedfishDriverTest() {
    node.driver = "redfish";
    node.driver_info = {{"redfish_address", "bmc"}, {"redfish_username", "admin"}, {"redfish_password", "secret"}};
  }
  PowerFault::Reason reason() {
    try {
      static_cast<void>(driver.state(node));
    } catch (const PowerFault& fault) {
      EXPECT_EQ(std::string(fault.what()).find("secret"), std::string::npos);
      return fault.reason();
    }
    ADD_FAILURE();
    return PowerFault::Reason::failed;
  }
  std::string refusal_of(PowerAction action) {
    try {
      driver.set(node, action);
    } catch (const PowerFault& fault) {
      EXPECT_EQ(fault.reason(), PowerFault::Reason::failed);
      return fault.what();
    }
    return "none";
  }
  FakeBmc bmc;
  fakes::ManualClock clock;
  RedfishDriver driver{bmc, clock};
  Node node;
};

TEST_F(RedfishDriverTest, whatABmcRefusesIsRefusedInItsOwnWords) {
  bmc.says({"A chassis interlock is open.", "A chassis interlock is open.", "Close it."});
  for (const int status : {400, 409, 500}) {
    bmc.refuses_reset_with = status;
    EXPECT_EQ(refusal_of(PowerAction::on), cat("BMC https://bmc: /redfish/v1/Systems/1/Reset: HTTP ", status,
                                               ": A chassis interlock is open. Close it."));
  }
  bmc.on = true;
  for (const PowerAction action : {PowerAction::off, PowerAction::soft_off, PowerAction::reboot})
    EXPECT_NE(refusal_of(action).find("HTTP 500: A chassis"), std::string::npos);
  EXPECT_TRUE(bmc.on);
  EXPECT_EQ(bmc.resets.size(), 6U);  // a reboot does not begin where the machine can't be switched off
}

TEST_F(RedfishDriverTest, aBmcThatRefusesWhatIsSoAlreadyHasDoneIt) {
  bmc.on = true;
  bmc.says_already = true;  // it does it, and says no; its power tells it some seconds late
  bmc.looks_until_off = 4;
  driver.set(node, PowerAction::off);
  EXPECT_FALSE(bmc.on);
}

TEST_F(RedfishDriverTest, theWordsOfABmcAreBoundedAndGiveNoOrders) {
  bmc.refuses_reset_with = 409;
  bmc.says({cat("\x1b[2J\xe2\x80\xae\nno ", std::string(100'000, 'x'))});
  const std::string told = refusal_of(PowerAction::on);
  EXPECT_NE(told.find("409: \\x1b[2J\\u202e\\nno xx"), std::string::npos) << told.substr(0, 200);
  EXPECT_LT(told.size(), 600U);
}

TEST_F(RedfishDriverTest, anAnswerThatIsNoObjectIsTold) {
  for (const Json& other : {Json(), Json("<html>"), Json::array(), Json(5)}) {
    bmc.system_more = other;
    EXPECT_EQ(refusal_of(PowerAction::on),
              "BMC https://bmc: /redfish/v1/Systems/1: the answer is no JSON object: is this a BMC?");
  }
}

TEST_F(RedfishDriverTest, whatHasAnotherFormIsAsIfItWereNotThere) {
  for (const Json& other : {Json(5), Json("x"), Json::array({5})}) {
    bmc.root = Json{{"Links", other}};
    bmc.system_more = {{"Boot", other}, {"Links", other}, {"SecureBoot", other}, {"Bios", other}};
    EXPECT_EQ(driver.firmware(node).boot_mode, std::nullopt);
    EXPECT_EQ(driver.boot_device(node)->device, "");
    bmc.system_more["Actions"] = other;
    bmc.on = false;
    driver.set(node, PowerAction::on);  // by the path that the standard has
    EXPECT_EQ(bmc.resets.back(), "On");
    bmc.resets.clear();
    bmc.on = false;
  }
  bmc.system_more = {{"PowerState", cat("\x1b[2J\n", std::string(100'000, 'x'))}};
  EXPECT_LT(refusal_of(PowerAction::on).size(), 600U);
}

TEST_F(RedfishDriverTest, linksMayBeWholeUrlsButLeadToThisBmcOnly) {
  bmc.root = Json{{"Links", {{"Sessions", {{"@odata.id", "http://192.0.2.9/redfish/v1/SessionService/Sessions"}}}}}};
  EXPECT_EQ(driver.state(node), Power::off);
  EXPECT_EQ(bmc.log_ins, 1);
  bmc.system_more = {{"Actions", {{"#ComputerSystem.Reset", {{"target", "no path"}}}}}};
  EXPECT_EQ(refusal_of(PowerAction::on), "BMC https://bmc names a place that is no path: 'no path'");
}

TEST_F(RedfishDriverTest, aPortOfItsOwnIsAskedAtAndTold) {
  bmc.down = true;
  const auto told = [&](const char* address) {
    node.driver_info["redfish_address"] = address;
    node.driver_info["redfish_port"] = 8443;
    try {
      static_cast<void>(driver.state(node));
    } catch (const PowerFault& fault) {
      return std::string(fault.what());
    }
    return std::string();
  };
  EXPECT_NE(told("bmc").find("BMC https://bmc:8443: "), std::string::npos);
  EXPECT_NE(told("http://[2001:db8::5]/").find("BMC http://[2001:db8::5]:8443: "), std::string::npos);
  EXPECT_NE(told("https://bmc:8000").find("BMC https://bmc:8000: "), std::string::npos);
  EXPECT_NE(told("https://proxy/bmc7").find("BMC https://proxy:8443/bmc7: "), std::string::npos);
}

TEST_F(RedfishDriverTest, switchesByWhatTheSystemAllows) {
  EXPECT_EQ(driver.state(node), Power::off);
  driver.set(node, PowerAction::on);
  EXPECT_TRUE(bmc.on);
  driver.set(node, PowerAction::reboot);
  EXPECT_TRUE(bmc.on);
  driver.set(node, PowerAction::soft_off);
  EXPECT_FALSE(bmc.on);
  EXPECT_EQ(bmc.resets, (std::vector<std::string>{"ForceOn", "ForceOff", "ForceOn", "GracefulShutdown"}));
}

TEST_F(RedfishDriverTest, aSessionIsKeptAndEndedWithTheDriver) {
  {
    RedfishDriver own(bmc, clock);
    for (int look = 0; look < 5; ++look) EXPECT_EQ(own.state(node), Power::off);
    own.set(node, PowerAction::on);
    EXPECT_EQ(bmc.log_ins, 1);
    EXPECT_EQ(bmc.open_sessions, 1);
    node.driver_info["redfish_username"] = "operator";  // another account has its own
    EXPECT_EQ(own.state(node), Power::on);
    EXPECT_EQ(bmc.log_ins, 2);
  }
  EXPECT_EQ(bmc.open_sessions, 0);
}

TEST_F(RedfishDriverTest, aSessionThatTheBmcHasEndedIsReplacedOnce) {
  EXPECT_EQ(driver.state(node), Power::off);
  bmc.forget_sessions();
  EXPECT_EQ(driver.state(node), Power::off);
  driver.set_boot_device(node, "pxe", false);
  EXPECT_EQ(bmc.log_ins, 2);
  bmc.forget_sessions();
  bmc.password = "changed";
  EXPECT_EQ(reason(), PowerFault::Reason::refused);  // and the account is tried once
  EXPECT_EQ(bmc.log_ins, 3);
}

TEST_F(RedfishDriverTest, aDeadBmcDoesNotKeepTheDriverFromEnding) {
  RedfishDriver own(bmc, clock);
  EXPECT_EQ(own.state(node), Power::off);
  bmc.down = true;
}

TEST_F(RedfishDriverTest, aMachineIsStartedAgainOnlyWhenItIsOff) {
  bmc.on = true;
  bmc.looks_until_off = 3;
  driver.set(node, PowerAction::reboot);
  for (int look = 0; look < 5; ++look) EXPECT_EQ(driver.state(node), Power::on);
}

TEST_F(RedfishDriverTest, aBmcThatRefusesUsIsNotAskedTwice) {
  bmc.refuses_patch_with = 401;
  EXPECT_THROW(driver.set_boot_device(node, "pxe", false), PowerFault);
  EXPECT_EQ(bmc.patches(), 1U);
}

TEST_F(RedfishDriverTest, oneStartFromTheNetworkAndTheDiskForGood) {
  node.set_capability("boot_mode", "bios");
  driver.set_boot_device(node, "pxe", false);
  EXPECT_EQ(bmc.boot["BootSourceOverrideTarget"], "Pxe");
  EXPECT_EQ(bmc.boot["BootSourceOverrideEnabled"], "Once");
  EXPECT_EQ(bmc.boot["BootSourceOverrideMode"], "Legacy");
  driver.set_boot_device(node, "disk", true);
  EXPECT_EQ(bmc.boot["BootSourceOverrideEnabled"], "Continuous");
  EXPECT_THROW(driver.set_boot_device(node, "bios", false), PowerFault);  // not among what it allows
}

TEST_F(RedfishDriverTest, bootModeAndSecureBootAreSetAndTold) {
  driver.set_boot_mode(node, "bios");
  EXPECT_EQ(bmc.boot["BootSourceOverrideMode"], "Legacy");
  try {
    driver.set_secure_boot(node, true);
    ADD_FAILURE();
  } catch (const PowerFault& fault) {
    EXPECT_EQ(fault.what(), cat("Configuring secure boot requires UEFI for node ", node.uuid));
  }
  driver.set_boot_mode(node, "uefi");
  const std::size_t before = bmc.patches();
  driver.set_boot_mode(node, "uefi");  // it is so: nothing to change
  EXPECT_EQ(bmc.patches(), before);
  driver.set_secure_boot(node, true);
  const Firmware found = driver.firmware(node);
  EXPECT_EQ(found.boot_mode, "uefi");
  EXPECT_EQ(found.secure_boot, true);
  EXPECT_EQ(found.settings, (std::map<std::string, Json>{{"Hyper", "On"}, {"Fans", 3}}));
}

TEST_F(RedfishDriverTest, anInterruptIsSentAndNoAnswerButYesIsTakenForOne) {
  driver.inject_nmi(node);
  EXPECT_EQ(bmc.resets, std::vector<std::string>{"Nmi"});
}

TEST_F(RedfishDriverTest, whatABmcDoesNotHaveIsToldAsThat) {
  bmc.has_firmware = false;
  bmc.boot.erase("BootSourceOverrideMode");
  const auto reason_of = [&](const std::function<void()>& call) {
    try {
      call();
    } catch (const PowerFault& fault) {
      return fault.reason();
    }
    return PowerFault::Reason::failed;
  };
  EXPECT_EQ(reason_of([&] { driver.inject_nmi(node); }), PowerFault::Reason::unsupported);
  EXPECT_EQ(reason_of([&] { driver.set_boot_mode(node, "uefi"); }), PowerFault::Reason::unsupported);
  EXPECT_EQ(reason_of([&] { driver.set_secure_boot(node, true); }), PowerFault::Reason::unsupported);
  const Firmware found = driver.firmware(node);
  EXPECT_FALSE(found.boot_mode || found.secure_boot);
  EXPECT_TRUE(found.settings.empty());
  EXPECT_TRUE(bmc.resets.empty());
}

TEST_F(RedfishDriverTest, theBootDeviceIsTheBmcsOwnWord) {
  EXPECT_EQ(driver.boot_device(node)->device, "");
  driver.set_boot_device(node, "pxe", true);
  EXPECT_EQ(driver.boot_device(node)->device, "pxe");
  EXPECT_TRUE(driver.boot_device(node)->persistent);
  bmc.boot["BootSourceOverrideTarget"] = "Hdd";  // somebody at its page
  bmc.boot["BootSourceOverrideEnabled"] = "Once";
  EXPECT_EQ(driver.boot_device(node)->device, "disk");
  EXPECT_FALSE(driver.boot_device(node)->persistent);
}

TEST_F(RedfishDriverTest, theOdditiesOfBmcsAreBorne) {
  bmc.wants_strong_tag = true;
  driver.set_boot_device(node, "pxe", false);
  EXPECT_EQ(bmc.boot["BootSourceOverrideTarget"], "Pxe");
  bmc.wants_strong_tag = false;
  bmc.refuses_continuous = true;
  driver.set_boot_device(node, "disk", true);
  EXPECT_EQ(bmc.boot["BootSourceOverrideEnabled"], "Once");
  bmc.says_already = true;
  driver.set(node, PowerAction::on);
  EXPECT_TRUE(bmc.on);
  bmc.sessions = false;
  EXPECT_EQ(driver.state(node), Power::on);  // with Basic credentials
}

TEST_F(RedfishDriverTest, virtualMediaAreInsertedAnew) {
  node.driver_info["redfish_virtual_media"] = "http://192.0.2.1/deploy.iso";
  bmc.media = "old";
  driver.set_boot_device(node, "cdrom", false);
  EXPECT_EQ(bmc.media, "http://192.0.2.1/deploy.iso");
  EXPECT_EQ(bmc.boot["BootSourceOverrideTarget"], "Cd");
}

TEST_F(RedfishDriverTest, failuresHaveTheirReason) {
  bmc.down = true;
  EXPECT_EQ(reason(), PowerFault::Reason::unreachable);
  bmc.down = false;
  node.driver_info["redfish_password"] = "wrong";
  EXPECT_EQ(reason(), PowerFault::Reason::refused);
  EXPECT_THROW(static_cast<void>(redfish_power({{"PowerState", "Paused"}})), PowerFault);
  EXPECT_EQ(redfish_power({{"PowerState", "PoweringOn"}}), Power::on);
  EXPECT_EQ(redfish_power({{"PowerState", "PoweringOff"}}), Power::off);
  EXPECT_EQ(redfish_power({{"PowerState", "Off"}}), Power::off);
  EXPECT_EQ(allowed_reset(Json::object(), {"On"}), "On");
  EXPECT_EQ(driver.missing(Node()).size(), 1U);
}

TEST_F(RedfishDriverTest, biosSettingsGoToTheirOwnResourceForTheNextStart) {
  const std::string own = "/redfish/v1/Systems/1/Bios";
  bmc.bios_more = {{"@Redfish.Settings",
                    {{"SettingsObject", {{"@odata.id", own + "/Settings"}}}, {"SupportedApplyTimes", {"OnReset"}}}},
                   {"Actions", {{"#Bios.ResetBios", {{"target", own + "/Reset"}}}}}};
  driver.set_bios(node, {{"Hyper", "Off"}});
  EXPECT_EQ(bmc.bios_wish, Json::parse(R"({"Attributes": {"Hyper": "Off"}, "@Redfish.SettingsApplyTime":
    {"@odata.type": "#Settings.v1_0_0.PreferredApplyTime", "ApplyTime": "OnReset"}})"));
  bmc.bios_wish = nullptr;
  EXPECT_THROW(driver.set_bios(node, {{"Hyper", "On"}, {"Hypre", "On"}}), PowerFault);
  EXPECT_TRUE(bmc.bios_wish.is_null()) << "one wrong name, and nothing is asked for";
  driver.reset_bios(node);
  EXPECT_EQ(bmc.seen.back(), cat("POST ", own, "/Reset"));
}

TEST_F(RedfishDriverTest, aBmcWithoutBiosSettingsSaysSo) {
  const auto refused = [&](auto action) {
    try {
      action();
    } catch (const PowerFault& fault) {
      return fault.reason() == PowerFault::Reason::unsupported;
    }
    return false;
  };
  EXPECT_TRUE(refused([&] { driver.set_bios(node, {{"Hyper", "Off"}}); })) << "they are shown only";
  EXPECT_TRUE(refused([&] { driver.reset_bios(node); }));
  bmc.has_firmware = false;
  EXPECT_TRUE(refused([&] { driver.set_bios(node, {{"Hyper", "Off"}}); }));
}

}  // namespace
}  // namespace hearth::bootstrap
