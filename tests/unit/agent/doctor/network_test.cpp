#include "tests/unit/agent/doctor/doctor_fixture.hpp"

namespace hearth::agent {
namespace {

class DoctorNetworkTest : public DoctorTest {
 protected:
  DoctorNetworkTest() {
    files_.put("/sys/class/net/lo/operstate", "unknown\n");
    files_.put("/sys/class/net/eth0/operstate", "up\n");
    files_.put("/proc/net/route",
               "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
               "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n");
  }
  CheckResult ask() { return check_network(settings(), world()); }
};

TEST_F(DoctorNetworkTest, AnyAnswerOfTheServerWillDo) { EXPECT_EQ(problems(ask()), ""); }

TEST_F(DoctorNetworkTest, AServerThatDoesNotAnswerIsNamedWithTheReason) {
  http_ = fakes::ScriptedHttp();
  EXPECT_EQ(problems(ask()),
            "no answer from http://heat.example:8000/v1/: connecting to heat.example:8000: Connection refused\n");
}

TEST_F(DoctorNetworkTest, ACertificateThatIsRefusedIsAMatterOfClockAndAuthoritiesNotOfRoutes) {
  http_ = fakes::ScriptedHttp();
  http_.on("GET", "http://heat.example:8000/v1/", [](const HttpRequest&) -> HttpResponse {
    throw Error(ErrorKind::input, "the certificate of heat.example does not hold: certificate has expired");
  });
  const CheckResult found = ask();
  EXPECT_NE(problems(found).find("certificate has expired"), std::string::npos);
  EXPECT_NE(found.problems.at(0).advice.find("compare 'date' with the true time"), std::string::npos);
}

TEST_F(DoctorNetworkTest, AMissingRouteIsAProblemOnlyIfTheServerIsAway) {
  files_.put("/proc/net/route", "");
  EXPECT_EQ(ask().notes, std::vector<std::string>{"there is no default route"});
  http_ = fakes::ScriptedHttp();
  EXPECT_NE(problems(ask()).find("there is no default route"), std::string::npos);
  files_.put("/proc/net/ipv6_route", std::string(32, '0') + " 00 " + std::string(32, '0') +
                                         " 00 fe80000000000000000000000000000a 00000400 1 0 00000003 eth0\n");
  EXPECT_EQ(problems(ask()).find("there is no default route"), std::string::npos);
}

TEST_F(DoctorNetworkTest, WithoutAnInterfaceThereIsNoNetwork) {
  files_.put("/sys/class/net/eth0/operstate", "down\n");
  EXPECT_EQ(problems(ask()), "no network interface is up\n");
}

TEST_F(DoctorNetworkTest, MetadataOfTheImageNeedNoNetwork) {
  files_.put("/etc/os-collect-config.conf", "[DEFAULT]\ncollectors = heat_local\n");
  files_.put("/sys/class/net/eth0/operstate", "down\n");
  EXPECT_EQ(problems(ask()), "");
  EXPECT_TRUE(http_.sent.empty());
}

}  // namespace
}  // namespace hearth::agent
