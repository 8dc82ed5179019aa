#include "pxe/dhcp/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "tests/unit/pxe/dhcp/sample_site.hpp"

namespace hearth::pxe::dhcp {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

class DhcpEngineTest : public testing::Test {
 protected:
  Decision send(const Message& message, const Arrival& arrival = on_link()) {
    return engine_.handle(message, arrival, now_);
  }
  /// DISCOVER and REQUEST; the address that was granted.
  Ipv4 lease(const Mac& who) {
    const Decision offer = send(from_client(Type::discover, who));
    if (!offer.answer) return {};
    return send(request(who, offer.answer->message.yiaddr)).answer->message.yiaddr;
  }
  static Message request(const Mac& who, Ipv4 address) {
    Message message = from_client(Type::request, who);
    message.set_address(option::server, ip("192.0.2.1"));
    message.set_address(option::requested_address, address);
    return message;
  }

  Seconds now_ = 1000;
  NodeTable nodes_{sample_site().nodes};
  Engine engine_{sample_site(), nodes_, {}};
};

TEST_F(DhcpEngineTest, AnUnknownMachineIsOfferedAnAddressOfThePoolAtOnce) {
  const Decision decision = send(from_client(Type::discover, mac(9)));
  ASSERT_TRUE(decision.answer);
  const Message& offer = decision.answer->message;
  EXPECT_EQ(offer.type(), Type::offer);
  EXPECT_EQ(offer.yiaddr, ip("192.0.2.100"));
  EXPECT_EQ(offer.xid, 7U);
  EXPECT_EQ(offer.address(option::server), ip("192.0.2.1"));
  EXPECT_EQ(offer.address(option::mask), ip("255.255.255.0"));
  EXPECT_EQ(offer.address(option::router), ip("192.0.2.254"));
  EXPECT_EQ(decision.answer->way, Answer::Way::hardware);
  EXPECT_FALSE(decision.keep) << "an offer need not survive";
}

TEST_F(DhcpEngineTest, AskingAgainGivesTheSameOffer) {
  EXPECT_EQ(send(from_client(Type::discover, mac(9))).answer->message.yiaddr, ip("192.0.2.100"));
  EXPECT_EQ(send(from_client(Type::discover, mac(8))).answer->message.yiaddr, ip("192.0.2.101"));
  EXPECT_EQ(send(from_client(Type::discover, mac(9))).answer->message.yiaddr, ip("192.0.2.100"));
}

TEST_F(DhcpEngineTest, AMachineGetsTheFreeAddressThatItAsksFor) {
  Message message = from_client(Type::discover, mac(9));
  message.set_address(option::requested_address, ip("192.0.2.102"));
  nodes_.remove("2");  // or the last would be kept for it
  EXPECT_EQ(send(message).answer->message.yiaddr, ip("192.0.2.102"));
}

TEST_F(DhcpEngineTest, ARequestThatNamesNoAddressGetsNone) {
  const Decision decision = send(from_client(Type::request, mac(9)));
  EXPECT_FALSE(decision.answer);
  EXPECT_THAT(decision.event, HasSubstr("it names no address"));
}

TEST_F(DhcpEngineTest, ANodesAddressThatAnotherMachineStillHasIsNotGivenTwice) {
  ASSERT_EQ(lease(mac(9)), ip("192.0.2.100"));
  nodes_.put({.id = "8", .name = "eight", .macs = {mac(8)}, .address = ip("192.0.2.100")});
  EXPECT_FALSE(send(from_client(Type::discover, mac(8))).answer);
  now_ += 3601;
  EXPECT_EQ(lease(mac(8)), ip("192.0.2.100"));
}

TEST_F(DhcpEngineTest, ANodeGetsItsOwnAddressAndItsName) {
  const Decision decision = send(from_client(Type::discover, mac(1)));
  EXPECT_EQ(decision.answer->message.yiaddr, ip("192.0.2.50"));
  EXPECT_EQ(*decision.answer->message.find(option::hostname), "one");
}

TEST_F(DhcpEngineTest, AGrantedLeaseIsToBeKeptBeforeItIsTold) {
  (void)send(from_client(Type::discover, mac(9)));
  const Decision decision = send(request(mac(9), ip("192.0.2.100")));
  EXPECT_EQ(decision.answer->message.type(), Type::ack);
  ASSERT_TRUE(decision.keep);
  EXPECT_EQ(*decision.keep, (Lease{ip("192.0.2.100"), mac(9), Lease::State::bound, 1000 + 3601, ""}));
}

TEST_F(DhcpEngineTest, ALeaseKeepsTheNameOfItsMachineWhereItIsOne) {
  const auto kept = [&](const std::string& name) {
    (void)send(from_client(Type::discover, mac(9)));
    Message message = request(mac(9), ip("192.0.2.100"));
    message.set(option::hostname, name);
    return send(message).keep->hostname;
  };
  EXPECT_EQ(kept("srv-1.example.org"), "srv-1.example.org");
  EXPECT_EQ(kept(std::string(63, 'a')), std::string(63, 'a'));
  EXPECT_EQ(kept(std::string(64, 'a')), "");
  EXPECT_EQ(kept("a b"), "");
}

TEST_F(DhcpEngineTest, AnAddressThatIsNotTheirsIsRefused) {
  (void)lease(mac(9));
  EXPECT_EQ(send(request(mac(8), ip("192.0.2.100"))).answer->message.type(), Type::nak);
  EXPECT_EQ(send(request(mac(8), ip("198.51.100.10"))).answer->message.type(), Type::nak);
  EXPECT_EQ(send(request(mac(8), ip("192.0.2.50"))).answer->message.type(), Type::nak) << "it belongs to a node";
  nodes_.put({.id = "7", .name = "seven", .macs = {mac(7)}, .address = ip("192.0.2.102")});
  EXPECT_EQ(send(request(mac(8), ip("192.0.2.102"))).answer->message.type(), Type::nak) << "likewise, of the pool";
  EXPECT_EQ(send(request(mac(1), ip("192.0.2.101"))).answer->message.type(), Type::nak) << "it has one of its own";
  EXPECT_EQ(send(request(mac(8), ip("192.0.2.1"))).answer->message.type(), Type::nak) << "ours";
  EXPECT_EQ(send(request(mac(8), ip("192.0.2.100"))).answer->way, Answer::Way::broadcast);
}

TEST_F(DhcpEngineTest, ARenewalIsAnsweredDirectly) {
  (void)lease(mac(9));
  now_ += 1800;
  Message message = from_client(Type::request, mac(9));
  message.ciaddr = ip("192.0.2.100");
  const Decision decision = send(message);
  EXPECT_EQ(decision.answer->message.type(), Type::ack);
  EXPECT_EQ(decision.answer->way, Answer::Way::endpoint);
  EXPECT_EQ(decision.answer->to, (Endpoint{ip("192.0.2.100"), 68}));
  EXPECT_EQ(decision.keep->expires, now_ + 3601);
}

TEST_F(DhcpEngineTest, AnAddressIsAMachinesForAsLongAsItWasTold) {
  (void)lease(mac(9));  // late in this second, perhaps
  EXPECT_FALSE(engine_.leases().is_free_for(ip("192.0.2.100"), mac(8), now_ + 3600));
  EXPECT_TRUE(engine_.leases().is_free_for(ip("192.0.2.100"), mac(8), now_ + 3601));
}

TEST_F(DhcpEngineTest, AMachineThatTakesAnotherServersOfferFreesOurs) {
  (void)send(from_client(Type::discover, mac(9)));
  Message message = request(mac(9), ip("192.0.2.77"));
  message.set_address(option::server, ip("192.0.2.2"));
  EXPECT_FALSE(send(message).answer);
  EXPECT_TRUE(engine_.leases().is_free_for(ip("192.0.2.100"), mac(8), now_));
}

TEST_F(DhcpEngineTest, AnExhaustedPoolIsSaidAndRecoversWhenOffersLapse) {
  nodes_.remove("2");  // or the last would be kept for it
  for (std::uint8_t last = 10; last < 13; ++last) EXPECT_TRUE(send(from_client(Type::discover, mac(last))).answer);
  const Decision refused = send(from_client(Type::discover, mac(13)));
  EXPECT_FALSE(refused.answer);
  EXPECT_THAT(refused.event, HasSubstr("no free address in 192.0.2.0/24"));
  EXPECT_TRUE(refused.no_room);
  now_ += 61;
  EXPECT_TRUE(send(from_client(Type::discover, mac(13))).answer);
}

TEST_F(DhcpEngineTest, ADeclinedAddressIsNotGivenOutForADay) {
  (void)lease(mac(9));
  Message message = from_client(Type::decline, mac(9));
  message.set_address(option::requested_address, ip("192.0.2.100"));
  const Decision decision = send(message);
  EXPECT_EQ(decision.keep->state, Lease::State::declined);
  EXPECT_FALSE(engine_.leases().is_free_for(ip("192.0.2.100"), mac(8), now_ + 86399));
  EXPECT_TRUE(engine_.leases().is_free_for(ip("192.0.2.100"), mac(8), now_ + 86400));
  EXPECT_EQ(lease(mac(9)), ip("192.0.2.101"));
  message.set_address(option::requested_address, ip("192.0.2.101"));
  message.chaddr = mac(8);
  EXPECT_FALSE(send(message).keep) << "another machine's address";
}

TEST_F(DhcpEngineTest, AReleasedAddressIsFreeButRemembered) {
  (void)lease(mac(9));
  Message message = from_client(Type::release, mac(9));
  message.ciaddr = ip("192.0.2.100");
  EXPECT_EQ(send(message).keep->state, Lease::State::released);
  EXPECT_TRUE(engine_.leases().is_free_for(ip("192.0.2.100"), mac(8), now_));
  EXPECT_FALSE(send(message).keep) << "twice";
  EXPECT_EQ(lease(mac(9)), ip("192.0.2.100"));
  message.chaddr = mac(8);
  EXPECT_FALSE(send(message).keep) << "by another machine";
}

TEST_F(DhcpEngineTest, InformGetsTheNetworkButNoLease) {
  Message message = from_client(Type::inform, mac(9));
  message.ciaddr = ip("192.0.2.200");
  const Decision decision = send(message);
  EXPECT_EQ(decision.answer->message.type(), Type::ack);
  EXPECT_EQ(decision.answer->message.yiaddr, Ipv4{});
  EXPECT_EQ(decision.answer->message.ciaddr, ip("192.0.2.200"));
  EXPECT_EQ(decision.answer->message.find(option::lease_time), nullptr);
  EXPECT_EQ(decision.answer->to.address, ip("192.0.2.200"));
}

TEST_F(DhcpEngineTest, ARelaysMachineGetsAnAddressOfItsNetworkThroughTheRelay) {
  Message message = from_client(Type::discover, mac(9));
  message.giaddr = ip("198.51.100.1");
  message.set(option::relay, "\1\4eth0"s);
  const Decision decision = send(message);
  EXPECT_EQ(decision.answer->message.yiaddr, ip("198.51.100.10"));
  EXPECT_EQ(decision.answer->to, (Endpoint{ip("198.51.100.1"), 67}));
  EXPECT_EQ(*decision.answer->message.find(option::relay), "\1\4eth0"s);
}

TEST_F(DhcpEngineTest, LinkSelectionAndServerOverrideOfARelayAreObeyed) {
  Message message = from_client(Type::discover, mac(9));
  message.giaddr = ip("203.0.113.1");
  message.set(option::relay, "\5\4\xc6\x33\x64\0\x0b\4\xc6\x33\x64\1"s);
  const Decision decision = send(message);
  EXPECT_EQ(decision.answer->message.yiaddr, ip("198.51.100.10"));
  EXPECT_EQ(decision.answer->message.address(option::server), ip("198.51.100.1"));
}

TEST_F(DhcpEngineTest, ARelaysMachineMayNameItsSubnet) {
  Message message = from_client(Type::discover, mac(9));
  message.giaddr = ip("192.0.2.5");
  message.set_address(option::subnet, ip("198.51.100.0"));
  EXPECT_EQ(send(message).answer->message.yiaddr, ip("198.51.100.10"));
}

TEST_F(DhcpEngineTest, AForgedRelayAddressGetsNoAnswer) {
  Message message = from_client(Type::discover, mac(9));
  message.giaddr = ip("203.0.113.9");
  const Decision decision = send(message);
  EXPECT_FALSE(decision.answer);
  EXPECT_THAT(decision.event, HasSubstr("relay 203.0.113.9: no network of this site"));
}

TEST_F(DhcpEngineTest, ANodeIsKnownByItsRelaysCircuitToo) {
  Message message = from_client(Type::discover, mac(99));
  message.giaddr = ip("198.51.100.1");
  message.set(option::relay, "\1\5port7"s);
  EXPECT_THAT(send(message).event, HasSubstr("node two"));
}

TEST_F(DhcpEngineTest, WhatNoMachineSendsIsDropped) {
  EXPECT_FALSE(send(from_client(Type::discover, Mac{})).answer);
  EXPECT_FALSE(send(from_client(Type::discover, Mac{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}})).answer);
  EXPECT_FALSE(send(from_client(Type::offer, mac(9))).answer);
  Message bootp{.xid = 1};
  bootp.chaddr = mac(9);
  const Decision dropped = send(bootp);
  EXPECT_FALSE(dropped.answer);
  EXPECT_THAT(dropped.event, HasSubstr("a BOOTP request of 52:54:00:00:00:09"));
  Message reply = from_client(Type::discover, mac(9));
  reply.op = 2;
  EXPECT_FALSE(send(reply).answer);
}

