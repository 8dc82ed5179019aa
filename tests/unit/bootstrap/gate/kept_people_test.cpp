#include "bootstrap/gate/kept_people.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::bootstrap {
namespace {

class Inside final : public GuardedHandler {
 public:
  ServedResponse answer(const ServedRequest&, const Caller& caller) override {
    ServedResponse response;
    response.status = caller.role == Role::nobody ? 401 : 200;
    return response;
  }
};

class KeptPeopleTest : public ::testing::Test {
 protected:
  void write(const char* people) { files.write(dir.path() / "people", people, {.mode = 0600, .uid = {}, .gid = {}}); }
  int status(const char* token) {
    ServedRequest request;
    request.method = "GET";
    request.path = request.target = "/v1/nodes";
    request.headers = {{"Host", "127.0.0.1:6385"}, {"X-Auth-Token", token}};
    request.peer = "127.0.0.1";
    return gate.answer(request).status;
  }

  TempDir dir = TempDir::create("/tmp", "hearth-test-");
  RealFileSystem files;
  Inside inside;
  fakes::ManualClock clock;
  fakes::MemoryLogger log;
  Gate gate{{kept_people(dir.path()), {}}, inside, clock, log};
  KeptPeople kept{dir.path(), gate, log};
};

TEST_F(KeptPeopleTest, WhoComesAndGoesCountsAtTheNextLookAndAFaultShutsNobodyOut) {
  const std::string own(trim(read_file(dir.path() / "api-token")));
  EXPECT_EQ(status(own.c_str()), 200);
  write("bert operate 0123456789abcdef\n");
  EXPECT_EQ(status("0123456789abcdef"), 401);
  kept.look();
  EXPECT_EQ(status("0123456789abcdef"), 200);
  write("bert king 0123456789abcdef\n");
  fs::permissions(dir.path() / "people", fs::owner_read | fs::others_read);
  testing::internal::CaptureStderr();
  kept.look();
  kept.look();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "who may read the file is told at the start";
  EXPECT_EQ(status("0123456789abcdef"), 200);
  const auto is_fault = [](const std::string& line) { return line.find("whoever was let in") != std::string::npos; };
  EXPECT_EQ(std::count_if(log.lines.begin(), log.lines.end(), is_fault), 1) << "what is wrong is told once";
  write("");
  kept.look();
  EXPECT_EQ(status("0123456789abcdef"), 401);
  EXPECT_EQ(status(own.c_str()), 200);
  EXPECT_EQ(read_file(dir.path() / "api-token"), cat(own, "\n"));
}

}  // namespace
}  // namespace hearth::bootstrap
