#include "builder/sandbox/network_watch.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>

#include <cstring>

#include "base/clock.hpp"
#include "base/sys/process.hpp"
#include "tests/unit/builder/in_namespace.hpp"

namespace hearth::builder {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <class Address>
std::string bytes_of(const Address& address) {
  return {reinterpret_cast<const char*>(&address), sizeof address};
}

TEST(NetworkWatch, AnAddressIsOneThatReachesSomebody) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(80);
  ::inet_pton(AF_INET, "192.0.2.1", &four.sin_addr);
  EXPECT_EQ(network_address(bytes_of(four)), "192.0.2.1:80");
  four.sin_port = htons(53);
  EXPECT_EQ(network_address(bytes_of(four)), "");
  four.sin_port = 0;  // how the C library sorts addresses
  EXPECT_EQ(network_address(bytes_of(four)), "");
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(443);
  six.sin6_addr = in6addr_loopback;
  EXPECT_EQ(network_address(bytes_of(six)), "[::1]:443");
  EXPECT_EQ(network_address(bytes_of(six).substr(0, 12)), "");
  EXPECT_EQ(network_address(std::string("\x01\0/run/socket and more", 22)), "") << "a local one";
}

TEST(NetworkWatch, TellsWhichProgramReachedWhatUnlessItIsNoted) {
  HEARTH_NEEDS_NAMESPACES();
  in_namespace([] {
    mount_file_system("proc", "proc", "/proc", 0, "");
    NetworkWatch watch;
    SystemClock clock;
    RealRunner runner(clock);
    const auto after = [&](const std::string& script) {
      Environment env = current_environment();
      env["PATH"] = "/usr/bin:/bin";
      (void)runner.run({.argv = {"bash", "-c", script}, .env = env, .err = hearth::Output::discard});
      return watch.take();
    };
    EXPECT_THAT(after("true"), IsEmpty());
    EXPECT_THAT(after("exec 3<> /dev/tcp/127.0.0.1/9"), ElementsAre("bash reached 127.0.0.1:9"));
    EXPECT_THAT(after("echo x > /dev/udp/127.0.0.1/9"), ElementsAre("bash reached 127.0.0.1:9"));
    EXPECT_THAT(after("python3 -c 'import socket; socket.socket(2, 2).sendto(b\"x\", (\"127.0.0.1\", 9))'"),
                ElementsAre("python3 reached 127.0.0.1:9"));
    EXPECT_THAT(after("python3 -c 'import socket; socket.socket(2, 2).sendmsg([b\"x\"], [], 0, (\"127.0.0.1\", 9))'"),
                ElementsAre("python3 reached 127.0.0.1:9"));
    EXPECT_THAT(after("HEARTH_NOTED=1 bash -c 'exec 3<> /dev/tcp/127.0.0.1/9'"), IsEmpty());
    EXPECT_THAT(after("echo x > /dev/udp/127.0.0.1/53"), IsEmpty());
  });
}

}  // namespace
}  // namespace hearth::builder
