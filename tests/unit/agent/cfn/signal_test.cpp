#include "agent/cfn/signal.hpp"

#include "tests/unit/agent/cfn/cfn_fixture.hpp"

namespace hearth::agent {
namespace {

constexpr const char* k_nova = "http://169.254.169.254/openstack/2012-08-10/meta_data.json";

TEST_F(CfnTest, TheSignalIsPutWithoutAContentType) {
  http_.on("PUT", "https://h/w?Signature=x", 200);
  EXPECT_EQ(
      send_cfn_signal({.url = "https://h/w?Signature=x", .reason = "r", .data = "d", .insecure = true}, "i", world()),
      0);
  EXPECT_EQ(http_.sent.at(0).body, R"({"Status": "SUCCESS", "Reason": "r", "UniqueId": "i", "Data": "d"})");
  EXPECT_FALSE(find_header(http_.sent.at(0).headers, "Content-Type"));
  EXPECT_FALSE(http_.sent.at(0).verify_tls);
}

TEST_F(CfnTest, AnExitCodeWinsOverSuccess) {
  const auto status = [](const CfnSignal& signal) {
    return json(signal_text(signal, "i"))["Status"].get<std::string>();
  };
  EXPECT_EQ(status({}), "SUCCESS");
  EXPECT_EQ(status({.success = "false"}), "FAILURE");
  EXPECT_EQ(status({.success = "True"}), "FAILURE");
  EXPECT_EQ(status({.success = "false", .exit_code = "0"}), "SUCCESS");
  EXPECT_EQ(status({.exit_code = "1"}), "FAILURE");
}

TEST_F(CfnTest, ARefusalAndSilenceAreExitCodes) {
  http_.on("PUT", "http://h/gone", 404);
  EXPECT_EQ(send_cfn_signal({.url = "http://h/gone"}, "i", world()), 22);
  EXPECT_EQ(http_.sent.size(), 1U);
  EXPECT_EQ(send_cfn_signal({.url = "http://h/silent?Signature=topsecret"}, "i", world()), 7);
  EXPECT_FALSE(log_.holds("topsecret"));
}

TEST_F(CfnTest, AServerThatMayBeBetterInAMomentIsAskedAgain) {
  http_.on("PUT", "http://h/busy", 503);
  http_.on("PUT", "http://h/busy", 200);
  EXPECT_EQ(send_cfn_signal({.url = "http://h/busy"}, "i", world()), 0);
  EXPECT_EQ(http_.sent.size(), 2U);
}

TEST_F(CfnTest, TheMachinesIdIsNovasAndIsKept) {
  http_.on("GET", k_nova, 200, R"({"uuid": "u-1", "meta": {}})");
  EXPECT_EQ(instance_id("host", world()), "u-1");
  EXPECT_EQ(instance_id("host", world()), "u-1");
  EXPECT_EQ(http_.sent.size(), 1U);
}

TEST_F(CfnTest, WithoutNovaItIsTheHostName) {
  http_.on("GET", k_nova, 200, "<html>");
  EXPECT_EQ(instance_id("host", world()), "host");
  EXPECT_TRUE(files_.files.empty());
}

}  // namespace
}  // namespace hearth::agent
