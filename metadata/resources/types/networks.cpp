// Networks and the addresses in them.
#include "metadata/resources/types/descriptions.hpp"

namespace hearth::metadata::types {

FamilyDescription networks() {
  return {.family = Family::network,
          .reference = ReferenceKind::id,
          .attributes = Attributes::network,
          .role = live::Role::plain,
          .types = {{.name = "OS::Neutron::Net",
                     .schema = R"~({"properties": {"name": {"t": "string", "u": true}, "value_specs": {"t": "map",
"d": {}, "u": true}, "admin_state_up": {"t": "boolean", "d": true, "u": true}, "tenant_id": {"t": "string"},
"shared": {"t": "boolean", "d": false, "u": true}, "dhcp_agent_ids": {"t": "list", "u": true},
"port_security_enabled": {"t": "boolean", "u": true}, "qos_policy": {"t": "string", "u": true,
"c": [{"custom_constraint": "neutron.qos_policy"}]}, "dns_domain": {"t": "string", "u": true,
"c": [{"custom_constraint": "dns_domain"}]}, "availability_zone_hints": {"t": "list"}, "tags": {"t": "list",
"u": true, "s": {"*": {"t": "string"}}}}, "attributes": ["status", "name", "subnets", "admin_state_up",
"tenant_id", "port_security_enabled", "mtu", "qos_policy_id", "l2_adjacency", "segments", "show"]})~"}}};
}

FamilyDescription subnets() {
  return {.family = Family::subnet,
          .reference = ReferenceKind::id,
          .attributes = Attributes::network,
          .role = live::Role::plain,
          .types = {{.name = "OS::Neutron::Subnet",
                     .former = {{"", "network_id", "network"}},
                     .schema = R"~({"properties": {"network_id": {"t": "string",
"c": [{"custom_constraint": "neutron.network"}]}, "network": {"t": "string", "r": true,
"c": [{"custom_constraint": "neutron.network"}]}, "subnetpool": {"t": "string",
"c": [{"custom_constraint": "neutron.subnetpool"}]}, "prefixlen": {"t": "integer",
"c": [{"range": {"min": 0}}]}, "cidr": {"t": "string", "c": [{"custom_constraint": "net_cidr"}]},
"value_specs": {"t": "map", "d": {}, "u": true}, "name": {"t": "string", "u": true},
"ip_version": {"t": "integer", "d": 4, "c": [{"allowed_values": [4, 6]}]}, "dns_nameservers": {"t": "list",
"d": [], "u": true}, "gateway_ip": {"t": "string", "u": true}, "enable_dhcp": {"t": "boolean", "d": true,
"u": true}, "allocation_pools": {"t": "list", "u": true, "s": {"*": {"t": "map",
"s": {"start": {"t": "string", "r": true, "c": [{"custom_constraint": "ip_addr"}]}, "end": {"t": "string",
"r": true, "c": [{"custom_constraint": "ip_addr"}]}}}}}, "tenant_id": {"t": "string"},
"host_routes": {"t": "list", "u": true, "s": {"*": {"t": "map", "s": {"destination": {"t": "string",
"r": true, "c": [{"custom_constraint": "net_cidr"}]}, "nexthop": {"t": "string", "r": true,
"c": [{"custom_constraint": "ip_addr"}]}}}}}, "ipv6_ra_mode": {"t": "string",
"c": [{"allowed_values": ["dhcpv6-stateful", "dhcpv6-stateless", "slaac"]}]},
"ipv6_address_mode": {"t": "string", "c": [{"allowed_values": ["dhcpv6-stateful", "dhcpv6-stateless",
"slaac"]}]}, "segment": {"t": "string", "u": true, "c": [{"custom_constraint": "neutron.segment"}]},
"tags": {"t": "list", "u": true, "s": {"*": {"t": "string"}}}}, "attributes": ["name", "network_id",
"tenant_id", "allocation_pools", "gateway_ip", "host_routes", "ip_version", "cidr", "dns_nameservers",
"enable_dhcp", "show"]})~"}}};
}

FamilyDescription ports() {
  return {.family = Family::port,
          .reference = ReferenceKind::id,
          .attributes = Attributes::network,
          .role = live::Role::plain,
          .types = {{.name = "OS::Neutron::Port",
                     .former = {{"", "network_id", "network"}, {"fixed_ips", "subnet_id", "subnet"}},
                     .schema = R"~({"properties": {"name": {"t": "string", "u": true},
"network_id": {"t": "string", "c": [{"custom_constraint": "neutron.network"}]}, "network": {"t": "string",
"r": true, "c": [{"custom_constraint": "neutron.network"}]}, "device_id": {"t": "string", "d": "",
"u": true}, "device_owner": {"t": "string", "d": "", "u": true}, "fixed_ips": {"t": "list", "u": true,
"s": {"*": {"t": "map", "s": {"subnet_id": {"t": "string", "c": [{"custom_constraint": "neutron.subnet"}]},
"subnet": {"t": "string", "c": [{"custom_constraint": "neutron.subnet"}]}, "ip_address": {"t": "string",
"c": [{"custom_constraint": "ip_addr"}]}}}}}, "security_groups": {"t": "list", "u": true},
"replacement_policy": {"t": "string", "d": "AUTO", "u": true, "c": [{"allowed_values": ["REPLACE_ALWAYS",
"AUTO"]}]}, "dns_name": {"t": "string", "u": true, "c": [{"custom_constraint": "dns_name"}]},
"tags": {"t": "list", "u": true, "s": {"*": {"t": "string"}}}, "value_specs": {"t": "map", "d": {},
"u": true}, "admin_state_up": {"t": "boolean", "d": true, "u": true}, "mac_address": {"t": "string",
"c": [{"custom_constraint": "mac_addr"}]}, "allowed_address_pairs": {"t": "list", "u": true,
"s": {"*": {"t": "map", "s": {"mac_address": {"t": "string", "c": [{"custom_constraint": "mac_addr"}]},
"ip_address": {"t": "string", "r": true, "c": [{"custom_constraint": "ip_or_cidr"}]}}}}},
"binding:vnic_type": {"t": "string", "d": "normal", "u": true, "c": [{"allowed_values": ["normal", "direct",
"macvtap", "direct-physical", "baremetal", "virtio-forwarder", "smart-nic"]}]},
"port_security_enabled": {"t": "boolean", "u": true}, "qos_policy": {"t": "string", "u": true,
"c": [{"custom_constraint": "neutron.qos_policy"}]}, "propagate_uplink_status": {"t": "boolean", "u": true},
"no_fixed_ips": {"t": "boolean", "d": false, "u": true}}, "attributes": ["admin_state_up", "device_id",
"device_owner", "fixed_ips", "mac_address", "name", "network_id", "security_groups", "status", "tenant_id",
"allowed_address_pairs", "subnets", "port_security_enabled", "qos_policy_id", "dns_assignment", "network",
"propagate_uplink_status", "show"]})~"}}};
}

}  // namespace hearth::metadata::types
