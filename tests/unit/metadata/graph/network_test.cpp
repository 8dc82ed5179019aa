#include "metadata/graph/network.hpp"

#include <gtest/gtest.h>

#include "metadata/compile/validation.hpp"
#include "metadata/model/value_text.hpp"
#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

std::string template_with(const std::string& ports) {
  return "heat_template_version: 2018-08-31\nresources:\n"
         "  net: {type: OS::Neutron::Net, properties: {name: ctlplane}}\n"
         "  sub: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 192.0.2.0/29}}\n" +
         ports;
}

std::string address(Built& built, const std::string& port) {
  const Value path = built.root().attribute_of(
      *built.root().find(port), {Value::string("fixed_ips"), Value::integer(0), Value::string("ip_address")});
  return python_str(path);
}

TEST(Network, gives_the_lowest_free_address_behind_the_gateway) {
  const auto built = build(
      {{"top.yaml", template_with("  p1: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}\n"
                                  "  p2: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}\n")}});
  EXPECT_EQ(address(*built, "p1"), "192.0.2.2");
  EXPECT_EQ(address(*built, "p2"), "192.0.2.3");
  EXPECT_EQ(address(*built, "p1"), "192.0.2.2");
}

TEST(Network, knows_networks_and_subnets_by_the_former_names_of_properties) {
  const auto built = build({{"top.yaml", R"(heat_template_version: 2018-08-31
resources:
  p: {type: OS::Neutron::Port, properties: {network_id: {get_resource: net}, fixed_ips: [{subnet_id: {get_resource: sub}}]}}
  any: {type: OS::Neutron::Port, properties: {network_id: {get_resource: net}}}
  net: {type: OS::Neutron::Net}
  sub: {type: OS::Neutron::Subnet, properties: {network_id: {get_resource: net}, cidr: 192.0.2.0/29}}
)"}});
  EXPECT_TRUE(validate_stack(built->root()).empty());
  EXPECT_EQ(address(*built, "p"), "192.0.2.2");
  EXPECT_EQ(address(*built, "any"), "192.0.2.3");
  EXPECT_EQ(built->root().needs(*built->root().find("any")), (std::vector<std::string>{"net", "sub"}));
}

TEST(Network, gives_the_first_address_too_where_there_is_no_gateway) {
  for (const char* none : {"null", "''"}) {
    const auto built = build({{"top.yaml", std::string(R"(heat_template_version: 2018-08-31
resources:
  net: {type: OS::Neutron::Net}
  sub: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 192.0.2.0/29, gateway_ip: )") +
                                               none + R"(}}
  p: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}
)"}});
    EXPECT_EQ(address(*built, "p"), "192.0.2.1");
    EXPECT_TRUE(built->root().attribute_of(*built->root().find("sub"), {Value::string("gateway_ip")}).is_null());
  }
}

TEST(Network, takes_an_address_that_is_asked_for_once_only) {
  const char* port =
      ": {type: OS::Neutron::Port, properties: {network: {get_resource: net}, fixed_ips: [{subnet: {get_resource: "
      "sub}, ip_address: 192.0.2.5}]}}\n";
  const auto built = build({{"top.yaml", template_with(std::string("  p1") + port + "  p2" + port)}});
  EXPECT_EQ(address(*built, "p1"), "192.0.2.5");
  EXPECT_THROW((void)address(*built, "p2"), Fault);
}

/// A port that asks for an address, in a template of its own behind the one that takes any.
std::string stack_with_nested_port(const std::string& address) {
  return template_with(
      "  first: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}\n"
      "  inner: {type: inner.yaml, properties: {net: {get_resource: net}, sub: {get_resource: sub}, address: " +
      address +
      "}}\n"
      "outputs: {first: {value: {get_attr: [first, fixed_ips, 0, ip_address]}}}\n");
}

constexpr const char* k_inner = R"(heat_template_version: 2018-08-31
parameters: {net: {type: string}, sub: {type: string}, address: {type: string}}
resources:
  port:
    type: OS::Neutron::Port
    properties: {network: {get_param: net}, fixed_ips: [{subnet: {get_param: sub}, ip_address: {get_param: address}}]}
outputs: {address: {value: {get_attr: [port, fixed_ips, 0, ip_address]}}}
)";

TEST(Network, keeps_addresses_that_are_asked_for_from_ports_that_take_any) {
  const auto built = build({{"top.yaml", stack_with_nested_port("192.0.2.2")}, {"inner.yaml", k_inner}});
  EXPECT_TRUE(validate_stack(built->root()).empty());
  EXPECT_EQ(address(*built, "first"), "192.0.2.3");
  EXPECT_EQ(python_str(built->root().find("inner")->nested->output("address")), "192.0.2.2");
}

TEST(Network, keeps_an_address_two_templates_down_from_a_port_that_another_nested_template_needs_first) {
  const auto built =
      build({{"top.yaml", template_with(R"(  any: {type: any.yaml, properties: {net: {get_resource: net}}}
  outer: {type: outer.yaml, properties: {net: {get_resource: net}, sub: {get_resource: sub}}}
outputs: {any: {value: {get_attr: [any, address]}}, asked: {value: {get_attr: [outer, address]}}}
)")},
             {"any.yaml", R"(heat_template_version: 2018-08-31
parameters: {net: {type: string}}
resources: {port: {type: OS::Neutron::Port, properties: {network: {get_param: net}}}}
outputs: {address: {value: {get_attr: [port, fixed_ips, 0, ip_address]}}}
)"},
             {"outer.yaml", R"(heat_template_version: 2018-08-31
parameters: {net: {type: string}, sub: {type: string}}
resources: {in: {type: inner.yaml, properties: {net: {get_param: net}, sub: {get_param: sub}, address: 192.0.2.2}}}
outputs: {address: {value: {get_attr: [in, address]}}}
)"},
             {"inner.yaml", k_inner}});
  EXPECT_TRUE(validate_stack(built->root()).empty());
  EXPECT_EQ(python_str(built->root().output("any")), "192.0.2.3");
  EXPECT_EQ(python_str(built->root().output("asked")), "192.0.2.2");
}

constexpr const char* k_server = R"(  s:
    type: OS::Nova::Server
    properties: {flavor: f, image: i, networks: [{network: {get_resource: net}, fixed_ip: 192.0.2.2}, {port: {get_resource: p}}]}
  p: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}
outputs:
  first: {value: {get_attr: [s, first_address]}}
  all: {value: {get_attr: [s, networks]}}
)";

TEST(Network, keeps_the_address_that_a_server_asks_for_by_itself) {
  const auto built = build({{"top.yaml", template_with(k_server)}});
  EXPECT_TRUE(validate_stack(built->root()).empty());
  EXPECT_EQ(address(*built, "p"), "192.0.2.3");
  EXPECT_EQ(json_text(built->root().output("first")), "\"192.0.2.2\"");
  EXPECT_EQ(json_text(built->root().output("all")), R"({"ctlplane": ["192.0.2.2", "192.0.2.3"]})");
  const auto twice = build({{"top.yaml", template_with(R"(  s:
    type: OS::Nova::Server
    properties: {flavor: f, image: i, networks: [{network: {get_resource: net}, fixed_ip: 192.0.2.4}]}
  p: {type: OS::Neutron::Port, properties: {network: {get_resource: net}, fixed_ips: [{ip_address: 192.0.2.4}]}}
)")}});
  const std::vector<Fault> faults = validate_stack(twice->root());
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(std::string(faults[0].what()).find("192.0.2.4 is the address of s"), std::string::npos);
}

TEST(Network, waits_for_the_addresses_of_a_server_that_only_the_cloud_knows) {
  const auto built = build({{"top.yaml", template_with(R"(  s:
    type: OS::Nova::Server
    properties: {flavor: f, image: i, networks: [{network: {get_resource: net}}]}
outputs: {first: {value: {get_attr: [s, first_address]}}}
)")}});
  EXPECT_TRUE(built->root().output("first").is_waiting());
}

TEST(Network, names_both_places_that_ask_for_one_address) {
  const char* port =
      ": {type: OS::Neutron::Port, properties: {network: {get_resource: net}, fixed_ips: [{ip_address: "
      "192.0.2.5}]}}\n";
  const auto built = build({{"top.yaml", template_with(std::string("  p1") + port + "  p2" + port)}});
  const std::vector<Fault> faults = validate_stack(built->root());
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_NE(
      std::string(faults[0].what()).find("192.0.2.5 is the address of p1 (top.yaml:5:3) and of p2 (top.yaml:6:3)"),
      std::string::npos)
      << faults[0].what();
  const auto far = build({{"top.yaml", stack_with_nested_port("198.51.100.7")}, {"inner.yaml", k_inner}});
  ASSERT_EQ(validate_stack(far->root()).size(), 1U);
  EXPECT_NE(std::string(validate_stack(far->root())[0].what()).find("198.51.100.7 is not in 192.0.2.0/29"),
            std::string::npos);
}

TEST(Network, takes_an_address_from_the_subnet_that_it_is_in) {
  const auto built = build(
      {{"top.yaml",
        template_with("  sub6: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, ip_version: 6, "
                      "cidr: '2001:db8::/64'}}\n"
                      "  p: {type: OS::Neutron::Port, properties: {network: {get_resource: net}, fixed_ips: "
                      "[{ip_address: '2001:db8::9'}]}}\n")}});
  EXPECT_EQ(address(*built, "p"), "2001:db8::9");
}

TEST(Network, says_when_no_address_is_left) {
  std::string ports;
  for (int i = 0; i < 6; ++i)
    ports += "  p" + std::to_string(i) + ": {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}\n";
  const auto built = build({{"top.yaml", template_with(ports)}});
  for (int i = 0; i < 5; ++i) (void)address(*built, "p" + std::to_string(i));
  EXPECT_THROW((void)address(*built, "p5"), Fault);
}

}  // namespace
}  // namespace hearth::metadata
