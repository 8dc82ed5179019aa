#include "base/net/inner_address.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/fakes/no_threads.hpp"

namespace hearth {
namespace {

std::string_view kind_of(const std::string& host) {
  return inner_kind(look_up(host, 80, Deadline::never(), SystemClock()).front());
}

TEST(InnerAddress, KnowsWhatAMachineKeepsToItself) {
  for (const char* host : {"127.0.0.1", "127.255.0.1", "0.0.0.0", "0.1.2.3", "::1", "::", "::ffff:127.0.0.1",
                           "64:ff9b::7f00:1", "localhost", "x.localhost"}) {
    EXPECT_EQ(kind_of(host), "loopback") << host;
  }
  for (const char* host : {"169.254.169.254", "169.254.0.1", "fe80::1", "febf::1", "::ffff:169.254.169.254"}) {
    EXPECT_EQ(kind_of(host), "link-local") << host;
  }
  for (const char* host : {"100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254"}) {
    EXPECT_EQ(kind_of(host), "cloud metadata") << host;
  }
}

TEST(InnerAddress, LeavesAllOthersAlone) {
  for (const char* host : {"128.0.0.1", "126.255.255.255", "10.0.0.1", "192.168.1.1", "169.253.0.1", "100.100.100.201",
                           "2001:db8::1", "fec0::1", "fd00:ec2::253", "::2", "::ffff:10.0.0.1"}) {
    EXPECT_EQ(kind_of(host), "") << host;
  }
}

TEST(InnerAddress, IsToldInDigits) {
  const auto text = [](const std::string& host) {
    return address_text(look_up(host, 80, Deadline::never(), SystemClock()).front());
  };
  EXPECT_EQ(text("127.1"), "127.0.0.1");
  EXPECT_EQ(text("0:0::1"), "::1");
}

TEST(LookUp, WithoutRoomForAThreadItFailsAsNetworksDo) {
  const fakes::NoThreads none;
  try {
    (void)look_up("host.invalid", 80, Deadline::never(), SystemClock());
    FAIL() << "it has been looked up";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_NE(std::string(error.what()).find("looking up host.invalid: starting a thread"), std::string::npos);
  }
}

}  // namespace
}  // namespace hearth
