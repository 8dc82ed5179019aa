#include "bootstrap/conductor/boot_records.hpp"

#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "pxe/dhcp/journal.hpp"

namespace hearth::bootstrap {
namespace {

constexpr Stamp k_at_noon = Stamp{1'700'000'000} * 1'000'000;

class BootRecords : public testing::Test {
 protected:
  BootRecords() {
    pxe::Site site;
    site.state_dir = folder_.path().string();
    pxe::Network network;
    network.subnet = {*pxe::parse_ipv4("192.0.2.0"), 24};
    network.server = *pxe::parse_ipv4("192.0.2.1");
    network.pools = {{*pxe::parse_ipv4("192.0.2.100"), *pxe::parse_ipv4("192.0.2.109")}};
    site.networks = {network};
    store_.put_document(k_boot_document, boot_document(site, "http://192.0.2.1"));
  }
  void write(const char* name, const std::string& text) { RealFileSystem().write(folder_.path() / name, text, {}); }
  static std::string lease(const char* address, const char* mac, pxe::dhcp::Lease::State state, int seconds_left) {
    return pxe::dhcp::journal_line(
        {*pxe::parse_ipv4(address), *pxe::parse_mac(mac), state, k_at_noon / 1'000'000 + seconds_left, "host"});
  }
  TempDir folder_ = TempDir::create(fs::temp_directory_path(), "boot-records.");
  Store store_{":memory:"};
};

TEST_F(BootRecords, LeasesAreShownWithTheirStateAndCountedInTheirNetwork) {
  using State = pxe::dhcp::Lease::State;
  write("leases", lease("192.0.2.100", "52:54:00:00:00:01", State::offered, 60) +
                      lease("192.0.2.100", "52:54:00:00:00:01", State::bound, 60) +
                      lease("192.0.2.101", "52:54:00:00:00:02", State::bound, 0) +
                      lease("192.0.2.102", "52:54:00:00:00:03", State::released, 60) +
                      lease("192.0.2.103", "52:54:00:00:00:04", State::declined, 60) +
                      lease("192.0.2.200", "52:54:00:00:00:05", State::bound, 60) + "b 17 torn");
  const Json view = network_view(store_, k_at_noon);
  std::string told;
  for (const Json& one : view["leases"])
    told += cat(text_in(one, "address"), " ", text_in(one, "mac"), " ", text_in(one, "state"), "\n");
  EXPECT_EQ(told,
            "192.0.2.100 52:54:00:00:00:01 bound\n192.0.2.101 52:54:00:00:00:02 over\n"
            "192.0.2.102 52:54:00:00:00:03 released\n192.0.2.103 52:54:00:00:00:04 declined\n"
            "192.0.2.200 52:54:00:00:00:05 bound\n");
  EXPECT_EQ(view["networks"][0], Json({{"subnet", "192.0.2.0/24"},
                                       {"server", "192.0.2.1"},
                                       {"mode", "full"},
                                       {"pools", {"192.0.2.100-192.0.2.109"}},
                                       {"addresses", 10},
                                       {"held", 2}}))
      << "the last one is not of its pools";
  EXPECT_EQ(view["leases"][0]["until"], "2023-11-14T22:14:20.000000+00:00");
}

TEST_F(BootRecords, OfANodeItIsWhatItsCardsAskedFor) {
  Node node;
  node.ports.emplace_back();
  node.ports[0].address = "52:54:00:00:00:01";
  write("events.jsonl.1", R"({"time": 1, "mac": "52:54:00:00:00:01", "client": "0.0.0.0", "what": "DISCOVER"}
)");
  write("events.jsonl", R"({"time": 2, "mac": "52:54:00:00:00:02", "client": "0.0.0.0", "what": "DISCOVER"}
{"time": 3, "mac": "52:54:00:00:00:01", "client": "0.0.0.0", "what": "REQUEST"}
)");
  const auto all = boot_requests(store_, node, 10);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ(text_in(all->at(1), "what"), "REQUEST");
  EXPECT_EQ(text_in(boot_requests(store_, node, 1)->at(0), "what"), "REQUEST") << "the newest ones";
}

TEST_F(BootRecords, OfTheLogOfAHallTheEndIsLookedThrough) {
  Node node;
  node.ports.emplace_back();
  node.ports[0].address = "52:54:00:00:00:01";
  const auto line = [](const char* what) {
    return cat(R"({"mac": "52:54:00:00:00:01", "client": "0.0.0.0", "what": ")", what, "\"}\n");
  };
  const std::string others = cat(std::string(std::size_t{3} << 20U, 'x'), "\n");
  write("events.jsonl.1", line("long ago") + others + line("before"));
  write("events.jsonl", others + line("now"));
  const auto found = boot_requests(store_, node, 10);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ(text_in(found->at(0), "what"), "before");
}

TEST_F(BootRecords, AConductorThatBootsNoMachinesHasNone) {
  Store bare(":memory:");
  EXPECT_FALSE(boot_requests(bare, Node{}, 10));
  EXPECT_EQ(network_view(bare, k_at_noon), Json({{"networks", Json::array()}, {"leases", Json::array()}}));
}

}  // namespace
}  // namespace hearth::bootstrap
