#include "agent/net/nics.hpp"

#include <gmock/gmock.h>

#include "tests/fakes/memory_logger.hpp"
#include "tests/unit/agent/net/network_fixture.hpp"

namespace hearth::agent::net {
namespace {

using testing::ElementsAre;
using testing::Pair;

class Nics : public testing::Test {
 protected:
  Nics() {
    add_card(files, "ens3", "52:54:00:00:00:01");
    add_card(files, "eth10", "52:54:00:00:00:02");
    add_card(files, "eth2", "52:54:00:00:00:03");
    add_card(files, "em1", "52:54:00:00:00:04", "down");
    files.put("/sys/class/net/lo/address", "00:00:00:00:00:00");
    files.put("/sys/class/net/br0/address", "52:54:00:00:00:09");  // no device directory: not a card
    add_card(files, "ens3v0", "52:54:00:00:00:05");
    files.make_directories("/sys/class/net/ens3v0/device/physfn", 0755);
  }
  [[nodiscard]] std::map<std::string, std::string> mapped(const std::string& mapping) {
    return map_nics(parse_config(mapping, "m").value_or_throw(), files, log);
  }
  fakes::MemoryFileSystem files;
  fakes::MemoryLogger log;
};

TEST_F(Nics, OnBoardCardsComeFirstAndNumbersCount) {
  EXPECT_THAT(real_nics(files, true), ElementsAre("eth2", "eth10", "ens3"));
  EXPECT_THAT(real_nics(files, false), ElementsAre("em1", "eth2", "eth10", "ens3"));
}

TEST_F(Nics, ActiveCardsAreNumbered) {
  EXPECT_THAT(mapped("null"), ElementsAre(Pair("nic1", "eth2"), Pair("nic2", "eth10"), Pair("nic3", "ens3")));
}

TEST_F(Nics, MappingNamesCardsByDeviceOrMacEvenWithoutLink) {
  EXPECT_THAT(mapped("{nic1: em1, storage: '52:54:00:00:00:01'}"),
              ElementsAre(Pair("nic1", "em1"), Pair("nic2", "eth10"), Pair("storage", "ens3")));
}

TEST_F(Nics, UnknownCardsInAMappingAreLoggedAndLeftOut) {
  EXPECT_EQ(mapped("{nic9: eth77}").count("nic9"), 0);
  EXPECT_TRUE(log.holds("nic eth77 not found in available nics em1, eth2, eth10, ens3"));
}

TEST_F(Nics, OneCardCannotHaveTwoAliases) {
  EXPECT_EQ(refusal([&] { (void)mapped("{a: em1, b: em1}"); }),
            "interface em1 already mapped, check mapping file for duplicates");
}

TEST_F(Nics, AliasCannotBeAnActiveCard) {
  EXPECT_EQ(refusal([&] { (void)mapped("{eth2: em1}"); }),
            "cannot map em1 to alias eth2, alias overlaps with active NIC.");
}

TEST_F(Nics, ReportListsAllOrTheNamesAskedFor) {
  const auto nics = mapped("null");
  EXPECT_EQ(report_nics(nics, {}).mapping.dump(), R"({"nic1":"eth2","nic2":"eth10","nic3":"ens3"})");
  EXPECT_EQ(report_nics(nics, {"nic2", "ens3"}).mapping.dump(), R"({"nic2":"eth10","ens3":"ens3"})");
  const NicReport lacking = report_nics(nics, {"nic1", "nic7"});
  EXPECT_FALSE(lacking.complete);
  EXPECT_EQ(lacking.mapping.dump(), R"({"nic1":"eth2"})");
}

}  // namespace
}  // namespace hearth::agent::net
