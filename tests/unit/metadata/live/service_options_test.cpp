#include "metadata/live/service_options.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "base/error.hpp"
#include "base/net/listening.hpp"

namespace hearth::metadata::live {
namespace {

TEST(ServiceOptions, PortsAreThoseGivenAndElseHeats) {
  cli::Arguments arguments;
  arguments.add("cfn-port", "18000");
  const ServicePorts ports = service_ports(arguments, "192.0.2.1");
  EXPECT_EQ(ports.address, "192.0.2.1");
  EXPECT_EQ(ports.cfn, 18000);
  EXPECT_EQ(ports.heat, 8004);
  EXPECT_EQ(port_option(arguments, "port", 6385), 6385);
  for (const char* bad : {"65536", "-1", "x", ""}) {
    arguments.add("port", bad);
    EXPECT_THROW(static_cast<void>(port_option(arguments, "port", 1)), Error) << bad;
  }
}

TEST(ServiceOptions, AFreePortIsKnownBeforeUrlsAreMadeOfIt) {
  cli::Arguments arguments;
  for (const char* option : {"cfn-port", "objects-port", "heat-port", "identity-port"}) arguments.add(option, "0");
  const ServicePorts ports = service_ports(arguments, "127.0.0.1");
  const std::set<std::uint16_t> all = {ports.cfn, ports.objects, ports.heat, ports.identity};
  EXPECT_EQ(all.size(), 4U);
  EXPECT_FALSE(all.contains(0));
  for (const std::uint16_t port : all) EXPECT_THROW((void)listen_on("another", "127.0.0.1", port), Error) << "held";
}

TEST(ServiceOptions, ARequestMayTakeWhatIsGivenAndATenthOfItAtAStretch) {
  cli::Arguments arguments;
  EXPECT_EQ(request_limits(arguments).processor, std::chrono::seconds(30));
  arguments.add("request-seconds", "50");
  arguments.add("request-memory", "200");
  const TrialLimits limits = request_limits(arguments);
  EXPECT_EQ(limits.processor, std::chrono::seconds(50));
  EXPECT_EQ(limits.stretch, std::chrono::seconds(5));
  EXPECT_EQ(limits.memory, std::uint64_t{200} << 20U);
  for (const char* bad : {"0", "-1", "86401", "x", ""}) {
    cli::Arguments wrong;
    wrong.add("request-seconds", bad);
    EXPECT_THROW((void)request_limits(wrong), Error) << bad;
  }
}

TEST(ServiceOptions, UrlsNameTheHostAsUrlsDo) {
  ServicePorts ports;
  ports.objects = 1;
  EXPECT_EQ(public_urls("https", "seed", ports).objects, "https://seed:1");
  EXPECT_EQ(public_urls("http", "2001:db8::1", ports).cfn, "http://[2001:db8::1]:8000");
  EXPECT_EQ(url_host("[2001:db8::1]"), "[2001:db8::1]");
  for (const char* bad : {"", "a b", "http://seed", "seed/x", "a\nb"})
    EXPECT_THROW((void)public_urls("http", bad, ports), Error) << bad;
}

TEST(ServiceOptions, APortIsToldAsOneLineOfThreeWords) {
  testing::internal::CaptureStdout();
  tell_port("cfn", "192.0.2.1", 8000);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "cfn 192.0.2.1 8000\n");
}

}  // namespace
}  // namespace hearth::metadata::live
