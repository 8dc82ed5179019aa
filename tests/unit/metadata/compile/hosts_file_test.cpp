#include "metadata/compile/hosts_file.hpp"

#include <gtest/gtest.h>

#include "metadata/model/json_reader.hpp"
#include "tests/unit/metadata/stack_fixture.hpp"

namespace hearth::metadata {
namespace {

constexpr const char* k_networks = R"(heat_template_version: 2018-08-31
resources:
  net: {type: OS::Neutron::Net, properties: {name: ctlplane}}
  sub: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 192.0.2.0/29}}
  six: {type: OS::Neutron::Net}
  sub6: {type: OS::Neutron::Subnet, properties: {network: {get_resource: six}, cidr: '2001:db8::/64', ip_version: 6}}
)";

TEST(HostsFile, has_the_ports_and_fixed_addresses_of_machines) {
  const auto built = build({{"top.yaml", std::string(k_networks) + R"(
  p: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}
  p6: {type: OS::Neutron::Port, properties: {network: {get_resource: six}}}
  a: {type: OS::Nova::Server, properties: {name: node-a, flavor: f, networks: [{port: {get_resource: p}}, {port: {get_resource: p6}}]}}
  b: {type: OS::Nova::Server, properties: {name: node-b, flavor: f, networks: [{network: storage, fixed_ip: 198.51.100.9}]}}
  c: {type: OS::Heat::DeployedServer, properties: {name: node-c}}
  d: {type: OS::Heat::DeployedServer, properties: {name: "no host"}}
)"}});
  EXPECT_EQ(hosts_text(built->root()),
            "192.0.2.2 node-a node-a.ctlplane\n2001:db8::2 node-a.six\n198.51.100.9 node-b node-b.storage\n"
            "# node-c (c): no address is known\n# d: its name is not one of a host\n");
}

TEST(HostsFile, has_what_the_inventory_tells_and_the_ports_beside_a_server) {
  const auto built =
      build({{"top.yaml", std::string(k_networks) +
                              "  one: {type: one.yaml, properties: {net: {get_resource: net}, name: one}}\n"
                              "  two: {type: one.yaml, properties: {net: {get_resource: net}, name: two}}\n"},
             {"one.yaml",
              "heat_template_version: 2018-08-31\n"
              "parameters: {net: {type: string}, name: {type: string}}\n"
              "resources:\n"
              "  port: {type: OS::Neutron::Port, properties: {network: {get_param: net}}}\n"
              "  server: {type: OS::Heat::DeployedServer, properties: {name: {get_param: name}}}\n"}});
  built->root().learn("two.server", parse_json_value(R"({"accessIPv4": "198.51.100.2",
      "networks": {"ctlplane": ["198.51.100.2", "198.51.100.3"], "bad": ["x\ny"]}})",
                                                     "told")
                                        .value_or_throw());
  EXPECT_EQ(hosts_text(built->root()), "192.0.2.2 one one.ctlplane\n198.51.100.2 two\n198.51.100.3 two.ctlplane\n");
}

}  // namespace
}  // namespace hearth::metadata
