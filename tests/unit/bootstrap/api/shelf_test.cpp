#include "bootstrap/api/shelf.hpp"

#include <gtest/gtest.h>

#include "base/sys/random.hpp"
#include "bootstrap/conductor/transition.hpp"

namespace hearth::bootstrap {
namespace {

const Shelf& shelf(const char* path) { return *shelf_at(path); }

template <class Action>
std::string refusal_of(Action action) {
  try {
    action();
  } catch (const Refusal& refusal) {
    return std::to_string(refusal.status()) + " " + refusal.what();
  }
  return "";
}

std::string refused(const char* path, const char* body) {
  return refusal_of([&] { static_cast<void>(new_record(shelf(path), Json::parse(body))); });
}

TEST(Shelf, aNewRecordHasAllFieldsOfItsShelf) {
  const Json made =
      new_record(shelf("portgroups"), Json::parse(R"({"node_uuid": "00000000-0000-0000-0000-000000000001", "address":
      "52-54-00-AB-CD-EF", "standalone_ports_supported": "False"})"));
  EXPECT_EQ(made["mode"], "active-backup");
  EXPECT_EQ(made["address"], "52:54:00:ab:cd:ef");
  EXPECT_EQ(made["standalone_ports_supported"], false);
  EXPECT_EQ(made["name"], nullptr);
  EXPECT_TRUE(parse_uuid(made["uuid"].get<std::string>()));
}

TEST(Shelf, whatHasNotTheFormThatIsExpectedIsRefusedByName) {
  EXPECT_NE(refused("chassis", R"({"colour": 1})").find("400 Schema error for chassis"), std::string::npos);
  EXPECT_NE(refused("volume/targets", R"({"boot_index": 0})").find("'node_uuid' is a required property"),
            std::string::npos);
  for (const char* body : {R"({"description": 5})", R"({"extra": []})", R"({"uuid": "x"})", R"([])"})
    EXPECT_NE(refused("chassis", body), "") << body;
  const std::string long_text(256, 'x');
  EXPECT_NE(refused("chassis", (R"({"description": ")" + long_text + "\"}").c_str()), "");
  EXPECT_NE(refused("volume/targets", R"({"node_uuid": "00000000-0000-0000-0000-000000000001", "boot_index": "0",
      "volume_id": "v", "volume_type": "iscsi"})"),
            "");
  EXPECT_NE(refused("allocations", R"({"traits": ["small"]})"), "");
  EXPECT_NE(refused("allocations", R"({"name": "a b"})").find("invalid name 'a b'"), std::string::npos);
}

TEST(Shelf, stepsOfATemplateAreWholeAndNoneIsThereTwice) {
  const char* good =
      R"({"name": "CUSTOM_A", "steps": [{"interface": "bios", "step": "apply", "args": {}, "priority": "5"}]})";
  EXPECT_EQ(new_record(shelf("deploy_templates"), Json::parse(good))["steps"][0]["priority"], 5);
  for (const char* steps : {R"([])", R"([{"interface": "bios", "step": "a", "args": {}}])",
                            R"([{"interface": "vendor", "step": "a", "args": {}, "priority": 1}])",
                            R"([{"interface": "bios", "step": "a", "args": {}, "priority": -1}])",
                            R"([{"interface": "bios", "step": "a", "args": {}, "priority": 1, "x": 1}])"}) {
    Json body = {{"name", "CUSTOM_A"}, {"steps", Json::parse(steps)}};
    EXPECT_NE(refused("deploy_templates", body.dump().c_str()), "") << steps;
  }
  Json twice = Json::parse(good);
  twice["steps"].push_back(twice["steps"][0]);
  EXPECT_NE(refused("deploy_templates", twice.dump().c_str()).find("Duplicate deploy steps"), std::string::npos);
}

TEST(Shelf, aPatchChangesWhatMayChangeAndNothingElse) {
  const Json made = new_record(shelf("allocations"), Json::parse(R"({"resource_class": "gold", "name": "one"})"));
  const Json changed = patched_record(shelf("allocations"), made, Json::parse(R"([
      {"op": "replace", "path": "/name", "value": "two"}, {"op": "add", "path": "/extra/a", "value": 1}])"));
  EXPECT_EQ(changed["name"], "two");
  EXPECT_EQ(changed["extra"]["a"], 1);
  EXPECT_EQ(refusal_of([&] {
              static_cast<void>(
                  patched_record(shelf("allocations"), made,
                                 Json::parse(R"([{"op": "replace", "path": "/resource_class", "value": "x"}])")));
            }),
            "400 Cannot patch /resource_class. Only the following can be updated: extra, name");
  EXPECT_EQ(patched_record(shelf("allocations"), made, Json::parse(R"([{"op": "remove", "path": "/name"}])"))["name"],
            nullptr);
}

TEST(Shelf, noTwoRecordsShareWhatMustBeUnique) {
  const Json made = new_record(shelf("volume/connectors"),
                               Json::parse(R"({"node_uuid": "00000000-0000-0000-0000-000000000001", "type": "iqn",
      "connector_id": "iqn.x"})"));
  Json other = made;
  other["uuid"] = random_uuid();
  EXPECT_EQ(refusal_of([&] { check_unique(shelf("volume/connectors"), other, {made}); }),
            "409 A volume connector with type iqn and connector ID iqn.x already exists.");
  other["type"] = "wwnn";
  EXPECT_EQ(refusal_of([&] { check_unique(shelf("volume/connectors"), other, {made}); }), "");
  const Json nameless = new_record(shelf("portgroups"), {{"node_uuid", "00000000-0000-0000-0000-000000000001"}});
  Json another = nameless;
  another["uuid"] = random_uuid();
  EXPECT_EQ(refusal_of([&] { check_unique(shelf("portgroups"), another, {nameless}); }), "");
}

TEST(Shelf, secretsOfAVolumeAndOfStepsAreMasked) {
  Json target = {{"uuid", "u"}, {"properties", {{"auth_password", "secret"}, {"target_lun", 1}}}};
  const Json shown = shown_record(shelf("volume/targets"), target, {"http://h", "hearth", 82});
  EXPECT_EQ(shown["properties"], Json::parse(R"({"auth_password": "******", "target_lun": 1})"));
  EXPECT_EQ(shown["links"][0]["href"], "http://h/v1/volume/targets/u");
}

}  // namespace
}  // namespace hearth::bootstrap