TEST_F(DhcpEngineTest, OneMachineCantFloodUs) {
  int answered = 0;
  for (int message = 0; message < 1000; ++message) answered += send(from_client(Type::discover, mac(9))).answer ? 1 : 0;
  EXPECT_EQ(answered, 20);
  ++now_;
  EXPECT_TRUE(send(from_client(Type::discover, mac(9))).answer);
}

TEST_F(DhcpEngineTest, StrangersTogetherCantKeepANodeWaiting) {
  const auto stranger = [](unsigned number) {
    return Mac{{2, 0, 0, 9, static_cast<std::uint8_t>(number >> 8U), static_cast<std::uint8_t>(number)}};
  };
  unsigned answered = 0;
  unsigned told = 0;
  for (unsigned number = 0; number < 5000; ++number) {
    Message inform = from_client(Type::inform, stranger(number));
    inform.ciaddr = ip("192.0.2.77");
    const Decision decision = send(inform);
    if (decision.answer) ++answered;
    if (decision.event.find("of machines that are in no inventory") != std::string::npos) ++told;
  }
  EXPECT_EQ(answered, 2000U);
  EXPECT_EQ(told, 1U) << "once a second, not for each";
  EXPECT_TRUE(send(from_client(Type::discover, mac(1))).answer) << "a node is none of them";
  ++now_;
  EXPECT_TRUE(send(from_client(Type::discover, mac(9))).answer);
}

