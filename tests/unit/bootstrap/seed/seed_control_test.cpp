#include "bootstrap/seed/seed_control.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::bootstrap {
namespace {

TEST(SeedLines, areWhatTheServicesSayAndTheirLastWords) {
  const std::string console =
      "[  OK  ] Started x.\r\n\x1b[0mhearth-seed: hearth-node ended:\r\nanother DHCP server answers: 192.0.2.9\r\n\r\n"
      "one more word\r\nhearth-seed: ready\r\nlogin: \r\n";
  const std::vector<std::string> lines = seed_lines(console);
  ASSERT_EQ(lines.size(), 4U) << join(lines, "|");
  EXPECT_EQ(lines[0], "hearth-seed: hearth-node ended:");
  EXPECT_EQ(lines[1], "  another DHCP server answers: 192.0.2.9");
  EXPECT_EQ(lines[2], "  one more word");
  EXPECT_EQ(lines[3], "hearth-seed: ready");
}

TEST(SeedTap, fitsAnInterfacesName) { EXPECT_EQ(seed_tap({"52:54:00:aa:bb:fe", "52:54:00:aa:bb:ff"}), "hseed-aabbff"); }

TEST(SeedControl, withoutABridgeNothingIsStartedAndTheWayToOneIsTold) {
  const TempDir home = TempDir::create(fs::temp_directory_path(), "seed.");
  fakes::ScriptedRunner runner;
  SystemClock clock;
  SeedControl control(home.path(), runner, clock);
  EXPECT_FALSE(control.is_up());
  try {
    control.start({}, "no-such-br");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.story().find("there is no bridge no-such-br"), std::string::npos);
    EXPECT_NE(error.story().find("ip link add no-such-br type bridge"), std::string::npos);
  }
  try {
    control.start({}, "lo");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.story().find("no bridge, but an ordinary interface: lo"), std::string::npos);
  }
  EXPECT_TRUE(runner.ran.empty());
  EXPECT_FALSE(control.stop(Duration::zero(), "t0"));
  EXPECT_THROW(control.wait_until_ready(Deadline::never(), [](const std::string&) {}), Error);
  EXPECT_THROW(control.console(), Error);
}

}  // namespace
}  // namespace hearth::bootstrap
