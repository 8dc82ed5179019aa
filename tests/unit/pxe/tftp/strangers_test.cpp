#include "pxe/tftp/strangers.hpp"

#include <gmock/gmock.h>

#include "tests/unit/pxe/tftp/loopback.hpp"

namespace hearth::pxe::tftp {
namespace {

using namespace std::string_view_literals;
using testing::ElementsAre;

TEST(TftpStrangers, AreToldThatTheTransferIsNotTheirsWhileItsClientIsHeard) {
  fakes::ManualClock clock;
  Reactor reactor(clock);
  const Fd client = open_udp({k_loopback, 0});
  const Fd socket = open_udp({k_loopback, 0});
  const Endpoint at = local_endpoint(socket);
  const Strangers strangers(reactor, socket, local_endpoint(client));

  Client stranger;
  stranger.send(at, "\0\4\0\1"sv);
  reactor.run_once({});
  EXPECT_THAT(stranger.take(), ElementsAre("\0\5\0\5Unknown transfer\0"sv));

  ASSERT_TRUE(send_to(client, at, "mine"));
  reactor.run_once({});
  std::array<char, 16> buffer{};
  const auto heard = receive(socket, buffer);
  ASSERT_TRUE(heard);
  EXPECT_EQ(std::string_view(buffer.data(), heard->size), "mine");
  EXPECT_FALSE(receive(socket, buffer)) << "the stranger's packet came here too";
}

TEST(TftpStrangers, LeaveThePortFreeWhenTheTransferHasEnded) {
  fakes::ManualClock clock;
  Reactor reactor(clock);
  const Fd client = open_udp({k_loopback, 0});
  Endpoint at;
  {
    const Fd socket = open_udp({k_loopback, 0});
    at = local_endpoint(socket);
    const Strangers strangers(reactor, socket, local_endpoint(client));
  }
  EXPECT_EQ(local_endpoint(open_udp(at)).port, at.port);
}

}  // namespace
}  // namespace hearth::pxe::tftp
