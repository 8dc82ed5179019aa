// A small made-up inventory in each form, with every field that the form's own code reads (form_fields.hpp: k_by_form).
#pragma once

#include "bootstrap/inventory/listing.hpp"

namespace hearth::bootstrap {

struct FormExample {
  ListingFormat form;
  const char* file;  ///< what it is called where it comes from
  const char* text;
};

inline const FormExample k_form_examples[] = {
    {ListingFormat::metal3, "hosts.yaml", R"(---
apiVersion: v1
kind: Secret
metadata: {name: w0-secret}
data: {username: YWRtaW4=, password: cGFzc3dvcmQ=}
---
apiVersion: metal3.io/v1alpha1
kind: BareMetalHost
metadata:
  name: w0
spec:
  online: true
  bootMACAddress: 52:54:00:00:00:01
  bootMode: UEFISecureBoot
  architecture: x86_64
  rootDeviceHints: {model: NVMe, minSizeGigabytes: 200}
  image: {url: "http://192.0.2.1/x.qcow2", checksum: abc}
  customDeploy: {method: install_coreos}
  externallyProvisioned: true
  consumerRef: {kind: Metal3Machine, name: cp-0}
  bmc:
    address: redfish+https://192.0.2.5:8443/redfish/v1/Systems/1
    credentialsName: w0-secret
    disableCertificateVerification: true
)"},
    {ListingFormat::tinkerbell, "hardware.yaml", R"(apiVersion: v1
kind: Secret
metadata: {name: m1-auth}
stringData: {username: admin, password: password}
---
apiVersion: bmc.tinkerbell.org/v1alpha1
kind: Machine
metadata: {name: m1-bmc}
spec:
  connection:
    host: 192.0.2.5
    insecureTLS: true
    authSecretRef: {name: m1-auth, namespace: tink}
    providerOptions: {redfish: {port: 8443, systemName: "1"}}
---
apiVersion: tinkerbell.org/v1alpha1
kind: Hardware
metadata: {name: w0}
spec:
  disks: [{device: /dev/nvme0n1}]
  bmcRef: {kind: Machine, name: m1-bmc}
  metadata: {instance: {hostname: w0}}
  interfaces:
  - dhcp:
      arch: x86_64
      uefi: true
      mac: 52:54:00:00:00:01
      lease_time: 86400
      ip: {address: 192.0.2.9, netmask: 255.255.255.0, gateway: 192.0.2.1}
      name_servers: [192.0.2.2]
    netboot: {allowPXE: true}
)"},
    {ListingFormat::maas, "machines.json", R"([{"hostname": "w0", "system_id": "d8n3re",
 "architecture": "amd64/generic", "bios_boot_method": "uefi", "cpu_count": 8, "memory": 32768, "storage": 512000.5,
 "boot_interface": {"type": "physical", "mac_address": "52:54:00:00:00:01"},
 "interface_set": [{"type": "physical", "mac_address": "52:54:00:00:00:02"},
                   {"type": "physical", "mac_address": "52:54:00:00:00:01"},
                   {"type": "bond", "mac_address": "52:54:00:00:00:03"}],
 "power_type": "ipmi", "power_parameters": {"power_address": "192.0.2.5", "power_user": "admin",
   "power_pass": "password", "power_driver": "LAN", "privilege_level": "operator", "k_g": "key",
   "cipher_suite_id": "3"},
 "zone": {"name": "south"}, "status": 6, "status_name": "Deployed"}])"},
    {ListingFormat::warewulf, "nodes.conf", R"(nodeprofiles:
  default:
    ipmi: {username: admin, password: password, port: 6230, interface: lan}
    kernel: {args: [quiet]}
nodes:
  w0:
    profiles: [default]
    primary network: fast
    ipmi: {ipaddr: 192.0.2.5}
    network devices:
      default: {hwaddr: "52:54:00:00:00:02"}
      fast: {hwaddr: "52:54:00:00:00:01", ipaddr: 192.0.2.9, netmask: 255.255.255.0, gateway: 192.0.2.1}
)"},
    {ListingFormat::openchami, "nodes.yaml", R"(bmcs:
- {xname: x1000c0s1b0, mac: "52:54:00:00:00:0f", ip: 192.0.2.5}
- {name: other, xname: x1000c0s2b0, ip: 192.0.2.6}
nodes:
- name: w0
  nid: 1
  xname: x1000c0s1b0n0
  bmc: other
  groups: [compute]
  interfaces:
  - mac_addr: 52:54:00:00:00:01
    ip_addrs: [{name: internal, ip_addr: 192.0.2.9}]
)"},
    {ListingFormat::ansible, "hosts", R"([r1]
w0 ipmi_address=192.0.2.5 mac=52:54:00:00:00:01 ironic_password='pass word' rack=7
w1 redfish_address=192.0.2.6 redfish_username=a redfish_password=b redfish_system_id=/redfish/v1/Systems/1 redfish_verify_ca=false redfish_port=8443
w2 ipmi_address=192.0.2.7 ipmi_username=a ipmi_password=b ipmi_port=6230
localhost ansible_connection=local

[r1:vars]
ironic_user=admin

[baremetal-compute:children]
r1

[ironic]
w0

[ironic:vars]
ironic_driver=redfish
ironic_driver_info={'redfish_address': '{{ ipmi_address }}', 'redfish_username': '{{ ironic_user }}', 'redfish_password': '{{ ironic_password }}'}
ironic_properties={"capabilities": "boot_mode:uefi"}
)"},
    {ListingFormat::netbox, "devices.csv",
     "Name,Site,Rack,Role,Serial number,OOB IP,Primary IP4,Primary IP,IP "
     "Address,cf_pm_user,cf_pm_password,cf_mac,cf_lease\n"
     "w0,south,r7,compute,ABC123,192.0.2.5/24,192.0.2.9/24,192.0.2.10,192.0.2.11,admin,password,52:54:00:00:00:01,3 "
     "years\n"},
};

}  // namespace hearth::bootstrap
