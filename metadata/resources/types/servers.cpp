// Machines.
#include "metadata/resources/types/descriptions.hpp"

namespace hearth::metadata::types {

namespace {

constexpr const char* k_server = R"~({"properties": {"name": {"t": "string", "u": true}, "image": {"t": "string",
"u": true, "c": [{"custom_constraint": "glance.image"}]}, "block_device_mapping": {"t": "list",
"s": {"*": {"t": "map", "s": {"device_name": {"t": "string", "r": true}, "volume_id": {"t": "string",
"c": [{"custom_constraint": "cinder.volume"}]}, "snapshot_id": {"t": "string",
"c": [{"custom_constraint": "cinder.snapshot"}]}, "volume_size": {"t": "integer"},
"delete_on_termination": {"t": "boolean"}}}}}, "block_device_mapping_v2": {"t": "list",
"s": {"*": {"t": "map", "s": {"device_name": {"t": "string"}, "volume_id": {"t": "string",
"c": [{"custom_constraint": "cinder.volume"}]}, "image_id": {"t": "string",
"c": [{"custom_constraint": "glance.image"}]}, "image": {"t": "string",
"c": [{"custom_constraint": "glance.image"}]}, "snapshot_id": {"t": "string",
"c": [{"custom_constraint": "cinder.snapshot"}]}, "swap_size": {"t": "integer"},
"ephemeral_size": {"t": "integer", "c": [{"range": {"min": 1}}]}, "ephemeral_format": {"t": "string",
"c": [{"allowed_values": ["ext2", "ext3", "ext4", "xfs", "ntfs"]}]}, "device_type": {"t": "string",
"c": [{"allowed_values": ["cdrom", "disk"]}]}, "disk_bus": {"t": "string", "c": [{"allowed_values": ["ide",
"lame_bus", "scsi", "usb", "virtio"]}]}, "boot_index": {"t": "integer"}, "volume_size": {"t": "integer"},
"delete_on_termination": {"t": "boolean"}}}}}, "flavor": {"t": "string", "r": true, "u": true,
"c": [{"custom_constraint": "nova.flavor"}]}, "flavor_update_policy": {"t": "string", "d": "RESIZE",
"u": true, "c": [{"allowed_values": ["RESIZE", "REPLACE"]}]}, "image_update_policy": {"t": "string",
"d": "REBUILD", "u": true, "c": [{"allowed_values": ["REBUILD", "REPLACE", "REBUILD_PRESERVE_EPHEMERAL"]}]},
"key_name": {"t": "string", "c": [{"custom_constraint": "nova.keypair"}]}, "admin_user": {"t": "string"},
"availability_zone": {"t": "string"}, "security_groups": {"t": "list", "d": []}, "networks": {"t": "list",
"u": true, "s": {"*": {"t": "map", "s": {"uuid": {"t": "string",
"c": [{"custom_constraint": "neutron.network"}]}, "network": {"t": "string",
"c": [{"custom_constraint": "neutron.network"}]}, "allocate_network": {"t": "string", "u": true,
"c": [{"allowed_values": ["none", "auto"]}]}, "fixed_ip": {"t": "string",
"c": [{"custom_constraint": "ip_addr"}]}, "port": {"t": "string",
"c": [{"custom_constraint": "neutron.port"}]}, "port_extra_properties": {"t": "map",
"s": {"value_specs": {"t": "map", "d": {}, "u": true}, "admin_state_up": {"t": "boolean", "d": true,
"u": true}, "mac_address": {"t": "string", "c": [{"custom_constraint": "mac_addr"}]},
"allowed_address_pairs": {"t": "list", "u": true, "s": {"*": {"t": "map",
"s": {"mac_address": {"t": "string", "c": [{"custom_constraint": "mac_addr"}]}, "ip_address": {"t": "string",
"r": true, "c": [{"custom_constraint": "ip_or_cidr"}]}}}}}, "binding:vnic_type": {"t": "string",
"d": "normal", "u": true, "c": [{"allowed_values": ["normal", "direct", "macvtap", "direct-physical",
"baremetal", "virtio-forwarder", "smart-nic"]}]}, "port_security_enabled": {"t": "boolean", "u": true},
"qos_policy": {"t": "string", "u": true, "c": [{"custom_constraint": "neutron.qos_policy"}]},
"propagate_uplink_status": {"t": "boolean", "u": true}, "no_fixed_ips": {"t": "boolean", "d": false,
"u": true}}}, "subnet": {"t": "string"}, "floating_ip": {"t": "string"}, "tag": {"t": "string"}}}}},
"scheduler_hints": {"t": "map"}, "metadata": {"t": "map", "d": {}, "u": true},
"user_data_format": {"t": "string", "d": "HEAT_CFNTOOLS", "c": [{"allowed_values": ["HEAT_CFNTOOLS", "RAW",
"SOFTWARE_CONFIG"]}]}, "software_config_transport": {"t": "string", "d": "POLL_SERVER_CFN", "u": true,
"c": [{"allowed_values": ["POLL_SERVER_CFN", "POLL_SERVER_HEAT", "POLL_TEMP_URL", "ZAQAR_MESSAGE"]}]},
"user_data_update_policy": {"t": "string", "d": "REPLACE", "u": true, "c": [{"allowed_values": ["REPLACE",
"IGNORE", "REBUILD"]}]}, "user_data": {"t": "string", "d": "", "u": true}, "reservation_id": {"t": "string"},
"config_drive": {"t": "boolean"}, "diskConfig": {"t": "string", "c": [{"allowed_values": ["AUTO",
"MANUAL"]}]}, "personality": {"t": "map", "d": {}}, "admin_pass": {"t": "string", "u": true},
"tags": {"t": "list", "u": true, "s": {"*": {"t": "string"}}}, "deployment_swift_data": {"t": "map", "d": {},
"u": true, "s": {"container": {"t": "string", "c": [{"length": {"min": 1}}]}, "object": {"t": "string",
"c": [{"length": {"min": 1}}]}}}}, "attributes": ["name", "addresses", "networks", "first_address",
"instance_name", "accessIPv4", "accessIPv6", "console_urls", "tags", "os_collect_config", "show"]})~";

}  // namespace

FamilyDescription servers() {
  return {
      .family = Family::server,
      .reference = ReferenceKind::id,
      .attributes = Attributes::server,
      .role = live::Role::server,
      .longest_name = 53,
      .types = {{.name = "OS::Heat::DeployedServer", .schema = R"~({"properties": {"name": {"t": "string", "u": true},
"metadata": {"t": "map", "u": true}, "software_config_transport": {"t": "string", "d": "POLL_SERVER_CFN",
"u": true, "c": [{"allowed_values": ["POLL_SERVER_CFN", "POLL_SERVER_HEAT", "POLL_TEMP_URL",
"ZAQAR_MESSAGE"]}]}, "deployment_swift_data": {"t": "map", "d": {}, "u": true,
"s": {"container": {"t": "string", "c": [{"length": {"min": 1}}]}, "object": {"t": "string",
"c": [{"length": {"min": 1}}]}}}}, "attributes": ["name", "os_collect_config", "show"]})~"},
                {.name = "OS::Nova::Server",
                 .former = {{"networks", "uuid", "network"}, {"block_device_mapping_v2", "image_id", "image"}},
                 .schema = k_server}}};
}

}  // namespace hearth::metadata::types
