#include "agent/net/options.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "tests/unit/agent/net/network_fixture.hpp"

namespace hearth::agent::net {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(NetOptions, DefaultsAreThoseOfTheField) {
  const NetOptions options = parse_net_options({});
  EXPECT_EQ(options.config_file, "/etc/os-net-config/config.yaml");
  EXPECT_EQ(options.mapping_file, "/etc/os-net-config/mapping.yaml");
  EXPECT_TRUE(options.activate && options.network_config && options.fallback_config);
  EXPECT_FALSE(options.noop || options.cleanup || options.report_interfaces || options.check);
}

TEST(NetOptions, TakesTheLineOfOldScripts) {
  const NetOptions options =
      parse_net_options({"-c", "/c.json", "-v", "--detailed-exit-codes", "--cleanup", "-r", "/mnt/"});
  EXPECT_EQ(options.config_file, "/c.json");
  EXPECT_EQ(options.log_level, LogLevel::info);
  EXPECT_TRUE(options.detailed_exit_codes && options.cleanup);
  EXPECT_EQ(options.root, "/mnt");
}

TEST(NetOptions, InterfacesTakesAnyNumberOfNames) {
  EXPECT_THAT(parse_net_options({"-i"}).interfaces, IsEmpty());
  EXPECT_TRUE(parse_net_options({"--interfaces"}).report_interfaces);
  EXPECT_THAT(parse_net_options({"--inter", "nic1", "nic2", "-d"}).interfaces, ElementsAre("nic1", "nic2"));
  EXPECT_THAT(parse_net_options({"--interfaces=nic3"}).interfaces, ElementsAre("nic3"));
}

TEST(NetOptions, CheckTakesAUrlAndATime) {
  const NetOptions options = parse_net_options({"--check", "http://192.0.2.1:8000/v1/", "--check-timeout", "5"});
  EXPECT_EQ(options.check->text(), "http://192.0.2.1:8000/v1/");
  EXPECT_EQ(options.patience, std::chrono::seconds(5));
  EXPECT_THAT(refusal([] { (void)parse_net_options({"--check", "not a url"}); }), HasSubstr("--check: "));
  EXPECT_THAT(refusal([] { (void)parse_net_options({"--check-timeout", "soon"}); }), HasSubstr("--check-timeout"));
}

TEST(NetOptions, OperandsAreRefused) {
  EXPECT_THAT(refusal([] { (void)parse_net_options({"em1"}); }), HasSubstr("unrecognized arguments: em1"));
}

TEST(NetOptions, HelpTellsTheExitCodes) { EXPECT_THAT(net_help(), HasSubstr("2 files changed")); }

}  // namespace
}  // namespace hearth::agent::net