TEST_F(DhcpEngineTest, StrangersLeaveNodesSomethingOfThePool) {
  Site site = sample_site();
  site.networks[0].pools = {{ip("192.0.2.100"), ip("192.0.2.103")}, {ip("192.0.2.110"), ip("192.0.2.113")}};
  engine_.use(site);
  for (std::uint8_t node = 11; node < 16; ++node) nodes_.put({.id = cat("n", +node), .macs = {mac(node)}});
  // Six nodes have no address: of eight, four are kept.
  for (std::uint8_t stranger = 21; stranger < 25; ++stranger) EXPECT_NE(lease(mac(stranger)), Ipv4{}) << +stranger;
  const Decision refused = send(from_client(Type::discover, mac(25)));
  EXPECT_FALSE(refused.answer);
  EXPECT_THAT(refused.event, HasSubstr("no free address in 192.0.2.0/24, but the last 4, which are kept for nodes"));
  Message reboots = from_client(Type::request, mac(26));  // as if it had one from before
  reboots.set_address(option::requested_address, ip("192.0.2.113"));
  EXPECT_EQ(send(reboots).answer->message.type(), Type::nak);
  EXPECT_NE(lease(mac(21)), Ipv4{}) << "who has one keeps it";
  for (std::uint8_t node = 11; node < 15; ++node) EXPECT_NE(lease(mac(node)), Ipv4{}) << +node;
  EXPECT_EQ(lease(mac(15)), Ipv4{}) << "all are in use";
}

