#include "bootstrap/inventory/machine_forms.hpp"

#include <algorithm>
#include <array>

#include "base/base64.hpp"
#include "base/hex.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "bootstrap/inventory/drivers.hpp"
#include "bootstrap/inventory/foreign_forms.hpp"
#include "bootstrap/inventory/form_fields.hpp"
#include "bootstrap/inventory/in_use.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/power/driver_keys.hpp"

namespace hearth::bootstrap {

namespace {

/// A machine that nobody reaches but by hand.
constexpr const char* k_by_hand = "manual-management";

std::string namespace_of(const ListingEntry& object) {
  return text_in(object_member(object.data, "metadata"), "namespace");
}

/// User and password of a Secret: data in base64, or stringData as it is.
void take_secret(ListingEntry& entry, const std::string& path, const std::string& space, const std::string& name,
                 const KubernetesObjects& objects, Json& made) {
  const ListingEntry* secret = objects.find("Secret", space, name, entry, path);
  if (secret == nullptr) return;
  for (const auto& [key, own] : {std::pair{"username", "pm_user"}, std::pair{"password", "pm_password"}}) {
    const Json& plain = object_member(secret->data, "stringData");
    const std::string coded = text_in(object_member(secret->data, "data"), key);
    if (plain.contains(key)) {
      made[own] = text_in(plain, key);
    } else if (const auto decoded = base64_decode(coded); !coded.empty() && decoded && is_valid_utf8(*decoded)) {
      made[own] = *decoded;
    } else if (!coded.empty()) {
      entry.faults.emplace_back(path, cat("Secret ", name, ": its ", key, " is no base64 of a text"));
    }
  }
}

void add_capability(Json& made, const std::string& key, const std::string& value) { made["capabilities"][key] = value; }

/// MAAS' K_g, a text or 0x and digits, as ours, which is in digits. MAAS prints one of each IPMI machine, mostly empty.
void take_kg(ListingEntry& machine, const Json& power, Json& made) {
  const std::string key = text_in(power, "k_g");
  if (key.empty()) return;
  const std::string hex = key.starts_with("0x") ? to_lower(key.substr(2)) : to_hex(key);
  machine.places["ipmi_hex_kg_key"] = machine.place("power_parameters.k_g");
  if (is_kg_key(hex))
    made["ipmi_hex_kg_key"] = hex;
  else
    machine.faults.emplace_back("power_parameters.k_g",
                                "power_parameters.k_g is no key of a BMC: 20 bytes at most, as text or as 0x and two "
                                "hexadecimal digits each");
}

}  // namespace

KubernetesObjects::KubernetesObjects(const std::vector<ListingEntry>& objects) {
  for (const ListingEntry& object : objects) {
    const std::string name = text_in(object_member(object.data, "metadata"), "name");
    by_name_.try_emplace({text_in(object.data, "kind"), name, namespace_of(object)}, &object);
  }
}

const ListingEntry* KubernetesObjects::find(const char* kind, const std::string& space, const std::string& name,
                                            ListingEntry& entry, const std::string& path) const {
  for (const std::string& each : {space, std::string()}) {
    if (const auto found = by_name_.find({kind, name, each}); found != by_name_.end()) return found->second;
  }
  const auto is_named = [&](auto at) {
    return at != by_name_.end() && std::get<0>(at->first) == kind && std::get<1>(at->first) == name;
  };
  const auto first = by_name_.lower_bound({kind, name, ""});
  if (!space.empty() || !is_named(first)) {
    entry.faults.emplace_back(
        path, cat("there is no ", kind, " ", space, space.empty() ? "" : "/", name, " in this file; put it beside"));
    return nullptr;
  }
  if (!is_named(std::next(first))) return first->second;
  entry.faults.emplace_back(path, cat("there is a ", kind, " ", name,
                                      " in several namespaces: say in metadata.namespace which is this machine's"));
  return nullptr;
}

std::string kernel_arch(std::string_view name) {
  if (name == "amd64") return "x86_64";
  return name == "arm64" ? "aarch64" : std::string(name);
}

std::string take_bmc_address(const std::string& address, Json& made) {
  const std::size_t scheme_end = address.find("://");
  const std::string scheme = scheme_end == std::string::npos ? "ipmi" : address.substr(0, scheme_end);
  const std::string rest = scheme_end == std::string::npos ? address : address.substr(scheme_end + 3);
  const std::string kind = scheme.substr(0, scheme.find('+'));
  const std::size_t slash = rest.find('/');
  std::string host = rest.substr(0, slash);
  const std::string path = slash == std::string::npos ? "" : rest.substr(slash);
  if (host.empty()) return cat("a host is missing in ", address);
  if (kind == "ipmi" || kind == "libvirt") {  // Metal3's libvirt:// is a virtual BMC that speaks IPMI
    const std::size_t colon = host.rfind(':');
    if (colon != std::string::npos && (host.find(':') == colon || host[colon - 1] == ']')) {
      made["pm_port"] = host.substr(colon + 1);
      host.resize(colon);
    }
    made["pm_type"] = "ipmi";
    made["pm_addr"] = host;
    return "";
  }
  static constexpr std::array<std::string_view, 7> redfish = {
      "redfish",           "redfish-virtualmedia", "redfish-uefihttp",  "ilo5-redfish",
      "ilo5-virtualmedia", "idrac-redfish",        "idrac-virtualmedia"};
  if (std::find(redfish.begin(), redfish.end(), kind) == redfish.end()) {
    std::vector<std::string> names(redfish.begin(), redfish.end());
    names.insert(names.end(), {"ipmi", "libvirt"});
    const bool is_makers = kind.starts_with("ilo") || kind == "irmc" || kind == "idrac" || kind == "ibmc";
    if (is_makers)
      return cat(scheme,
                 ":// is its maker's own protocol, which nothing here speaks: where that BMC has Redfish or IPMI, "
                 "put redfish://HOST/redfish/v1/Systems/ID or ipmi://HOST");
    const std::optional<std::string> near = nearest(kind, names);
    return cat("nothing here manages machines by ", scheme, "://",
               near ? cat("; do you mean ", *near, "://?") : cat("; there are ", join(names, ", ")));
  }
  made["pm_type"] = "redfish";
  made["pm_addr"] = cat(scheme.ends_with("+http") ? "http://" : "https://", host);
  if (!path.empty() && path != "/") made["pm_system_id"] = path;
  return "";
}

void from_metal3_form(ListingEntry& host, const KubernetesObjects& objects) {
  Json made = Json::object();
  const Json& spec = object_member(host.data, "spec");
  host.in_use = metal3_use(host.data);
  const Json& bmc = object_member(spec, "bmc");
  const std::string address = text_in(bmc, "address");
  if (address.empty()) {
    made["pm_type"] = k_by_hand;
  } else if (const std::string fault = take_bmc_address(address, made); !fault.empty()) {
    host.faults.emplace_back("spec.bmc.address", fault);
  }
  host.places["pm_addr"] = host.place("spec.bmc.address");
  if (const std::string name = text_in(bmc, "credentialsName"); !name.empty())
    take_secret(host, "spec.bmc.credentialsName", namespace_of(host), name, objects, made);
  if (text_in(bmc, "disableCertificateVerification") == "true" && made["pm_type"] == "redfish")
    made["redfish_verify_ca"] = "false";
  if (const std::string mode = text_in(spec, "bootMode"); !mode.empty()) {
    if (mode != "legacy" && mode != "UEFI" && mode != "UEFISecureBoot")
      host.faults.emplace_back("spec.bootMode", cat("bootMode is UEFI, UEFISecureBoot or legacy, not ", mode));
    add_capability(made, "boot_mode", mode == "legacy" ? "bios" : "uefi");
    if (mode == "UEFISecureBoot") add_capability(made, "secure_boot", "true");
  }
  const std::string smallest = text_in(object_member(spec, "rootDeviceHints"), "minSizeGigabytes");
  if (!smallest.empty()) made["root_device"]["size"] = cat(">= ", smallest);
  apply_form_fields(ListingFormat::metal3, host, std::move(made));
}

namespace {

/// How a Machine of bmc.tinkerbell.org is reached.
void take_tinkerbell_bmc(ListingEntry& entry, const ListingEntry& machine, const KubernetesObjects& objects,
                         Json& made) {
  const Json& connection = object_member(object_member(machine.data, "spec"), "connection");
  const Json& options = object_member(connection, "providerOptions");
  const Json& redfish = object_member(options, "redfish");
  const Json& ipmi = object_member(options, "ipmitool");
  const bool by_redfish = options.contains("redfish");
  made["pm_type"] = by_redfish ? "redfish" : "ipmi";
  made["pm_addr"] = text_in(connection, "host");
  const std::string port = text_in(by_redfish ? redfish : ipmi, "port");
  if (!port.empty()) made["pm_port"] = port;
  if (by_redfish && redfish.contains("systemName")) made["pm_system_id"] = text_in(redfish, "systemName");
  if (by_redfish && text_in(redfish, "useBasicAuth") == "true") made["redfish_auth_type"] = "basic";
  if (by_redfish && text_in(connection, "insecureTLS") == "true") made["redfish_verify_ca"] = "false";
  if (!by_redfish && ipmi.contains("cipherSuite")) made["ipmi_cipher_suite"] = text_in(ipmi, "cipherSuite");
  const Json& reference = object_member(connection, "authSecretRef");
  const std::string own = namespace_of(machine).empty() ? namespace_of(entry) : namespace_of(machine);
  if (const std::string secret = text_in(reference, "name"); !secret.empty())
    take_secret(entry, "spec.bmcRef", text_in(reference, "namespace", own), secret, objects, made);
  for (const char* other : {"homeassistant", "intelAMT", "rpc", "preferredOrder"}) {
    if (options.contains(other)) entry.left_out.insert(cat("Machine spec.connection.providerOptions.", other));
  }
}

/// What of a Hardware's first interface is the machine's.
void take_first_interface(const Json& spec, Json& made) {
  const Json& interfaces = list_member(spec, "interfaces");
  if (interfaces.empty()) return;
  const Json& dhcp = object_member(interfaces[0], "dhcp");
  if (dhcp.contains("arch")) made["arch"] = kernel_arch(text_in(dhcp, "arch"));
  if (dhcp.contains("uefi")) add_capability(made, "boot_mode", text_in(dhcp, "uefi") == "true" ? "uefi" : "bios");
  const Json& ip = object_member(dhcp, "ip");
  for (const auto& [key, own] : {std::pair{"address", "ipv4_address"}, std::pair{"netmask", "ipv4_subnet_mask"},
                                 std::pair{"gateway", "ipv4_gateway"}}) {
    if (const std::string value = text_in(ip, key); !value.empty()) made["x_seed"][own] = value;
  }
  const Json& servers = list_member(dhcp, "name_servers");
  if (!servers.empty()) made["x_seed"]["ipv4_nameserver"] = text_of(servers[0]);
}

}  // namespace

void from_tinkerbell_form(ListingEntry& hardware, const KubernetesObjects& objects) {
  Json made = Json::object();
  const Json& spec = object_member(hardware.data, "spec");
  made["pm_type"] = k_by_hand;
  hardware.in_use = tinkerbell_use(hardware.data);
  if (const std::string name = text_in(object_member(spec, "bmcRef"), "name"); !name.empty()) {
    const ListingEntry* machine = objects.find("Machine", namespace_of(hardware), name, hardware, "spec.bmcRef");
    if (machine != nullptr) take_tinkerbell_bmc(hardware, *machine, objects, made);
  }
  take_first_interface(spec, made);
  const Json& disks = list_member(spec, "disks");
  if (!disks.empty() && disks[0].is_object()) made["root_device"]["name"] = text_in(disks[0], "device");
  apply_form_fields(ListingFormat::tinkerbell, hardware, std::move(made));
}

void from_tinkerbell_row(ListingEntry& row) {
  const bool managed = !text_in(row.data, "bmc_ip").empty();
  apply_form_fields(ListingFormat::tinkerbell, row, {{"pm_type", managed ? "ipmi" : k_by_hand}});
}

void from_maas_form(ListingEntry& machine) {
  Json made = Json::object();
  const Json& data = machine.data;
  machine.in_use = maas_use(data);
  const std::string type = text_in(data, "power_type", "manual");
  made["pm_type"] = type == "virsh" ? "libvirt" : type == "manual" ? k_by_hand : type;
  machine.places["pm_type"] = machine.place("power_type");
  const Json& power = object_member(data, "power_parameters");
  if (type.empty())
    machine.faults.emplace_back("power_type",
                                "power_type is empty: MAAS was not told how it is switched (ipmi, redfish, virsh or "
                                "manual, which is by hand)");
  const bool reached = type == "ipmi" || type == "redfish" || type == "virsh";
  if (reached && power.empty()) {
    machine.faults.emplace_back("power_type", cat("how ", type,
                                                  " reaches it is missing: put what `maas PROFILE machines "
                                                  "power-parameters` tells into it, as power_parameters"));
  }
  if (type == "ipmi") take_kg(machine, power, made);
  if (type == "virsh" && !text_in(power, "power_pass").empty())
    machine.faults.emplace_back("power_parameters.power_pass",
                                "power_parameters.power_pass: libvirt is reached here by SSH with a key of the seed's, "
                                "never with a password: leave it out");
  if (type == "ipmi" && text_in(power, "power_driver") == "LAN") made["ipmi_protocol_version"] = "1.5";
  if (type == "ipmi" && power.contains("privilege_level"))
    made["ipmi_priv_level"] = to_upper(text_in(power, "privilege_level"));
  if (data.contains("architecture")) made["arch"] = kernel_arch(split(text_in(data, "architecture"), '/').front());
  const std::string boots = text_in(data, "bios_boot_method");
  if (!boots.empty()) add_capability(made, "boot_mode", boots == "uefi" ? "uefi" : "bios");
  if (data.contains("storage") && data["storage"].is_number() && data["storage"] > 0)
    made["disk"] = std::max<std::int64_t>(1, data["storage"].get<std::int64_t>() / 1000);
  std::vector<std::string> macs;
  const auto add = [&](const Json& interface) {
    const std::string mac = text_in(interface, "mac_address");
    if (text_in(interface, "type", "physical") != "physical" || mac.empty()) return;
    if (std::find(macs.begin(), macs.end(), mac) == macs.end()) macs.push_back(mac);
  };
  add(object_member(data, "boot_interface"));
  for (const Json& interface : list_member(data, "interface_set")) add(interface);
  if (!macs.empty()) made["mac"] = macs;
  apply_form_fields(ListingFormat::maas, machine, std::move(made));
  if (type == "virsh") machine.data.erase("pm_password");  // it is refused in MAAS' word
}

void from_netbox_row(ListingEntry& row) {
  Json made = Json::object();
  const auto without_mask = [](const std::string& address) { return address.substr(0, address.find('/')); };
  const std::string management = without_mask(text_in(row.data, "oob_ip"));
  if (!management.empty()) made["pm_addr"] = management;
  for (const char* key : {"primary_ip4", "primary_ip", "ip_address"}) {
    const std::string address = without_mask(text_in(row.data, key));
    if (!address.empty() && !made.contains("x_seed")) made["x_seed"]["ipv4_address"] = address;
  }
  row.in_use = netbox_use(row.data);
  Json columns = Json::object();
  for (const auto& [key, value] : row.data.items()) {
    const bool custom = key.starts_with("cf_");
    const std::string own = custom ? key.substr(3) : key;
    const bool ours = own.starts_with("pm_") || own == "mac" || own == "arch" || own == "profile" || own == "cpu" ||
                      own == "memory" || own == "disk" || own == "capabilities";
    if (ours) {
      row.places[own == "mac" ? "mac[0]" : own] = row.place(key);
      made[own] = own == "mac"       ? Json(split_words(replace_all(text_of(value), ",", " ")))
                  : own == "pm_type" ? Json(to_lower(text_of(value)))
                                     : value;
    } else if (custom) {
      row.left_out.insert(key);
    } else {
      columns[key] = value;
    }
  }
  if (!made.contains("pm_type")) made["pm_type"] = made.contains("pm_addr") ? "redfish" : k_by_hand;
  if (!management.empty()) row.places["pm_addr"] = row.place("oob_ip");
  // NetBox writes whole units as 12.0.
  if (std::string slot = text_in(columns, "position"); slot.ends_with(".0"))
    columns["position"] = slot.substr(0, slot.size() - 2);
  row.data = std::move(columns);
  apply_form_fields(ListingFormat::netbox, row, std::move(made));
}

void from_warewulf_form(const std::string& name, ListingEntry& node) {
  Json made = {{"name", name}};
  const Json& ipmi = object_member(node.data, "ipmi");
  made["pm_type"] = text_in(ipmi, "ipaddr").empty() ? k_by_hand : "ipmi";
  if (text_in(ipmi, "interface") == "lan") made["ipmi_protocol_version"] = "1.5";
  const Json& devices = object_member(node.data, "network devices");
  const std::string first = text_in(node.data, "primary network", "default");
  const auto add = [&](const std::string& key, const Json& device) {
    const std::string type = text_in(device, "type", "ethernet");
    const std::string mac = text_in(device, "hwaddr");
    if (type != "ethernet") node.left_out.insert(cat("network devices of the type ", type));
    if (mac.empty() || type != "ethernet") return;
    node.places[cat("mac[", made["mac"].size(), "]")] = node.place(cat("network devices.", key, ".hwaddr"));
    made["mac"].push_back(mac);
  };
  if (devices.contains(first)) {
    const Json& device = devices[first];
    add(first, device);
    for (const auto& [key, own] : {std::pair{"ipaddr", "ipv4_address"}, std::pair{"netmask", "ipv4_subnet_mask"},
                                   std::pair{"gateway", "ipv4_gateway"}}) {
      if (const std::string value = text_in(device, key); !value.empty()) made["x_seed"][own] = value;
    }
  }
  for (const auto& [key, device] : devices.items()) {
    if (key != first) add(key, device);
  }
  apply_form_fields(ListingFormat::warewulf, node, std::move(made));
}

void from_openchami_form(ListingEntry& node, const std::map<std::string, const Json*>& bmcs) {
  Json made = {{"pm_type", "redfish"}};
  node.may_share_bmc = true;
  const std::string xname = text_in(node.data, "xname");
  // x1000c0s1b0n0 is a node of the BMC x1000c0s1b0.
  const std::size_t last = xname.rfind('n');
  const std::string named = text_in(node.data, "bmc", last == std::string::npos ? "" : xname.substr(0, last));
  if (const auto found = bmcs.find(named); found != bmcs.end()) {
    const Json& bmc = *found->second;
    made["pm_addr"] = text_in(bmc, "ip", text_in(bmc, "fqdn"));
    for (const auto& [key, own] : {std::pair{"mac", "bmc_mac"}, std::pair{"fqdn", "bmc_fqdn"}}) {
      if (bmc.contains(key)) made["extra"][own] = bmc[key];
    }
  } else if (node.data.contains("bmc")) {
    node.faults.emplace_back("bmc", cat("there is no BMC ", named, " among the bmcs of this file"));
  } else if (!node.data.contains("bmc_ip") && node.data.contains("bmc_fqdn")) {
    made["pm_addr"] = node.data["bmc_fqdn"];
  } else if (!node.data.contains("bmc_ip")) {
    made["pm_type"] = k_by_hand;
  }
  for (const Json& interface : list_member(node.data, "interfaces")) {
    for (const Json& address : list_member(interface, "ip_addrs")) {
      if (!made.contains("x_seed")) made["x_seed"]["ipv4_address"] = text_in(address, "ip_addr");
    }
  }
  apply_form_fields(ListingFormat::openchami, node, std::move(made));
}

bool is_managed_host(const Json& variables) {
  static constexpr std::array<const char*, 4> ways = {"ironic_driver", "redfish_address", "ipmi_address", "driver"};
  return std::any_of(ways.begin(), ways.end(), [&](const char* key) {
    const Json* value = find_member(variables, key);
    return value != nullptr && !value->is_null() && !text_of(*value).empty();
  });
}

namespace {

/// "{{ name }}" of another variable of the host; what is more than a name stays.
std::string with_variables(std::string text, const Json& variables) {
  std::size_t from = 0;
  for (int left = 100; left > 0; --left) {
    const std::size_t begin = text.find("{{", from);
    const std::size_t end = begin == std::string::npos ? begin : text.find("}}", begin);
    if (end == std::string::npos) return text;
    const std::string name(trim(std::string_view(text).substr(begin + 2, end - begin - 2)));
    const Json* value = find_member(variables, name);
    if (value == nullptr || value->is_structured()) {
      from = end;
      continue;
    }
    text.replace(begin, end + 2 - begin, text_of(*value));
  }
  return text;
}

Json templated(const Json& value, const Json& variables) {
  if (value.is_string()) return with_variables(value.get<std::string>(), variables);
  if (!value.is_structured()) return value;
  Json out = value;
  for (auto& [key, member] : out.items()) member = templated(member, variables);
  return out;
}

/// What is still an expression of Jinja, or encrypted, is no value. What stands around an expression may be a secret.
void refuse_expressions(const Json& made, ListingEntry& host) {
  for (const auto& [key, value] : made.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : "";
    if (text.starts_with(k_vault_mark) || (value.is_object() && value.contains("__ansible_vault"))) {
      host.faults.emplace_back(key, cat(key, ": the value ", k_vaulted));
    } else if (value.is_object()) {
      refuse_expressions(value, host);
    } else if (text.find("{{") != std::string::npos || text.find("{%") != std::string::npos) {
      const bool whole = text.starts_with("{{") && text.find("}}") == text.size() - 2;
      host.faults.emplace_back(key, cat(key, ": ", whole ? text : "the value",
                                        " is an expression; a value, or the name of a variable of this host, is "
                                        "expected (ansible-inventory --list knows those of group_vars, too)"));
    }
  }
}

constexpr std::array<const char*, 6> k_bmc_variables = {"_address", "_username",  "_password",
                                                        "_port",    "_system_id", "_verify_ca"};

/// What stands beside ironic_driver, as where no driver is named, and not in ironic_driver_info.
void add_variables(const std::string& driver, const Json& variables, Json& info) {
  if ((driver != "redfish" && driver != "ipmi") || !info.is_object() || info.contains(driver + "_address")) return;
  for (const char* key : k_bmc_variables) {
    const Json* value = find_member(variables, driver + key);
    if (value != nullptr && !value->is_null() && !info.contains(driver + key))
      info[driver + key] = templated(*value, variables);
  }
}

}  // namespace

void from_ansible_form(const std::string& name, ListingEntry& host) {
  Json variables = host.data;
  if (variables.contains("driver")) {  // bifrost's own dynamic inventory
    from_bifrost_form(name, host);
    return;
  }
  Json made = {{"name", name}};
  if (const std::string driver = with_variables(text_in(variables, "ironic_driver"), variables); !driver.empty()) {
    ListingEntry own;
    own.data = {{"driver", driver},
                {"driver_info", templated(variables.value("ironic_driver_info", Json::object()), variables)},
                {"properties", templated(variables.value("ironic_properties", Json::object()), variables)}};
    add_variables(driver, variables, own.data["driver_info"]);
    // Kayobe has the address of IPMI in every driver_info, so that an inspection finds the node.
    if (driver != "ipmi" && own.data["driver_info"].is_object()) own.data["driver_info"].erase("ipmi_address");
    from_ironic_form(own);
    made.update(own.data);
  } else {
    const std::string by = text_in(variables, "redfish_address").empty() ? "ipmi" : "redfish";
    made["pm_type"] = by;
    for (const char* key : k_bmc_variables) {
      const Json* value = find_member(variables, by + key);
      // Kayobe has one user for both.
      const bool user = std::string_view(key) == "_username" || std::string_view(key) == "_password";
      if (value == nullptr && user) value = find_member(variables, cat("ipmi", key));
      if (value != nullptr && !value->is_null()) made[by + key] = templated(*value, variables);
    }
  }
  for (auto& [key, value] : host.data.items()) value = templated(value, variables);
  apply_form_fields(ListingFormat::ansible, host, std::move(made));
  const std::string written = replace_all(format_json(variables), " ", "");
  std::erase_if(host.left_out, [&](const std::string& each) {
    const std::string variable = each.substr(0, each.find(' '));  // behind which may stand what is near it
    return written.find(cat("{{", variable, "}}")) != std::string::npos;
  });
  refuse_expressions(host.data, host);
}

}  // namespace hearth::bootstrap
