#include "agent/net/connectivity.hpp"

#include <gmock/gmock.h>

#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_http.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::agent::net {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

class ConnectivityTest : public testing::Test {
 protected:
  ConnectivityTest() {
    runner.on("ip", [this](const Command& command) {
      const std::string line = join(command.argv, " ");
      if (line == "ip route show default") return CommandResult{Exited{0}, routes, ""};
      if (line.find("neigh") != std::string::npos) return CommandResult{Exited{0}, neighbours, ""};
      return CommandResult{Exited{0}, "", ""};
    });
  }
  std::optional<std::string> disconnection(std::set<std::string> excused = {}) {
    return find_disconnection({*parse_url("http://192.0.2.80/"), std::move(excused), std::chrono::seconds(5)}, probes);
  }
  std::string routes = "default via 192.0.2.254 dev em1\n";
  std::string neighbours = "192.0.2.254 dev em1 lladdr 52:54:00:00:00:01 REACHABLE\n";
  fakes::ManualClock clock;
  fakes::ScriptedHttp http;
  fakes::ScriptedHttp direct;
  fakes::ScriptedRunner runner;
  Probes probes{http, direct, runner, clock};
};

TEST_F(ConnectivityTest, AnyAnswerOfTheUrlIsAnAnswer) {
  http.on("GET", "http://192.0.2.80/", 404);
  EXPECT_EQ(disconnection(), std::nullopt);
}

TEST_F(ConnectivityTest, UrlThatStaysSilentIsTriedUntilPatienceEnds) {
  EXPECT_THAT(disconnection(), Optional(std::string("connecting to 192.0.2.80: Connection refused")));
  EXPECT_GE(http.sent.size(), 5);
}

TEST_F(ConnectivityTest, GatewayMustResolve) {
  http.on("GET", "http://192.0.2.80/", 200);
  neighbours = "192.0.2.254 dev em1 FAILED\n";
  EXPECT_THAT(disconnection(), Optional(std::string("the gateway 192.0.2.254 does not answer")));
  EXPECT_EQ(disconnection({"192.0.2.254"}), std::nullopt) << "it did not answer before";
}

TEST_F(ConnectivityTest, GatewayIsNudgedWithoutProxies) {
  EXPECT_THAT(answering_gateways(probes), ElementsAre("192.0.2.254"));
  ASSERT_EQ(direct.sent.size(), 1);
  EXPECT_EQ(direct.sent[0].url.host, "192.0.2.254");
  EXPECT_THAT(http.sent, IsEmpty());
}

TEST_F(ConnectivityTest, GatewaysAreReadFromRoutes) {
  EXPECT_THAT(parse_gateways("default via 192.0.2.1 dev a proto dhcp\ndefault via fe80::1 dev b\n"
                             "default via 2001:db8::1 dev b metric 5\ndefault dev tun0 scope link\n"),
              ElementsAre("192.0.2.1", "2001:db8::1"));
}

TEST_F(ConnectivityTest, NeighboursWithoutALinkLayerAreThere) {
  EXPECT_TRUE(is_neighbour_there("192.0.2.1 dev tun0 NOARP\n"));
  EXPECT_FALSE(is_neighbour_there(""));
  EXPECT_FALSE(is_neighbour_there("192.0.2.1 dev em1 INCOMPLETE\n"));
}

}  // namespace
}  // namespace hearth::agent::net
