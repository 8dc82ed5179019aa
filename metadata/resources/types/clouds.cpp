// What only a cloud can make: its properties are checked, its attributes are learned.
#include "metadata/resources/types/descriptions.hpp"

namespace hearth::metadata::types {

namespace {

constexpr const char* k_user = R"~({"properties": {"name": {"t": "string", "u": true}, "domain": {"t": "string",
"d": "default", "u": true, "c": [{"custom_constraint": "keystone.domain"}]}, "description": {"t": "string",
"d": "", "u": true}, "enabled": {"t": "boolean", "d": true, "u": true}, "email": {"t": "string", "u": true},
"password": {"t": "string", "u": true}, "default_project": {"t": "string", "u": true,
"c": [{"custom_constraint": "keystone.project"}]}, "groups": {"t": "list", "u": true,
"s": {"*": {"t": "string", "c": [{"custom_constraint": "keystone.group"}]}}}, "roles": {"t": "list",
"u": true, "s": {"*": {"t": "map", "s": {"role": {"t": "string", "r": true,
"c": [{"custom_constraint": "keystone.role"}]}, "project": {"t": "string",
"c": [{"custom_constraint": "keystone.project"}]}, "domain": {"t": "string",
"c": [{"custom_constraint": "keystone.domain"}]}}}}}}, "attributes": ["name", "default_project_id",
"domain_id", "enabled", "password_expires_at", "show"]})~";

constexpr const char* k_security_group = R"~({"properties": {"name": {"t": "string", "u": true},
"description": {"t": "string", "u": true}, "rules": {"t": "list", "d": [], "u": true, "s": {"*": {"t": "map",
"s": {"direction": {"t": "string", "d": "ingress", "c": [{"allowed_values": ["ingress", "egress"]}]},
"ethertype": {"t": "string", "d": "IPv4", "c": [{"allowed_values": ["IPv4", "IPv6"]}]},
"port_range_min": {"t": "integer", "c": [{"range": {"min": 0, "max": 65535}}]},
"port_range_max": {"t": "integer", "c": [{"range": {"min": 0, "max": 65535}}]}, "protocol": {"t": "string"},
"remote_mode": {"t": "string", "d": "remote_ip_prefix", "c": [{"allowed_values": ["remote_ip_prefix",
"remote_group_id"]}]}, "remote_group_id": {"t": "string",
"c": [{"custom_constraint": "neutron.security_group"}]}, "remote_ip_prefix": {"t": "string",
"c": [{"custom_constraint": "net_cidr"}]}}}}}}, "attributes": ["show"]})~";

}  // namespace

FamilyDescription clouds() {
  return {
      .family = Family::opaque,
      .reference = ReferenceKind::id,
      .attributes = Attributes::properties,
      .role = live::Role::plain,
      .types = {{.name = "OS::Heat::Stack", .schema = R"~({"properties": {"context": {"t": "map", "u": true,
"s": {"region_name": {"t": "string"}, "credential_secret_id": {"t": "string", "u": true},
"ca_cert": {"t": "string", "u": true}, "insecure": {"t": "boolean", "d": false, "u": true}}},
"template": {"t": "string", "r": true, "u": true}, "timeout": {"t": "integer", "u": true},
"parameters": {"t": "map", "d": {}, "u": true}}, "attributes": ["stack_name", "outputs", "show"]})~"},
                {.name = "OS::Swift::Container",
                 .schema = R"~({"properties": {"name": {"t": "string"}, "X-Container-Read": {"t": "string"},
"X-Container-Write": {"t": "string"}, "X-Container-Meta": {"t": "map", "d": {}},
"X-Account-Meta": {"t": "map", "d": {}}, "PurgeOnDelete": {"t": "boolean", "d": false}},
"attributes": ["DomainName", "WebsiteURL", "RootURL", "ObjectCount", "BytesUsed", "HeadContainer", "show"]})~"},
                {.name = "OS::Keystone::User", .schema = k_user},
                {.name = "OS::Neutron::SecurityGroup", .schema = k_security_group},
                {.name = "OS::Nova::ServerGroup",
                 .schema = R"~({"properties": {"name": {"t": "string"}, "policies": {"t": "list",
"d": ["anti-affinity"], "c": [{"allowed_values": ["anti-affinity", "affinity", "soft-anti-affinity",
"soft-affinity"]}], "s": {"*": {"t": "string"}}}, "rules": {"t": "map", "s": {"max_server_per_host": {"t": "number"}}}},
"attributes": ["show"]})~"},
                {.name = "OS::Nova::Flavor", .schema = R"~({"properties": {"tenants": {"t": "list", "d": [], "u": true,
"s": {"*": {"t": "string", "c": [{"custom_constraint": "keystone.project"}]}}}, "flavorid": {"t": "string"},
"name": {"t": "string"}, "ram": {"t": "integer", "r": true}, "vcpus": {"t": "integer", "r": true},
"disk": {"t": "integer", "d": 0}, "swap": {"t": "integer", "d": 0}, "ephemeral": {"t": "integer", "d": 0},
"rxtx_factor": {"t": "number", "d": 1.0}, "extra_specs": {"t": "map", "u": true},
"is_public": {"t": "boolean", "d": true}}, "attributes": ["is_public", "extra_specs", "show"]})~"},
                {.name = "OS::Heat::AutoScalingGroup",
                 .schema = R"~({"properties": {"resource": {"t": "map", "r": true, "u": true},
"max_size": {"t": "integer", "r": true, "u": true, "c": [{"range": {"min": 0}}]},
"min_size": {"t": "integer", "r": true, "u": true, "c": [{"range": {"min": 0}}]},
"cooldown": {"t": "integer", "u": true}, "desired_capacity": {"t": "integer", "u": true},
"rolling_updates": {"t": "map", "d": {"min_in_service": 0, "max_batch_size": 1, "pause_time": 0}, "u": true,
"s": {"min_in_service": {"t": "integer", "d": 0, "c": [{"range": {"min": 0}}]},
"max_batch_size": {"t": "integer", "d": 1, "c": [{"range": {"min": 1}}]}, "pause_time": {"t": "number",
"d": 0, "c": [{"range": {"min": 0}}]}}}}, "attributes": ["outputs", "outputs_list", "current_size", "refs",
"refs_map", "show"]})~"},
                {.name = "OS::Heat::InstanceGroup",
                 .schema = R"~({"properties": {"AvailabilityZones": {"t": "list", "r": true},
"LaunchConfigurationName": {"t": "string", "r": true, "u": true}, "Size": {"t": "integer", "r": true,
"u": true}, "LoadBalancerNames": {"t": "list"}, "Tags": {"t": "list", "s": {"*": {"t": "map",
"s": {"Key": {"t": "string", "r": true}, "Value": {"t": "string", "r": true}}}}}},
"attributes": ["InstanceList", "show"]})~"},
                {.name = "OS::Heat::HARestarter", .schema = R"~({"properties": {}, "attributes": ["show"]})~"},
                {.name = "OS::Heat::AccessPolicy",
                 .schema = R"~({"properties": {"AllowedResources": {"t": "list", "r": true}},
"attributes": ["show"]})~"}}};
}

}  // namespace hearth::metadata::types
