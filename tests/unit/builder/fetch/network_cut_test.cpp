#include "builder/fetch/network_cut.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sys/socket.h>

#include "tests/unit/builder/in_namespace.hpp"

namespace hearth::builder::fetch {
namespace {

TEST(NetworkCut, LeavesLoopbackWithTheProxysPort) {
  HEARTH_NEEDS_NAMESPACES();
  in_namespace([] {
    const Fd listener = cut_network();
    EXPECT_NE(::if_nametoindex("lo"), 0U);
    EXPECT_EQ(::if_nametoindex("eth0"), 0U);
    const Fd client(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(k_proxy_port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    address.sin_addr.s_addr = inet_addr("192.0.2.1");
    const Fd other(::socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_NE(::connect(other.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(errno, ENETUNREACH);
  });
}

TEST(Handover, GivesADescriptorToAnotherProcess) {
  Handover handover = Handover::create();
  EXPECT_EQ(in_child([&] {
              const Pipe pipe = Pipe::create();
              write_all(pipe.write, "hello", "pipe");
              give_descriptor(handover.giver, pipe.read);
              return 0;
            }),
            0);
  const Fd taken = take_descriptor(handover.taker);
  ASSERT_TRUE(taken);
  EXPECT_EQ(read_all(taken, "pipe"), "hello");
}

TEST(Handover, EndsWhenTheGiverGoesAway) {
  Handover handover = Handover::create();
  handover.giver = Fd();
  EXPECT_FALSE(take_descriptor(handover.taker));
}

}  // namespace
}  // namespace hearth::builder::fetch