TEST_F(DhcpEngineTest, WhatNodesNeedNoMoreStrangersGet) {
  nodes_.put({.id = "n", .macs = {mac(11)}});
  EXPECT_NE(lease(mac(2)), Ipv4{});
  EXPECT_NE(lease(mac(21)), Ipv4{});
  EXPECT_EQ(lease(mac(22)), Ipv4{}) << "the last is the other node's";
  ++now_;
  nodes_.remove("n");
  EXPECT_NE(lease(mac(22)), Ipv4{}) << "it is no node any more";
}

/// How often it is asked.
class CountedBook final : public NodeBook {
 public:
  NodeRef find(const Identity& /*who*/) const override {
    ++asked;
    return nullptr;
  }
  bool has_serial_only() const override { return false; }
  std::size_t without_address() const override { return 0; }
  mutable std::size_t asked = 0;
};

/// Of a hall of strangers, 1,000 a second: how many nodes and leases are looked at until each has its address.
std::size_t looked_at_for(std::uint32_t machines) {
  Site site = sample_site();
  site.networks[0].subnet = parse_subnet("10.0.0.0/8").value();
  site.networks[0].server = ip("10.255.0.1");
  site.networks[0].pools = {{ip("10.1.0.0"), ip("10.8.0.0")}};
  const CountedBook book;
  Engine engine(site, book, {});
  for (std::uint32_t n = 0; n < machines; ++n) {
    const Mac who{{2, 0, 0, static_cast<std::uint8_t>(n >> 16U), static_cast<std::uint8_t>(n >> 8U),
                   static_cast<std::uint8_t>(n)}};
    const Arrival arrival{{{}, 68}, ip("10.255.0.1"), false};
    const Seconds now = 1000 + n / 1000;
    const Decision offer = engine.handle(from_client(Type::discover, who), arrival, now);
    Message request = from_client(Type::request, who);
    request.set_address(option::server, ip("10.255.0.1"));
    request.set_address(option::requested_address, offer.answer.value().message.yiaddr);
    EXPECT_TRUE(engine.handle(request, arrival, now).keep);
  }
  return book.asked;
}

