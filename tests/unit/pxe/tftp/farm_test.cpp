#include "pxe/tftp/farm.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/error.hpp"
#include "tests/unit/pxe/tftp/loopback.hpp"

namespace hearth::pxe::tftp {
namespace {

using namespace std::string_view_literals;

class TftpFarmTest : public testing::Test {
 protected:
  TftpFarmTest() { source_.contents["f"] = "content"; }
  /// One turn of each server.
  void turn() {
    for (const auto& reactor : farm_.reactors()) reactor->run_once({});
  }
  fakes::ManualClock clock_;
  NamedContents source_;
  KeptRecords log_;
  Farm farm_{4, clock_, source_, log_, {.transfers_per_client = 40}};
};

TEST_F(TftpFarmTest, AllServersShareThePortAndTheLimits) {
  const Endpoint at = farm_.listen({k_loopback, 0});
  std::vector<Client> clients(64);
  for (Client& client : clients) client.send(at, "\0\1f\0octet\0"sv);
  turn();
  std::size_t served = 0;
  for (Client& client : clients) {
    const std::vector<std::string> answers = client.take();
    ASSERT_EQ(answers.size(), 1U);
    if (answers[0] == "\0\3\0\1content"sv) ++served;
  }
  EXPECT_EQ(served, 40U) << "the limit for one address holds for all servers together";
}

TEST_F(TftpFarmTest, ARequestThatComesAgainFindsTheTransferThatItBegan) {
  const Endpoint at = farm_.listen({k_loopback, 0});
  std::vector<Client> clients(16);
  for (Client& client : clients) {
    client.send(at, "\0\1f\0octet\0"sv);
    turn();
    (void)client.take();
    const Endpoint first = client.peer();
    client.send(at, "\0\1f\0octet\0"sv);
    turn();
    for (int packet = 0; packet < 2; ++packet) (void)client.take();
    EXPECT_EQ(client.peer(), first);
  }
  EXPECT_EQ(source_.asked.size(), clients.size());
}

TEST_F(TftpFarmTest, APortOfAnotherProgramIsNotShared) {
  const Fd other = open_udp({k_loopback, 0});
  EXPECT_THROW(farm_.listen(local_endpoint(other)), Error);
}

}  // namespace
}  // namespace hearth::pxe::tftp
