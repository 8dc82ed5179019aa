#include "pxe/tftp/server.hpp"

#include <gmock/gmock.h>

#include "tests/unit/pxe/tftp/loopback.hpp"

namespace hearth::pxe::tftp {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class TftpServerTest : public testing::Test {
 protected:
  void start(const Limits& limits = {}) {
    quota_ = std::make_unique<Quota>(limits.transfers, limits.transfers_per_client);
    server_ = std::make_unique<Server>(reactor_, source_, log_, *quota_, limits);
    at_ = server_->listen({k_loopback, 0});
  }
  void turn() { reactor_.run_once({}); }
  /// Sends a request and gives what comes back.
  std::vector<std::string> ask(Client& client, std::string_view request) {
    client.send(at_, request);
    turn();
    return client.take();
  }
  std::vector<std::string> acknowledge(Client& client, std::uint16_t block) {
    client.ack(block);
    turn();
    return client.take();
  }

  fakes::ManualClock clock_;
  Reactor reactor_{clock_};
  NamedContents source_;
  KeptRecords log_;
  std::unique_ptr<Quota> quota_;
  std::unique_ptr<Server> server_;
  Endpoint at_;
};

TEST_F(TftpServerTest, SendsAFileInBlocksFromAPortOfItsOwn) {
  start();
  source_.contents["f"] = std::string(512, 'a') + "rest";
  Client client;
  EXPECT_THAT(ask(client, "\0\1/f\0octet\0"sv), ElementsAre("\0\3\0\1"s + std::string(512, 'a')));
  EXPECT_NE(client.peer().port, at_.port);
  EXPECT_THAT(acknowledge(client, 1), ElementsAre("\0\3\0\2rest"s));
  EXPECT_THAT(acknowledge(client, 2), IsEmpty());
  EXPECT_EQ(server_->running(), 0U);
  ASSERT_EQ(log_.records.size(), 1U);
  EXPECT_TRUE(log_.records[0].good);
  EXPECT_EQ(log_.records[0].bytes, 516U);
  EXPECT_EQ(log_.records[0].what, "/f");
}

TEST_F(TftpServerTest, AFileOfWholeBlocksEndsWithAnEmptyOne) {
  start();
  source_.contents["f"] = std::string(512, 'a');
  source_.contents["empty"] = "";
  Client client;
  (void)ask(client, "\0\1f\0octet\0"sv);
  EXPECT_THAT(acknowledge(client, 1), ElementsAre("\0\3\0\2"s));
  Client other;
  EXPECT_THAT(ask(other, "\0\1empty\0octet\0"sv), ElementsAre("\0\3\0\1"s));
}

TEST_F(TftpServerTest, NetasciiIsConvertedAndItsSizeIsThatOfTheConvertedText) {
  start();
  source_.contents["f"] = "a\nb\n";
  Client client;
  EXPECT_THAT(ask(client, "\0\1f\0NETASCII\0tsize\0000\0"sv), ElementsAre("\0\6tsize\0006\0"s));
  EXPECT_THAT(acknowledge(client, 0), ElementsAre("\0\3\0\1a\r\nb\r\n"s));
}

TEST_F(TftpServerTest, RefusalsSayWhyAndNameNoPath) {
  start();
  Client client;
  EXPECT_THAT(ask(client, "\0\1gone\0octet\0"sv), ElementsAre("\0\5\0\1File not found\0"s));
  EXPECT_THAT(ask(client, "\0\1../f\0octet\0"sv), ElementsAre("\0\5\0\2Access denied\0"s));
  EXPECT_THAT(ask(client, "\0\2f\0octet\0"sv), ElementsAre("\0\5\0\2This server only reads\0"s));
  EXPECT_THAT(ask(client, "\0\1f\0mail\0"sv), ElementsAre("\0\5\0\4Unknown mode\0"s));
  EXPECT_THAT(ask(client, "\0\1\0octet\0"sv), ElementsAre("\0\5\0\4No file name\0"s));
  EXPECT_THAT(ask(client, "\0\4\0\1"sv), ElementsAre("\0\5\0\4Not a request\0"s));
  EXPECT_THAT(ask(client, "garbage"), IsEmpty());
  EXPECT_THAT(ask(client, "\0\5\0\1error\0"sv), IsEmpty()) << "errors are never answered";
  EXPECT_EQ(server_->running(), 0U);
}

TEST_F(TftpServerTest, ARequestSentTwiceIsOneTransfer) {
  start();
  source_.contents["f"] = "x";
  Client client;
  (void)ask(client, "\0\1f\0octet\0"sv);
  const Endpoint first = client.peer();
  EXPECT_THAT(ask(client, "\0\1f\0octet\0"sv), ElementsAre("\0\3\0\1x"s));
  EXPECT_EQ(client.peer(), first);
  EXPECT_EQ(server_->running(), 1U);
}

TEST_F(TftpServerTest, OneClientCantTakeAllTransfers) {
  start({.transfers_per_client = 2});
  source_.contents["f"] = "x";
  Client one;
  Client two;
  Client three;
  (void)ask(one, "\0\1f\0octet\0"sv);
  (void)ask(two, "\0\1f\0octet\0"sv);
  EXPECT_THAT(ask(three, "\0\1f\0octet\0"sv), ElementsAre("\0\5\0\0Too many transfers\0"s));
  (void)acknowledge(one, 1);
  EXPECT_THAT(ask(three, "\0\1f\0octet\0"sv), ElementsAre("\0\3\0\1x"s));
}

TEST_F(TftpServerTest, AClientThatVanishesIsForgotten) {
  start();
  source_.contents["f"] = "x";
  Client client;
  (void)ask(client, "\0\1f\0octet\0"sv);
  for (int second = 0; second < 20; ++second) {
    clock_.advance(std::chrono::seconds(1));
    turn();
  }
  EXPECT_EQ(server_->running(), 0U);
  EXPECT_THAT(client.take(), ElementsAre("\0\3\0\1x"s, "\0\3\0\1x"s, "\0\3\0\1x"s, "\0\5\0\0Timed out\0"s));
  EXPECT_EQ(log_.records.at(0).outcome, "the client fell silent");
}

TEST_F(TftpServerTest, TellsTheSourceWhoAsksAndAtWhichAddress) {
  start();
  Client client;
  (void)ask(client, "\0\1\\boot\\f\0octet\0"sv);
  ASSERT_EQ(source_.asked.size(), 1U);
  EXPECT_EQ(source_.asked[0].name, "boot/f");
  EXPECT_EQ(source_.asked[0].client, k_loopback);
  EXPECT_EQ(source_.asked[0].server, k_loopback);
}

}  // namespace
}  // namespace hearth::pxe::tftp