TEST(DhcpHallTest, ALeaseCostsTheSameInAHallTwiceAsLarge) {
  const std::size_t some = looked_at_for(15'000);
  EXPECT_LE(looked_at_for(30'000), some * 23 / 10) << some;
}

TEST_F(DhcpEngineTest, MachinesOutsideTheInventoryCanBeIgnored) {
  Site site = sample_site();
  site.unknown = UnknownPolicy::ignore;
  engine_.use(site);
  EXPECT_FALSE(send(from_client(Type::discover, mac(9))).answer);
  EXPECT_TRUE(send(from_client(Type::discover, mac(1))).answer);
}

TEST_F(DhcpEngineTest, WhatTheInventorySaysNowCounts) {
  EXPECT_EQ(lease(mac(9)), ip("192.0.2.100"));
  nodes_.put({.id = "9", .name = "nine", .macs = {mac(9)}, .address = ip("192.0.2.102")});
  EXPECT_EQ(lease(mac(9)), ip("192.0.2.102"));
  nodes_.remove("2");  // for which the last would be kept
  ++now_;              // what is left to strangers is counted once a second
  EXPECT_EQ(lease(mac(8)), ip("192.0.2.101"));
  EXPECT_FALSE(send(from_client(Type::discover, mac(7))).answer) << "102 is the node's, though it is in the pool";
}

TEST_F(DhcpEngineTest, ANodeIsKnownByItsUuid) {
  Message message = pxe_discover(mac(77), 0);
  message.set(option::uuid, "\0\x78\x56\x34\x12\x34\x12\x34\x12\x12\x34\x12\x34\x56\x78\x9a\xbc"s);
  const Decision decision = send(message);
  EXPECT_EQ(decision.answer->message.yiaddr, ip("192.0.2.50"));
  EXPECT_EQ(decision.answer->message.file, "undionly.kpxe");
}

TEST_F(DhcpEngineTest, AnAddressInUseWithoutALeaseIsLeftOut) {
  EXPECT_TRUE(engine_.found_in_use(ip("192.0.2.100"), mac(77), now_));
  EXPECT_EQ(lease(mac(9)), ip("192.0.2.101"));
  EXPECT_FALSE(engine_.found_in_use(ip("192.0.2.101"), mac(9), now_)) << "it is its lease";
  EXPECT_FALSE(engine_.found_in_use(ip("192.0.2.50"), mac(1), now_)) << "a node's";
}

TEST_F(DhcpEngineTest, AnAddressThatIsGivenAgainIsProbedBeforeItIsGranted) {
  EXPECT_FALSE(send(from_client(Type::discover, mac(9))).probe) << "new ones have been probed ahead";
  ASSERT_EQ(lease(mac(9)), ip("192.0.2.100"));
  EXPECT_FALSE(send(from_client(Type::discover, mac(9))).probe) << "it holds it";
  now_ += 10000;
  EXPECT_EQ(send(from_client(Type::discover, mac(9))).probe, ip("192.0.2.100"));
  EXPECT_FALSE(engine_.found_in_use(ip("192.0.2.100"), mac(9), now_)) << "it answers for itself";
  ASSERT_TRUE(engine_.found_in_use(ip("192.0.2.100"), mac(77), now_));
  EXPECT_EQ(send(request(mac(9), ip("192.0.2.100"))).answer->message.type(), Type::nak);
  EXPECT_EQ(lease(mac(9)), ip("192.0.2.101"));
}

class DhcpProxyTest : public DhcpEngineTest {
 protected:
  DhcpProxyTest() {
    Site site = sample_site();
    site.mode = Mode::proxy;
    engine_.use(site);
  }
};

TEST_F(DhcpProxyTest, FirmwareIsToldItsBootFileButGivenNoAddress) {
  const Decision decision = send(pxe_discover(mac(1), 0));
  ASSERT_TRUE(decision.answer);
  const Message& offer = decision.answer->message;
  EXPECT_EQ(offer.yiaddr, Ipv4{});
  EXPECT_EQ(*offer.find(option::class_id), "PXEClient");
  EXPECT_EQ(offer.file, "undionly.kpxe");
  EXPECT_EQ(offer.siaddr, ip("192.0.2.1"));
  EXPECT_EQ(*offer.find(option::vendor), "\6\1\x08\xff"s);
  EXPECT_EQ(offer.find(option::lease_time), nullptr);
  EXPECT_FALSE(decision.keep);
}

TEST_F(DhcpProxyTest, OnPort4011TheRequestIsAnsweredToWhereItCameFrom) {
  Message message = pxe_discover(mac(1), 7);
  message.set_byte(option::type, 3);
  message.ciaddr = ip("192.0.2.33");
  const Decision decision = send(message, {{ip("192.0.2.33"), 68}, ip("192.0.2.1"), true});
  ASSERT_TRUE(decision.answer);
  EXPECT_EQ(decision.answer->message.type(), Type::ack);
  EXPECT_EQ(decision.answer->message.file, "snponly.efi");
  EXPECT_EQ(decision.answer->message.ciaddr, ip("192.0.2.33"));
  EXPECT_EQ(decision.answer->to, (Endpoint{ip("192.0.2.33"), 68}));
}

TEST_F(DhcpProxyTest, OperatingSystemsAndRequestsToTheOtherServerAreNoneOfItsBusiness) {
  EXPECT_FALSE(send(from_client(Type::discover, mac(1))).answer);
  Message message = pxe_discover(mac(1), 0);
  message.set_byte(option::type, 3);
  message.set_address(option::server, ip("192.0.2.2"));
  EXPECT_FALSE(send(message).answer);
  Message http = from_client(Type::request, mac(1));
  http.set(option::class_id, "HTTPClient:Arch:00016:UNDI:003000");
  http.set(option::arch, "\0\x10"s);
  EXPECT_FALSE(send(http, {{ip("192.0.2.33"), 68}, ip("192.0.2.1"), true}).answer);
}

TEST_F(DhcpEngineTest, BehindARelayARenewalPastItIsGranted) {
  Message discover = from_client(Type::discover, mac(9));
  discover.giaddr = ip("198.51.100.1");
  const Ipv4 address = send(discover).answer->message.yiaddr;
  Message ask = request(mac(9), address);
  ask.giaddr = ip("198.51.100.1");
  ASSERT_EQ(send(ask).answer->message.type(), Type::ack);
  now_ += 1800;
  Message renew = from_client(Type::request, mac(9));
  renew.ciaddr = address;
  const Decision decision = send(renew, {{address, 68}, ip("192.0.2.1"), false});
  ASSERT_EQ(decision.answer->message.type(), Type::ack) << decision.event;
  EXPECT_EQ(decision.answer->message.yiaddr, address);
  EXPECT_EQ(decision.answer->to, (Endpoint{address, 68}));
  EXPECT_EQ(decision.answer->message.address(option::mask), ip("255.255.255.0"));
}

TEST_F(DhcpEngineTest, BehindARelayAnInformPastItGetsItsOwnNetworksRouter) {
  Message inform = from_client(Type::inform, mac(9));
  inform.ciaddr = ip("198.51.100.10");
  const Decision decision = send(inform, {{ip("198.51.100.10"), 68}, ip("192.0.2.1"), false});
  ASSERT_EQ(decision.answer->message.type(), Type::ack);
  EXPECT_FALSE(decision.answer->message.address(option::router)) << "192.0.2.254 is the other network's";
}

}  // namespace
}  // namespace hearth::pxe::dhcp
