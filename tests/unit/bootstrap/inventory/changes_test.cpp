#include "bootstrap/inventory/changes.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

std::string told(const Node& before, const Node& after) {
  std::string text;
  const Json changes = node_changes(before, after);
  for (const Json& change : changes) text += cat(change_text(change), "\n");
  return text;
}

TEST(NodeChanges, eachValueThatBecomesAnotherAndNoneElse) {
  Node before;
  before.name = "web1";
  before.driver = "redfish";
  before.driver_info = {{"redfish_address", "http://192.0.2.9"}, {"port", 443}};
  before.properties = {{"memory_mb", 1024}};
  before.extra = {{"x_seed", {{"rack", "A1"}, {"slot", "4"}}}};
  EXPECT_EQ(node_changes(before, before), Json::array());
  Node after = before;
  after.name = "web2";
  after.driver_info["redfish_address"] = "http://192.0.2.10";
  after.properties["memory_mb"] = 2048;
  after.properties["cpus"] = "4";
  after.extra["x_seed"]["slot"] = "5";
  after.ports.emplace_back().address = "52:54:00:00:00:01";
  EXPECT_EQ(told(before, after),
            "driver_info.redfish_address: http://192.0.2.9 → http://192.0.2.10\n"
            "extra.x_seed.slot: 4 → 5\n"
            "name: web1 → web2\n"
            "port 52:54:00:00:00:01: nothing → 52:54:00:00:00:01\n"
            "properties.cpus: nothing → 4\n"
            "properties.memory_mb: 1024 → 2048\n");
}

TEST(NodeChanges, secretsStayUnseenWhereverTheyStand) {
  Node before;
  before.driver_info = {{"redfish_password", "old-secret"}, {"note", "http://me:old-secret@192.0.2.1/"}};
  before.extra = {{"x_seed", {{"user_data", "old-secret"}}}, {"api_token", "old-secret"}};
  Node after = before;
  after.driver_info = {{"redfish_password", "new-secret"},
                       {"note", "http://me:new-secret@192.0.2.1/x"},
                       {"ipmi_password", "new-secret"}};
  after.extra = {{"x_seed", {{"user_data", {{"users", {{"passwd", "new-secret"}}}}}}}, {"api_token", "new-secret"}};
  const std::string text = told(before, after);
  EXPECT_NE(text.find("driver_info.redfish_password: another one\n"), std::string::npos) << text;
  EXPECT_NE(text.find("driver_info.ipmi_password: is given\n"), std::string::npos) << text;
  EXPECT_EQ(cat(text, node_changes(before, after).dump()).find("-secret"), std::string::npos) << text;
}

}  // namespace
}  // namespace hearth::bootstrap
