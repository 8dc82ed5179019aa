#include "metadata/serve/peer_notes.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::metadata {
namespace {

class PeerNotesTest : public testing::Test, public AccessLog {
 protected:
  void record(const AccessRecord&) noexcept override { ++passed_; }
  void asks(const std::string& peer, const std::string& listener, int status, const std::string& path = "/v1/") {
    ServedRequest request;
    request.method = "GET";
    request.path = path;
    request.peer = peer;
    notes_.record({listener, request, status});
  }
  std::string told(const std::string& address = "", std::int64_t since = 0) {
    return notes_.told(address, since, [](const std::string& peer) { return peer == "192.0.2.1"; });
  }
  int passed_ = 0;
  fakes::ManualClock clock_;
  PeerNotes notes_{*this, clock_};
};

TEST_F(PeerNotesTest, WhatAMachineWasRefusedIsToldUntilItGetsSomething) {
  asks("192.0.2.7", "cfn", 404, "/v2/");
  clock_.advance(std::chrono::seconds(5));
  EXPECT_EQ(told("192.0.2.7"), "192.0.2.7 is refused (HTTP 404 to GET /v2/ of cfn), 5 s ago");
  EXPECT_EQ(told("192.0.2.8"), "");
  EXPECT_EQ(told(), told("192.0.2.7")) << "nobody knows whose it is";
  EXPECT_EQ(told("192.0.2.7", 1LL << 40U), "") << "the machine has asked since";
  asks("192.0.2.7", "cfn", 304);
  EXPECT_EQ(told(), "");
  EXPECT_EQ(passed_, 2) << "all of it is for the audit log, too";
}

TEST_F(PeerNotesTest, PeoplesMistakesAreNoMachines) {
  asks("192.0.2.7", "heat", 404);
  EXPECT_EQ(told(), "");
  asks("192.0.2.1", "cfn", 403);
  EXPECT_EQ(told(), "") << "it is another server's machine";
  EXPECT_NE(told("192.0.2.1"), "");
}

TEST_F(PeerNotesTest, ACertificateThatIsNotTakenIsTold) {
  notes_.refused_certificate("192.0.2.7", "it does not know the authority");
  EXPECT_EQ(told(), "192.0.2.7 does not take our certificate (it does not know the authority), 0 s ago");
  clock_.advance(std::chrono::hours(1));
  EXPECT_EQ(told(), "") << "an hour ago";
}

TEST_F(PeerNotesTest, WhatOthersHaveOverheardIsToldUntilItGetsSomething) {
  notes_.overheard("192.0.2.7", "is not answered: arp who-has 192.0.2.99 (nobody has 192.0.2.99)");
  EXPECT_EQ(told("192.0.2.7"), "192.0.2.7 is not answered: arp who-has 192.0.2.99 (nobody has 192.0.2.99), 0 s ago");
  asks("192.0.2.7", "cfn", 200);
  EXPECT_EQ(told("192.0.2.7"), "");
}

TEST_F(PeerNotesTest, StrangersFillNeitherMemoryNorTerminals) {
  for (int i = 0; i < 2000; ++i) {
    clock_.advance(std::chrono::milliseconds(100));
    asks(cat("198.51.100.", i), "objects", 401, "/\x1b[2J" + std::string(5000, 'x'));
  }
  const std::string text = told();
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_LT(text.size(), 500U);
  EXPECT_EQ(text.find("198.51.100.5 "), std::string::npos);
  EXPECT_EQ(told("198.51.100.5"), "") << "the oldest are forgotten";
  EXPECT_NE(told("198.51.100.1999"), "");
}

}  // namespace
}  // namespace hearth::metadata
