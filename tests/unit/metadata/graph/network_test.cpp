#include "metadata/graph/network.hpp"

#include <gtest/gtest.h>

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

TEST(Network, takes_an_address_that_is_asked_for_once_only) {
  const char* port =
      ": {type: OS::Neutron::Port, properties: {network: {get_resource: net}, fixed_ips: [{subnet: {get_resource: "
      "sub}, ip_address: 192.0.2.5}]}}\n";
  const auto built = build({{"top.yaml", template_with(std::string("  p1") + port + "  p2" + port)}});
  EXPECT_EQ(address(*built, "p1"), "192.0.2.5");
  EXPECT_THROW((void)address(*built, "p2"), Fault);
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
