#include "bootstrap/rehearse/redfish_face.hpp"

#include <gtest/gtest.h>

#include "base/hmac.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

/// One machine, on or off, that remembers what was done.
class OneMachine final : public Rack {
 public:
  bool on = false;
  BootOverride boot;
  std::vector<std::string> done;
  [[nodiscard]] std::vector<std::string> names() const override { return {"node1"}; }
  [[nodiscard]] bool is_uefi(const std::string&) const override { return true; }
  [[nodiscard]] bool is_on(const std::string&) override { return on; }
  void switch_on(const std::string&) override { on = true, done.emplace_back("on"); }
  void switch_off(const std::string&) override { on = false, done.emplace_back("off"); }
  void press_button(const std::string&) override { done.emplace_back("button"); }
  void interrupt(const std::string&) override { done.emplace_back("interrupt"); }
  [[nodiscard]] BootOverride boot_override(const std::string&) const override { return boot; }
  void set_boot_override(const std::string&, const BootOverride& wish) override { boot = wish; }
  void inject(const std::string&, FaultKind fault) override { done.emplace_back(name(fault)); }
  void replace_disk(const std::string&) override { done.emplace_back("new disk"); }
};

class Face : public testing::Test {
 protected:
  ServedResponse ask(const std::string& method, const std::string& path, const Json& body = Json(),
                     HttpHeaders headers = {{"Authorization", cat("Basic ", base64_encode("admin:secret"))}}) {
    ServedRequest request;
    request.method = method;
    request.path = path;
    request.headers = std::move(headers);
    if (!body.is_null()) request.body = body.dump();
    return face.answer(request);
  }
  Json shown_system() { return Json::parse(ask("GET", k_system).content()); }
  ServedResponse reset(const char* kind) {
    return ask("POST", cat(k_system, "/Actions/ComputerSystem.Reset"), {{"ResetType", kind}});
  }

  static constexpr const char* k_system = "/redfish/v1/Systems/node1";
  OneMachine rack;
  RedfishFace face{rack, {"admin", "secret"}};
};

TEST_F(Face, onlyTheRootAndLoginAreForEverybody) {
  EXPECT_EQ(ask("GET", "/redfish/v1/", Json(), {}).status, 200);
  EXPECT_EQ(ask("GET", "/redfish/v1/Systems", Json(), {}).status, 401);
  EXPECT_EQ(ask("GET", k_system, Json(), {{"Authorization", "Basic eDp5"}}).status, 401);
  const std::string sessions = "/redfish/v1/SessionService/Sessions";
  EXPECT_EQ(ask("POST", sessions, {{"UserName", "admin"}, {"Password", "x"}}, {}).status, 401);
}

TEST_F(Face, anInterruptGoesToAMachineThatIsOn) {
  EXPECT_EQ(reset("Nmi").status, 409);
  rack.on = true;
  EXPECT_EQ(reset("Nmi").status, 204);
  EXPECT_EQ(rack.done, std::vector<std::string>{"interrupt"});
}

TEST_F(Face, aSessionLastsUntilItIsClosed) {
  const std::string sessions = "/redfish/v1/SessionService/Sessions";
  const ServedResponse opened = ask("POST", sessions, {{"UserName", "admin"}, {"Password", "secret"}}, {});
  ASSERT_EQ(opened.status, 201);
  const HttpHeaders with = {{"X-Auth-Token", find_header(opened.headers, "X-Auth-Token").value()}};
  EXPECT_EQ(ask("GET", k_system, Json(), with).status, 200);
  EXPECT_EQ(ask("DELETE", find_header(opened.headers, "Location").value(), Json(), with).status, 204);
  EXPECT_EQ(ask("GET", k_system, Json(), with).status, 401);
}

