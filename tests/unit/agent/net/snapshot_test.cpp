#include "agent/net/snapshot.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"
#include "tests/fakes/scripted_runner.hpp"

namespace hearth::agent::net {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Snapshot, AddressesAndRoutesComeBackButWhatTheKernelMakesItself) {
  std::vector<std::string> lines;
  for (const Step& step : restore_steps(
           "em1", "2: em1    inet 192.0.2.7/24 brd 192.0.2.255 scope global dynamic em1\\ valid_lft 500sec\n",
           "default via 192.0.2.254 proto dhcp metric 100 \n192.0.2.0/24 proto kernel scope link src 192.0.2.7\n",
           "2001:db8:1::/64 via 2001:db8::1 linkdown\n")) {
    lines.push_back(join(step.argv, " "));
    EXPECT_FALSE(step.must);
  }
  EXPECT_THAT(lines, ElementsAre("ip addr flush dev em1", "ip link set dev em1 up", "ip addr add 192.0.2.7/24 dev em1",
                                 "ip -4 route replace default via 192.0.2.254 proto dhcp metric 100 dev em1",
                                 "ip -6 route replace 2001:db8:1::/64 via 2001:db8::1 dev em1"));
}

TEST(Snapshot, DeviceThatIsNotThereHasNone) {
  fakes::ScriptedRunner runner;
  runner.on("ip", 1);
  EXPECT_THAT(snapshot("em9", runner), IsEmpty());
}

}  // namespace
}  // namespace hearth::agent::net
