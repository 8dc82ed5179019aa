#include "bootstrap/why/causes/boot_causes.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap::why {
namespace {

constexpr Stamp k_began = 1'000'000'000;

/// A request so many seconds after the boot began.
Json line(int seconds, const char* protocol, const char* what, const char* outcome = "done", bool good = true) {
  return {{"time", 1000.0 + seconds}, {"protocol", protocol}, {"what", what}, {"outcome", outcome}, {"good", good}};
}

std::string cause(Json log) {
  return boot_cause({.node = "web1",
                     .macs = {"52:54:00:00:00:01"},
                     .log = std::move(log),
                     .since = k_began,
                     .now = k_began + 60'000'000})
      .cause;
}

void expect(const std::vector<Json>& log, const char* text) {
  EXPECT_NE(cause(Json(log)).find(text), std::string::npos) << cause(Json(log));
}

TEST(BootCauses, TheFirstStepThatLacksIsTheCause) {
  const Json discover = line(1, "dhcp", "DISCOVER");
  const Json request = line(2, "dhcp", "REQUEST");
  const Json loader = line(3, "tftp", "snponly.efi");
  const Json script = line(4, "http", "/ipxe/52-54-00-00-00-01");
  const Json kernel = line(5, "http", "/image/node/u/kernel");
  expect({}, "Nothing of its machine");
  expect({discover}, "does not take it");
  expect({discover, request}, "asks for no loader");
  expect({line(1, "dhcp", "DISCOVER", "web1: OFFER 192.0.2.9, an address only: it does not ask to boot")},
         "and not to boot");
  expect({discover, request, loader}, "does not start the loader");
  expect({discover, request, loader, script}, "fetches no kernel");
  expect({discover, request, loader, script, kernel}, "has not called back");
  expect({discover, request, loader, script, kernel, discover, request, loader, script, kernel}, "2 times");
}

TEST(BootCauses, AnotherServersOfferThatIsTakenIsNoAddressOfOurs) {
  const Json discover = line(1, "dhcp", "DISCOVER");
  const Json lost = line(2, "dhcp", "REQUEST", "web1: it takes the offer of 192.0.2.254");
  expect({discover, lost}, "Another DHCP server, 192.0.2.254,");
  expect({discover, lost, line(3, "dhcp", "REQUEST", "web1: ACK 192.0.2.9")}, "asks for no loader");
}

TEST(BootCauses, BesideAnotherServerAnAddressIsNotOurs) {
  expect({line(1, "dhcp", "DISCOVER", "web1: as proxy, snponly.efi: UEFI")}, "It was told what to boot");
}

TEST(BootCauses, ALogThatIsOddIsNoEnd) {
  expect({Json(), Json(7), {{"time", nullptr}, {"good", nullptr}}, {{"time", "x"}}}, "Nothing of its machine");
}

TEST(BootCauses, WhatWasAskedBeforeThisBootDoesNotCount) {
  expect({line(-1, "http", "/image/node/u/kernel")}, "Nothing of its machine");
}

TEST(BootCauses, ARefusalCountsWhereNothingWentWellAfterIt) {
  const Json lost = line(3, "tftp", "snponly.efi", "the client fell silent", false);
  expect({lost}, "packets are lost");
  expect({lost, line(4, "tftp", "snponly.efi")}, "does not start the loader");
  expect({line(1, "dhcp", "REQUEST", "NO ANSWER, for its lease can't be kept: no space", false)}, "its disk is full");
  expect({line(1, "dhcp", "REQUEST",
               "NO ANSWER, for its lease can't be kept: postgresql://u:***@h/d has not answered for 3 s", false)},
         "its database does not take them");
  expect({line(1, "dhcp", "DISCOVER", "web1: no free address in 192.0.2.0/24", false)}, "no address left");
  expect({line(1, "dhcp", "DECLINE", "web1: someone else uses 192.0.2.9, which rests for a day now", false)},
         "Another machine uses");
  expect({line(1, "dhcp", "REQUEST", "web1: it may not have 10.0.0.1", false)}, "may not have");
  expect({line(1, "tftp", "a.efi", "the client stopped: error 8 no", false)}, "broke the transfer of a.efi off");
  expect({line(1, "http", "/x", "404", false)}, "asked for /x and did not get it: 404");
}

TEST(BootCauses, AMachineThatIsOffAndAConductorThatSeesNoBoots) {
  const std::vector<std::string> macs = {"52:54:00:00:00:01"};
  EXPECT_NE(boot_cause({.node = "web1", .macs = macs, .log = Json::array(), .off = true}).cause.find("is off"),
            std::string::npos);
  EXPECT_NE(boot_cause({.node = "web1", .macs = macs}).cause.find("does not see its boot"), std::string::npos);
}

TEST(BootCauses, OfAMachineThatRunsAndNeverAskedTheNetworkKnowsTheLast) {
  const Json asked = {{"time", 100.0}, {"protocol", "dhcp"}, {"what", "REQUEST"}, {"outcome", "192.0.2.50 is its own"}};
  const Json fetched = {{"time", 90.0}, {"protocol", "http"}, {"what", "/x/kernel"}, {"outcome", "sent"}};
  const std::optional<Finding> up = unasked_cause("beta", Json::array({fetched, asked}), 140'000'000);
  ASSERT_TRUE(up);
  EXPECT_NE(up->cause.find("is up and has an address, and does not find the metadata's service"), std::string::npos);
  EXPECT_EQ(up->evidence[1], "dhcp REQUEST: 192.0.2.50 is its own");
  EXPECT_EQ(up->evidence[2], "nothing since, for 40 s");
  EXPECT_NE(unasked_cause("beta", Json::array({asked, fetched}), 440'000'000)->cause.find("it does not start"),
            std::string::npos);
  EXPECT_NE(unasked_cause("beta", Json::array({asked, fetched}), 140'000'000)->cause.find("servers take minutes"),
            std::string::npos);
  EXPECT_FALSE(unasked_cause("beta", std::nullopt, 1));
  EXPECT_FALSE(unasked_cause("beta", Json::array(), 1));
}

TEST(BootCauses, WhatItsSystemAsksInVainIsTheCause) {
  const Json leased = line(1, "dhcp", "REQUEST", "192.0.2.50 is its own");
  const auto vain = [](const char* protocol, const char* what, const char* outcome) {
    Json row = line(5, protocol, what, outcome, false);
    return row;
  };
  const auto cause = [&](const Json& last) {
    return unasked_cause("beta", Json::array({leased, last}), 9'000'000)->cause;
  };
  const Json name_server =
      vain("arp", "who-has 192.0.2.53", "nobody has 192.0.2.53, the name server that DHCP gives to 192.0.2.0/24");
  EXPECT_EQ(cause(name_server),
            "The machine of beta can't look up names: nobody has 192.0.2.53, the name server that DHCP gives to "
            "192.0.2.0/24.");
  EXPECT_NE(cause(vain("arp", "who-has 192.0.2.254", "nobody has 192.0.2.254, the router that DHCP gives to x"))
                .find("can't leave its network"),
            std::string::npos);
  EXPECT_NE(cause(vain("arp", "who-has 192.0.2.99", "nobody has 192.0.2.99")).find("a machine that is not there"),
            std::string::npos);
  EXPECT_NE(cause(vain("tcp", "connect 192.0.2.1:9", "nothing listens at 192.0.2.1:9")).find("does not answer"),
            std::string::npos);
  EXPECT_EQ(cause(vain("dns", "query seed.example", "no name server runs at 192.0.2.1")),
            "The machine of beta can't look up names: it asks for seed.example, and no name server runs at "
            "192.0.2.1.");
  const Json kernel = line(7, "http", "/x/kernel");
  EXPECT_EQ(unasked_cause("beta", Json::array({leased, name_server, kernel}), 9'000'000)->cause.find("names"),
            std::string::npos)
      << "of an earlier boot";
  EXPECT_EQ(vain_cause(Json::array({leased, name_server}), 9'000'000)->cause.find("It is active, and its system can't"),
            0U);
  EXPECT_FALSE(vain_cause(Json::array({leased, name_server}), 9'000'000'000'000)) << "long ago";
  EXPECT_FALSE(vain_cause(Json::array({leased}), 9'000'000));
}

TEST(BootCauses, ARamdiskThatAsksInVainIsToldByThat) {
  expect({line(1, "dhcp", "REQUEST", "web1: ACK"), line(2, "http", "/x/kernel"),
          line(4, "arp", "who-has 192.0.2.77", "nobody has 192.0.2.77", false)},
         "Its ramdisk runs, and looks for a machine that is not there");
}

TEST(BootCauses, WhatTheSystemBeforeAskedInVainIsNotTheRamdisksFault) {
  expect({line(1, "arp", "who-has 192.0.2.77", "nobody has 192.0.2.77", false), line(2, "dhcp", "REQUEST", "web1: ACK"),
          line(3, "http", "/x/kernel")},
         "the ramdisk has not called back");
  EXPECT_FALSE(vain_cause(
      Json::array({line(1, "arp", "who-has 192.0.2.77", "nobody has 192.0.2.77", false), line(3, "dhcp", "DISCOVER")}),
      9'000'000))
      << "it has been started anew since";
}

TEST(BootCauses, ATimeServerThatIsNotThereIsToldAndIsNoReasonNotToCome) {
  const Json leased = line(1, "dhcp", "REQUEST", "192.0.2.50 is its own");
  const Json time_server =
      line(2, "arp", "who-has 192.0.2.9", "nobody has 192.0.2.9, the time server that DHCP gives to x", false);
  EXPECT_NE(vain_cause(Json::array({leased, time_server}), 9'000'000)->cause.find("can't ask for the time"),
            std::string::npos);
  EXPECT_EQ(unasked_cause("beta", Json::array({leased, time_server}), 9'000'000)->cause.find("time"),
            std::string::npos);
  expect({leased, line(2, "http", "/x/kernel"), time_server}, "the ramdisk has not called back");
}

}  // namespace
}  // namespace hearth::bootstrap::why