TEST_F(Face, theSystemsPowerFollowsResets) {
  EXPECT_EQ(shown_system()["PowerState"], "Off");
  EXPECT_EQ(reset("On").status, 204);
  EXPECT_EQ(shown_system()["PowerState"], "On");
  reset("ForceRestart");
  reset("GracefulShutdown");
  reset("PushPowerButton");
  reset("ForceOff");
  EXPECT_EQ(reset("Nmi").status, 409) << "it is off";
  EXPECT_EQ(reset("Explode").status, 400);
  EXPECT_EQ(rack.done, (std::vector<std::string>{"on", "off", "on", "button", "button", "off"}));
}

TEST_F(Face, theBootDeviceIsChangedWithTheRightTagOnly) {
  const Json wish = {{"Boot", {{"BootSourceOverrideTarget", "Pxe"}, {"BootSourceOverrideEnabled", "Once"}}}};
  const std::string tag = find_header(ask("GET", k_system).headers, "ETag").value();
  const HttpHeaders headers = {{"Authorization", cat("Basic ", base64_encode("admin:secret"))}, {"If-Match", tag}};
  EXPECT_EQ(ask("PATCH", k_system, wish, headers).status, 204);
  EXPECT_EQ(rack.boot, (BootOverride{"Pxe", "Once"}));
  EXPECT_EQ(ask("PATCH", k_system, wish, headers).status, 412);
  EXPECT_EQ(ask("PATCH", k_system, {{"Boot", {{"BootSourceOverrideTarget", "Tape"}}}}).status, 400);
  EXPECT_EQ(ask("PATCH", k_system, {{"Boot", {{"BootSourceOverrideMode", "Legacy"}}}}).status, 400);
  EXPECT_EQ(shown_system()["Boot"]["BootSourceOverrideMode"], "UEFI");
}

TEST_F(Face, faultsAndTheirMendingAreActionsOfOurOwn) {
  EXPECT_EQ(ask("POST", cat(k_system, "/Actions/Oem/Hearth.Fault"), {{"Fault", "dead-disk"}}).status, 204);
  EXPECT_EQ(ask("POST", cat(k_system, "/Actions/Oem/Hearth.Fault"), {{"Fault", "x"}}).status, 400);
  EXPECT_EQ(ask("POST", cat(k_system, "/Actions/Oem/Hearth.ReplaceDisk"), Json::object()).status, 204);
  EXPECT_EQ(rack.done, (std::vector<std::string>{"dead-disk", "new disk"}));
}

TEST_F(Face, aMachineThatIsOffLosesNoPower) {
  const std::string path = cat(k_system, "/Actions/Oem/Hearth.Fault");
  EXPECT_EQ(ask("POST", path, {{"Fault", "power-loss"}}).status, 409);
  EXPECT_TRUE(rack.done.empty());
  rack.on = true;
  EXPECT_EQ(ask("POST", path, {{"Fault", "power-loss"}}).status, 204);
  EXPECT_EQ(rack.done, std::vector<std::string>{"power-loss"});
}

TEST_F(Face, aMachinesOwnShowsNoOther) {
  RedfishFace own{rack, {"root", "calvin"}, "node2"};
  ServedRequest request;
  request.method = "GET";
  request.path = k_system;
  request.headers = {{"Authorization", cat("Basic ", base64_encode("root:calvin"))}};
  EXPECT_EQ(own.answer(request).status, 404);
  request.headers = {{"Authorization", cat("Basic ", base64_encode("admin:secret"))}};
  EXPECT_EQ(own.answer(request).status, 401);
}

TEST_F(Face, whatIsNotThereIsNotFound) {
  EXPECT_EQ(ask("GET", "/redfish/v1/Systems/node9").status, 404);
  EXPECT_EQ(ask("GET", "/elsewhere").status, 404);
  EXPECT_EQ(ask("DELETE", k_system).status, 404);
  EXPECT_EQ(Json::parse(ask("GET", "/redfish/v1/Systems").content())["Members@odata.count"], 1);
}

}  // namespace
}  // namespace hearth::bootstrap
