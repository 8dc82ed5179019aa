#include "bootstrap/conductor/lldp.hpp"

#include <gtest/gtest.h>

namespace hearth::bootstrap {
namespace {

TEST(Lldp, switchAndPortAreRead) {
  EXPECT_EQ(link_of_lldp(Json::parse(R"([[1, "04AABBCCDDEEFF"], [2, "0545746831"], [3, "0078"]])")),
            Json::parse(R"({"switch_id": "aa:bb:cc:dd:ee:ff", "port_id": "Eth1"})"));
}

TEST(Lldp, whatIsNoneIsLeftOut) {
  for (const char* tlvs : {"null", "7", "[]", R"([[1]])", R"([["1", "04aa"]])", R"([[1, "04aa"]])", R"([[2, "05zz"]])",
                           R"([[2, "050a0d"]])", R"([[2, "0"]])"})
    EXPECT_TRUE(link_of_lldp(Json::parse(tlvs)).empty()) << tlvs;
}

TEST(Lldp, aPortGetsItsLinkUnlessSomebodyGaveOne) {
  Node node;
  node.ports = {new_port("52:54:00:00:00:01", 1), new_port("52:54:00:00:00:02", 1)};
  node.ports[1].local_link_connection = {{"port_id", "given"}};
  apply_lldp(node, Json::parse(R"({"inventory": {"interfaces": [
    {"mac_address": "52:54:00:00:00:01", "lldp": [[2, "0545746831"]]},
    {"mac_address": "52:54:00:00:00:02", "lldp": [[2, "0545746831"]]}, {"mac_address": "52:54:00:00:00:03", "lldp": null}]}})"));
  EXPECT_EQ(node.ports[0].local_link_connection, Json::parse(R"({"port_id": "Eth1"})"));
  EXPECT_EQ(node.ports[1].local_link_connection, Json::parse(R"({"port_id": "given"})"));
  apply_lldp(node, Json::array());
}

}  // namespace
}  // namespace hearth::bootstrap
