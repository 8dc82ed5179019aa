#include "agent/net/schema.hpp"

#include <gmock/gmock.h>

#include "tests/unit/agent/net/network_fixture.hpp"

namespace hearth::agent::net {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> offences(const std::string& yaml) {
  return schema_offences(parse_config(yaml, "c").value_or_throw(), false);
}

TEST(NetSchema, AcceptsWhatTheSamplesOfTheFieldHold) {
  EXPECT_THAT(offences("{type: interface, name: em1, addresses: [{ip_netmask: 192.0.2.1/24}], use_dhcp: 'no',\n"
                       " routes: [{default: true, next_hop: 192.0.2.254}, {destination: 10.0.0.0/8, nexthop: self}],\n"
                       " rules: [{rule: iif em1 table 200}], domain: [a.test], dns_servers: ['2001:db8::1']}"),
              IsEmpty());
  EXPECT_THAT(offences("{type: route_table, name: custom, table_id: 200}"), IsEmpty());
}

TEST(NetSchema, TellsWhereInTheDocumentAValueIsWrong) {
  EXPECT_THAT(offences("{type: linux_bridge, name: br0, members: [{type: vlan, vlan_id: abc, device: em1}]}"),
              ElementsAre("members/0/vlan_id: 'abc' is not of type 'integer'"));
  EXPECT_THAT(offences("{type: interface, name: em1, addresses: [{ip_netmask: 192.0.2.1}]}"),
              ElementsAre("addresses/0/ip_netmask: '192.0.2.1' is not an IP address with a prefix length"));
  EXPECT_THAT(offences("{type: interface, name: em1, routes: [{ip_netmask: 10.0.0.0/8, next_hop: here}]}"),
              ElementsAre("routes/0/next_hop: 'here' is not an IP address"));
}

TEST(NetSchema, RefusesUnknownFieldsAndLackingOnes) {
  EXPECT_THAT(
      offences("{type: interface, nmae: em1}"),
      ElementsAre("'name' is a required property", "Additional properties are not allowed ('nmae' was unexpected)"));
}

TEST(NetSchema, KnowsWhichTypesMayBeMembers) {
  EXPECT_THAT(offences("{type: linux_bond, name: b, members: [{type: ovs_bridge, name: x}]}"),
              ElementsAre(HasSubstr("members/0/type: 'ovs_bridge' cannot be a member here")));
}

TEST(NetSchema, UnknownTypesAreTold) {
  EXPECT_THAT(offences("{type: interfaec, name: em1}"), ElementsAre(HasSubstr("'interfaec' is no type")));
  EXPECT_THAT(offences("{name: em1}"), ElementsAre("'type' is a required property"));
  EXPECT_THAT(offences("7"), ElementsAre("'7' is not a mapping"));
}

TEST(NetSchema, ParametersStandForAnyValue) {
  EXPECT_THAT(offences("{type: vlan, vlan_id: {get_param: Id}, device: {get_input: dev}, mtu: {get_param: M}}"),
              IsEmpty());
  EXPECT_THAT(offences("{type: vlan, vlan_id: {get_attr: Id}, device: em1}").size(), 1);
}

TEST(NetSchema, RouteNeedsOneNextHopAndADestination) {
  EXPECT_THAT(offences("{type: interface, name: a, routes: [{next_hop: 192.0.2.1}]}"),
              ElementsAre("routes/0: needs default, ip_netmask or destination"));
  EXPECT_THAT(offences("{type: interface, name: a, routes: [{default: yes}]}"),
              ElementsAre("routes/0: needs one of next_hop and nexthop"));
}

TEST(NetSchema, MessagesBeginAsThoseOfTheField) {
  const Json entries =
      parse_config("[{type: interface, name: a}, {type: interface, name: b, mtu: x}]", "c").value_or_throw();
  EXPECT_THAT(validate_section(entries, "network_config"),
              ElementsAre("Config file failed schema validation at network_config/1:\n"
                          "    mtu: 'x' is not of type 'integer'"));
}

TEST(NetSchema, RemovalsHaveANameAndAType) {
  EXPECT_THAT(schema_offences(parse_config("{remove_name: em1, remove_type: interface}", "c").value_or_throw(), true),
              IsEmpty());
  EXPECT_THAT(schema_offences(parse_config("{remove_type: interface}", "c").value_or_throw(), true),
              ElementsAre("'remove_name' is a required property"));
}

TEST(NetSchema, TypesThatAreNotSupportedHaveAReason) {
  for (const char* type : {"ovs_dpdk_port", "ovs_dpdk_bond", "vpp_bond", "contrail_vrouter"}) {
    EXPECT_NE(unsupported_reason(type), "") << type;
  }
  EXPECT_EQ(unsupported_reason("interface"), "");
  EXPECT_EQ(unsupported_reason("nonsense"), "");
}

}  // namespace
}  // namespace hearth::agent::net
