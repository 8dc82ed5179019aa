#include "tests/unit/metadata/rest/rest_fixture.hpp"

namespace hearth::metadata::live {
namespace {

constexpr const char* k_machines = R"({
  "s": {"role": "server", "name": "node-0", "is_machine": true, "type": "OS::Nova::Server"},
  "t": {"role": "server", "name": "node-1", "is_machine": true, "type": "OS::Nova::Server"},
  "d": {"role": "deployment", "server": "s", "needs": ["s"], "type": "OS::Heat::SoftwareDeployment"}})";

class ServersTest : public RestTest {
 protected:
  ServersTest() {
    engine_ = std::make_unique<Engine>(Engine::World{*repository_, maker_, clock_, log_, true},
                                       PublicUrls{.authority = "PEM"});
  }
};

TEST_F(ServersTest, ServersWaitUntilSomebodySaysThatTheirMachinesAreThere) {
  create("s1", k_machines);
  const std::string place = self("s1") + "/servers";
  const Json rows = get(place)["servers"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["name"], "node-0");
  EXPECT_EQ(rows[0]["status"], "IN_PROGRESS");
  EXPECT_TRUE(rows[0]["is_machine"].get<bool>());
  const std::string first = rows[0]["id"];
  const std::string second = rows[1]["id"];
  const Json boot = get(place + "/" + first)["server"];
  EXPECT_TRUE(boot["os_collect_config"].contains("cfn")) << boot;
  EXPECT_TRUE(boot["user_data"].is_string());
  EXPECT_EQ(boot["authority"], "PEM");
  EXPECT_EQ(send("PUT", place + "/" + first, "{}").status, 400);
  EXPECT_EQ(send("PUT", place + "/nobody", R"({"address": "192.0.2.5"})").status, 404);
  EXPECT_EQ(send("PUT", place + "/" + first, R"({"address": "192.0.2.5"})").status, 200);
  EXPECT_EQ(get(place)["servers"][0]["status"], "COMPLETE");
  EXPECT_EQ(get(place)["servers"][0]["machine"]["first_address"], "192.0.2.5");
  EXPECT_EQ(send("PUT", place + "/" + second, R"({"failure": "no power"})").status, 200);
  EXPECT_EQ(status("s1"), "CREATE_FAILED");
  EXPECT_NE(get(self("s1") + "/resources/t").dump().find("no power"), std::string::npos);
}

}  // namespace
}  // namespace hearth::metadata::live
