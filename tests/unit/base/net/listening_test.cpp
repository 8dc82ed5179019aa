#include "base/net/listening.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/un.h>

#include "base/error.hpp"

namespace hearth {
namespace {

TEST(Listening, TakesAddressesOnly) {
  for (const char* wrong : {"localhost", "127.1", "0x7f000001", "", "seed.example", "127.0.0.1 ", "::g"}) {
    try {
      static_cast<void>(listen_on("api", wrong, 0));
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << wrong;
    }
  }
}

TEST(Listening, TakesAFreePortAndRefusesOneThatIsTaken) {
  const ListeningSocket first = listen_on("api", "127.0.0.1", 0);
  EXPECT_EQ(first.family, AF_INET);
  ASSERT_NE(first.port, 0);
  try {
    static_cast<void>(listen_on("cfn", "127.0.0.1", first.port));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_NE(std::string(error.what()).find("cfn: binding to 127.0.0.1 port"), std::string::npos) << error.what();
  }
}

TEST(Listening, TellsWhoConnects) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  ::inet_pton(AF_INET, "192.0.2.7", &four.sin_addr);
  EXPECT_EQ(peer_text(reinterpret_cast<const sockaddr*>(&four), sizeof four), "192.0.2.7");
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  ::inet_pton(AF_INET6, "2001:db8::7", &six.sin6_addr);
  EXPECT_EQ(peer_text(reinterpret_cast<const sockaddr*>(&six), sizeof six), "2001:db8::7");
  sockaddr_un path{};
  path.sun_family = AF_UNIX;
  EXPECT_EQ(peer_text(reinterpret_cast<const sockaddr*>(&path), sizeof path.sun_family), "local");
}

}  // namespace
}  // namespace hearth
