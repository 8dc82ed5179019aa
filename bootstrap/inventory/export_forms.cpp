#include "bootstrap/inventory/export_forms.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "base/yaml_scalar.hpp"
#include "bootstrap/inventory/drivers.hpp"
#include "bootstrap/inventory/entry_check.hpp"
#include "bootstrap/inventory/foreign_forms.hpp"
#include "bootstrap/inventory/form_fields.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

/// An entry, of which a form takes key after key.
class ExportSource {
 public:
  explicit ExportSource(const Json& node) : entry_(node) {
    Json macs = Json::array();
    for (const Json& port : list_member(node, "ports")) macs.push_back(text_in(port, "address"));
    entry_["mac"] = macs;
    entry_.erase("ports");
    for (const auto& [key, value] : parse_capabilities(text_in(node, "capabilities"))) capabilities_[key] = value;
    if (text_in(entry_, "name").empty()) entry_["name"] = text_in(node, "uuid");
  }

  [[nodiscard]] std::string text(const std::string& key) {
    taken_.push_back(key);
    return text_in(entry_, key);
  }
  /// Whether no certificate is looked at; the file of an authority is left to be told as lost.
  [[nodiscard]] bool takes_any_certificate() {
    const std::string verify = to_lower(text_in(entry_, "redfish_verify_ca"));
    if (verify == "true" || verify == "false") take("redfish_verify_ca");
    return verify == "false";
  }
  [[nodiscard]] std::string capability(const std::string& key) {
    const auto found = capabilities_.find(key);
    if (found == capabilities_.end()) return "";
    const std::string value = found->second;
    capabilities_.erase(found);
    return value;
  }
  [[nodiscard]] std::string seed(const std::string& key) {
    taken_.push_back(cat("x_seed.", key));
    return text_in(object_member(entry_, "x_seed"), key);
  }
  [[nodiscard]] Json by_table(ListingFormat form) { return unapply_form_fields(form, entry_, taken_); }
  [[nodiscard]] const Json& entry() const { return entry_; }
  void take(const std::string& key) { taken_.push_back(key); }

  /// What nobody took.
  void add_lost(std::set<std::string>& lost, std::size_t macs) const {
    if (entry_["mac"].size() > macs) lost.insert("further MACs");
    for (const auto& [key, value] : capabilities_) {
      if (key != "boot_option") lost.insert(cat("capabilities ", key));
    }
    for (const auto& [key, value] : entry_.items()) {
      if (key == "capabilities" || key == "mac" || is_taken(key)) continue;
      if (!value.is_object()) {
        lost.insert(key);
        continue;
      }
      for (const auto& [inner, each] : value.items()) {
        if (!is_taken(cat(key, ".", inner))) lost.insert(cat(key, ".", inner));
      }
    }
  }

 private:
  [[nodiscard]] bool is_taken(const std::string& key) const {
    return std::find(taken_.begin(), taken_.end(), key) != taken_.end();
  }
  Json entry_;
  std::vector<std::string> taken_;
  std::map<std::string, std::string> capabilities_;
};

std::string yaml_scalar(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view(" _./-").find(static_cast<char>(c)) != std::string_view::npos;
  };
  const bool good = !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
                    text.back() != ' ' && std::all_of(text.begin(), text.end(), plain) && is_yaml_text(text);
  return good ? text : format_json(text);
}

/// Block style; keys and texts as YAML takes them for nothing else.
void write_yaml(const Json& value, const std::string& indent, std::string& out) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, member] : value.items()) {
      const bool below = member.is_structured() && !member.empty();
      out += cat(indent, yaml_scalar(key), ":", below ? "\n" : " ");
      write_yaml(member, indent + "  ", out);
    }
  } else if (value.is_array() && !value.empty()) {
    for (const Json& item : value) {
      std::string text;
      write_yaml(item, indent + "  ", text);
      if (item.is_structured() && !item.empty()) text.erase(0, indent.size() + 2);
      out += cat(indent, "- ", text);
    }
  } else {
    out += cat(value.is_string() ? yaml_scalar(value.get<std::string>()) : format_json(value), "\n");
  }
}

std::string yaml_of(const Json& value) {
  std::string out;
  write_yaml(value, "", out);
  return out;
}

std::string documents_of(const std::vector<Json>& documents) {
  std::string out;
  for (const Json& document : documents) out += cat("---\n", yaml_of(document));
  return out;
}

bool is_switched_by_hand(const std::string& type) { return type == "fake_pxe" || type == "manual-management"; }

/// The driver's own names of driver_info.
Json driver_info_of(ExportSource& source) {
  const std::string type = source.text("pm_type");
  const DriverRow* row = driver_of(type);
  Json info = Json::object();
  for (const auto& [key, value] : source.entry().items()) {
    std::string own = key == "kernel_id" ? "deploy_kernel" : key == "ramdisk_id" ? "deploy_ramdisk" : "";
    if (row != nullptr && own.empty()) own = driver_key(*row, key).value_or("");
    if (row != nullptr && own.empty() && !row->prefix.empty() && key.starts_with(cat(row->prefix, "_"))) own = key;
    if (own.empty()) continue;
    info[own] = value;
    source.take(key);
  }
  return info;
}

Json properties_of(ExportSource& source, const Json& node, bool bifrost) {
  Json properties = Json::object();
  for (const auto& [key, own] :
       {std::pair{"arch", "cpu_arch"}, std::pair{"cpu", "cpus"}, std::pair{"memory", bifrost ? "ram" : "memory_mb"},
        std::pair{"disk", bifrost ? "disk_size" : "local_gb"}}) {
    if (const std::string value = source.text(key); !value.empty()) properties[own] = value;
  }
  for (const char* key : {"capabilities", "root_device"}) {
    if (node.contains(key)) properties[key] = node[key];
  }
  return properties;
}

/// Ironic's node, or bifrost's, which has names of its own for some.
Json ironic_node(const Json& node, bool bifrost) {
  ExportSource source(node);
  const std::string type = source.text("pm_type");
  Json out = {{"name", source.text("name")}};
  if (node.contains("uuid")) out["uuid"] = node["uuid"];
  out["driver"] = is_switched_by_hand(type) ? "manual-management" : type;
  out["driver_info"] = driver_info_of(source);
  out["properties"] = properties_of(source, node, bifrost);
  for (const auto& [key, value] : node.items()) {
    if (key == "resource_class" || key == "description" || key == "owner" || key == "conductor_group" ||
        key.ends_with("_interface"))
      out[key] = value;
  }
  if (!bifrost) {
    if (node.contains("ports")) out["ports"] = node["ports"];
    Json extra = object_member(node, "extra");
    if (node.contains("x_seed")) extra["x_seed"] = node["x_seed"];
    if (!extra.empty()) out["extra"] = extra;
    return out;
  }
  out["nics"] = Json::array();
  for (const Json& mac : list_member(source.entry(), "mac")) out["nics"].push_back({{"mac", mac}});
  for (const auto& [key, value] : object_member(node, "x_seed").items()) out[key] = value;
  if (!object_member(node, "extra").empty()) out["extra"] = node["extra"];
  return out;
}

struct AddressScheme {
  std::string scheme;
  std::string host;
};

/// "http://host" → http, host; https where nothing is said.
AddressScheme split_scheme(const std::string& address) {
  const std::size_t end = address.find("://");
  return end == std::string::npos ? AddressScheme{"https", address}
                                  : AddressScheme{address.substr(0, end), address.substr(end + 3)};
}

Json secret_object(const std::string& name, const std::string& user, const std::string& password) {
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", {{"name", name}}},
          {"type", "Opaque"},
          {"data", {{"username", base64_encode(user)}, {"password", base64_encode(password)}}}};
}

/// The Secret of a machine's BMC, and its name. Where there is no password none is written, nor named: one without it
/// would take the password from the Secret that a cluster has.
std::string add_secret(const std::string& machine, const std::string& user, const std::string& password,
                       std::vector<Json>& out, std::set<std::string>& lost) {
  if (password.empty()) {
    if (!user.empty()) lost.insert("pm_user (a Secret is written with its password only: --secrets)");
    return "";
  }
  out.push_back(secret_object(cat(machine, "-bmc-secret"), user, password));
  return cat(machine, "-bmc-secret");
}

std::string metal3_address(ExportSource& source, const std::string& type) {
  const std::string address = source.text("pm_addr");
  const std::string port = source.text("pm_port");
  const std::string tail = port.empty() ? "" : cat(":", port);
  if (type == "ipmi") return cat("ipmi://", address, tail);
  const AddressScheme parts = split_scheme(address);
  return cat(parts.scheme == "http" ? "redfish+http://" : "redfish://", parts.host, tail, source.text("pm_system_id"));
}

void metal3_documents(const Json& node, std::vector<Json>& out, std::set<std::string>& lost) {
  ExportSource source(node);
  const std::string type = source.text("pm_type");
  Json host = {{"apiVersion", "metal3.io/v1alpha1"}, {"kind", "BareMetalHost"}};
  host.update(source.by_table(ListingFormat::metal3));
  Json& spec = host["spec"];
  const std::string name = text_in(source.entry(), "name");
  if (type == "ipmi" || type == "redfish") {
    const std::string user = source.text("pm_user");
    const std::string password = source.text("pm_password");
    spec["bmc"]["address"] = metal3_address(source, type);
    if (const std::string secret = add_secret(name, user, password, out, lost); !secret.empty())
      spec["bmc"]["credentialsName"] = secret;
    if (type == "redfish" && source.takes_any_certificate()) spec["bmc"]["disableCertificateVerification"] = true;
  } else if (!is_switched_by_hand(type)) {
    lost.insert(cat("the driver ", type));
  }
  const std::string mode = source.capability("boot_mode");
  const bool secure = source.capability("secure_boot") == "true";
  if (!mode.empty()) spec["bootMode"] = mode == "bios" ? "legacy" : secure ? "UEFISecureBoot" : "UEFI";
  const std::string size = text_in(object_member(source.entry(), "root_device"), "size");
  if (size.starts_with(">= ")) {
    spec["rootDeviceHints"]["minSizeGigabytes"] = static_cast<std::int64_t>(parse_number(size.substr(3)).value_or(0));
    source.take("root_device.size");
  }
  spec["online"] = true;
  source.add_lost(lost, 1);
  out.push_back(std::move(host));
}

void tinkerbell_machine(ExportSource& source, const std::string& type, std::vector<Json>& out,
                        std::set<std::string>& lost) {
  const std::string name = text_in(source.entry(), "name");
  const bool redfish = type == "redfish";
  const std::string user = source.text("pm_user");
  const std::string password = source.text("pm_password");
  Json connection = {{"host", source.text("pm_addr")}};
  if (const std::string secret = add_secret(name, user, password, out, lost); !secret.empty())
    connection["authSecretRef"]["name"] = secret;
  Json& options = connection["providerOptions"][redfish ? "redfish" : "ipmitool"];
  options = Json::object();
  if (const std::string port = source.text("pm_port"); !port.empty())
    options["port"] = static_cast<std::int64_t>(parse_number(port).value_or(0));
  const std::string system = source.text("pm_system_id");
  if (redfish && !system.empty()) options["systemName"] = system;
  if (redfish && source.takes_any_certificate()) connection["insecureTLS"] = true;
  if (redfish && source.text("redfish_auth_type") == "basic") options["useBasicAuth"] = true;
  const std::string suite = redfish ? "" : source.text("ipmi_cipher_suite");
  if (!suite.empty()) options["cipherSuite"] = suite;
  out.push_back({{"apiVersion", "bmc.tinkerbell.org/v1alpha1"},
                 {"kind", "Machine"},
                 {"metadata", {{"name", cat(name, "-bmc")}}},
                 {"spec", {{"connection", connection}}}});
}

void tinkerbell_documents(const Json& node, std::vector<Json>& out, std::set<std::string>& lost) {
  ExportSource source(node);
  const std::string type = source.text("pm_type");
  Json hardware = {{"apiVersion", "tinkerbell.org/v1alpha1"}, {"kind", "Hardware"}};
  // The table has the columns of hardware.csv, too: of those nothing stands in a Hardware.
  Json only = Json::object();
  for (const char* key : {"name", "mac", "extra"}) {
    if (source.entry().contains(key)) only[key] = source.entry()[key];
  }
  std::vector<std::string> taken;
  hardware.update(unapply_form_fields(ListingFormat::tinkerbell, only, taken));
  for (const std::string& key : taken) source.take(key);
  if (type == "ipmi" || type == "redfish") {
    tinkerbell_machine(source, type, out, lost);
    hardware["spec"]["bmcRef"] = {{"apiGroup", "bmc.tinkerbell.org"},
                                  {"kind", "Machine"},
                                  {"name", cat(text_in(source.entry(), "name"), "-bmc")}};
  } else if (!is_switched_by_hand(type)) {
    lost.insert(cat("the driver ", type));
  }
  if (const std::string disk = text_in(object_member(source.entry(), "root_device"), "name"); !disk.empty()) {
    hardware["spec"]["disks"] = Json::array({{{"device", disk}}});
    source.take("root_device.name");
  }
  if (hardware["spec"].contains("interfaces")) {
    Json& dhcp = hardware["spec"]["interfaces"][0]["dhcp"];
    if (const std::string arch = source.text("arch"); !arch.empty()) dhcp["arch"] = arch;
    if (const std::string mode = source.capability("boot_mode"); !mode.empty()) dhcp["uefi"] = mode == "uefi";
    for (const auto& [own, key] : {std::pair{"ipv4_address", "address"}, std::pair{"ipv4_subnet_mask", "netmask"},
                                   std::pair{"ipv4_gateway", "gateway"}}) {
      if (const std::string value = source.seed(own); !value.empty()) dhcp["ip"][key] = value;
    }
    if (const std::string server = source.seed("ipv4_nameserver"); !server.empty())
      dhcp["name_servers"] = Json::array({server});
  }
  source.add_lost(lost, 1000);
  out.push_back(std::move(hardware));
}

Json maas_machine(const Json& node, std::set<std::string>& lost) {
  ExportSource source(node);
  const std::string type = source.text("pm_type");
  Json out = source.by_table(ListingFormat::maas);
  out["power_type"] = type == "libvirt" ? "virsh" : is_switched_by_hand(type) ? "manual" : type;
  if (source.text("ipmi_protocol_version") == "1.5") out["power_parameters"]["power_driver"] = "LAN";
  if (const std::string level = source.text("ipmi_priv_level"); !level.empty())
    out["power_parameters"]["privilege_level"] = level;
  if (const std::string key = source.text("ipmi_hex_kg_key"); !key.empty()) out["power_parameters"]["k_g"] = "0x" + key;
  const std::string arch = source.text("arch");
  if (!arch.empty())
    out["architecture"] = cat(arch == "x86_64" ? "amd64" : arch == "aarch64" ? "arm64" : arch, "/generic");
  if (const std::string mode = source.capability("boot_mode"); !mode.empty())
    out["bios_boot_method"] = mode == "uefi" ? "uefi" : "pxe";
  if (const auto disk = parse_number(source.text("disk"))) out["storage"] = static_cast<std::int64_t>(*disk) * 1000;
  for (const Json& mac : list_member(source.entry(), "mac"))
    out["interface_set"].push_back({{"type", "physical"}, {"mac_address", mac}});
  source.add_lost(lost, 1000);
  return out;
}

Json warewulf_node(const Json& node, std::set<std::string>& lost) {
  ExportSource source(node);
  const std::string type = source.text("pm_type");
  source.take("name");
  Json out = source.by_table(ListingFormat::warewulf);
  if (type != "ipmi" && !is_switched_by_hand(type)) lost.insert(cat("the driver ", type));
  if (type != "ipmi") out.erase("ipmi");
  if (type == "ipmi" && source.text("ipmi_protocol_version") == "1.5") out["ipmi"]["interface"] = "lan";
  const Json& macs = list_member(source.entry(), "mac");
  for (std::size_t i = 0; i < macs.size(); ++i) {
    Json& device = out["network devices"][i == 0 ? "default" : cat("net", i)];
    device["hwaddr"] = macs[i];
    if (i > 0) continue;
    for (const auto& [own, key] : {std::pair{"ipv4_address", "ipaddr"}, std::pair{"ipv4_subnet_mask", "netmask"},
                                   std::pair{"ipv4_gateway", "gateway"}}) {
      if (const std::string value = source.seed(own); !value.empty()) device[key] = value;
    }
  }
  source.add_lost(lost, 1000);
  return out;
}

Json openchami_node(const Json& node, std::set<std::string>& lost) {
  ExportSource source(node);
  const std::string type = source.text("pm_type");
  Json out = source.by_table(ListingFormat::openchami);
  if (type != "redfish" && !is_switched_by_hand(type))
    lost.insert(cat("the driver ", type, " (OpenCHAMI's BMCs speak Redfish: as that it would come back)"));
  if (!out.contains("xname")) lost.insert("an xname, which OpenCHAMI asks for (hearth node set --extra xname=…)");
  const std::string address = source.seed("ipv4_address");
  if (!address.empty() && out.contains("interfaces"))
    out["interfaces"][0]["ip_addrs"] = Json::array({{{"name", "management"}, {"ip_addr", address}}});
  source.add_lost(lost, 1000);
  return out;
}

Json ansible_host(const Json& node, std::set<std::string>& lost) {
  ExportSource source(node);
  const std::string type = source.text("pm_type");
  source.take("name");
  Json out = source.by_table(ListingFormat::ansible);
  out.erase("name");
  out["ironic_driver"] = is_switched_by_hand(type) ? "manual-management" : type;
  out["ironic_driver_info"] = driver_info_of(source);
  out["ironic_properties"] = properties_of(source, node, false);
  for (const auto& [key, value] : object_member(node, "root_device").items()) source.take(cat("root_device.", key));
  for (const auto& [key, value] : parse_capabilities(text_in(node, "capabilities"))) (void)source.capability(key);
  source.add_lost(lost, 1);
  return out;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  return cat("\"", replace_all(text, "\"", "\"\""), "\"");
}

/// The columns that `first` names where a row has them, then the others as they come.
std::string table_of(const std::vector<Json>& rows, const std::vector<std::string>& first) {
  std::vector<std::string> found;
  for (const Json& row : rows) {
    for (const auto& [key, value] : row.items()) {
      if (std::find(found.begin(), found.end(), key) == found.end()) found.push_back(key);
    }
  }
  std::stable_sort(found.begin(), found.end(), [&](const std::string& one, const std::string& other) {
    return std::find(first.begin(), first.end(), one) < std::find(first.begin(), first.end(), other);
  });
  std::string out = cat(join(found, ","), "\n");
  for (const Json& row : rows) {
    std::vector<std::string> fields;
    for (const std::string& key : found) fields.push_back(csv_field(text_in(row, key)));
    out += cat(join(fields, ","), "\n");
  }
  return out;
}

/// Instackenv's fields as a table, for a spreadsheet; and where the machine stands.
std::string own_table(const Json& nodes, std::set<std::string>& lost) {
  std::vector<Json> rows;
  for (const Json& node : nodes) {
    const Json entry = ExportSource(node).entry();
    Json row = {{"name", text_in(node, "name")}};
    for (const auto& [key, value] : entry.items()) {
      if (key == "name") continue;
      if (key == "mac" && !value.empty()) {
        row["mac"] = join(value.get<std::vector<std::string>>(), " ");
      } else if (value.is_object()) {
        for (const auto& [inner, each] : value.items()) {
          const bool has_column = key == "x_seed" && is_place(inner) && !each.is_structured();
          if (has_column) row[inner] = text_of(each);
          if (!has_column) lost.insert(cat(key, ".", inner));
        }
      } else if (!value.is_array() && is_entry_field(key)) {
        row[key] = text_of(value);
      } else if (key != "mac") {
        lost.insert(key);
      }
    }
    rows.push_back(std::move(row));
  }
  return table_of(rows, {"name", "pm_type", "pm_addr", "pm_user", "pm_password", "mac", "rack", "slot", "location"});
}

/// Name and what NetBox keeps of a device; ours in custom fields.
std::string netbox_table(const Json& nodes, std::set<std::string>& lost) {
  std::vector<Json> rows;
  for (const Json& node : nodes) {
    ExportSource source(node);
    Json row = source.by_table(ListingFormat::netbox);
    row.erase("mac");
    if (const std::string address = source.seed("ipv4_address"); !address.empty()) row["primary_ip4"] = address;
    const Json& macs = list_member(source.entry(), "mac");
    std::vector<std::string> words;
    for (const Json& mac : macs) words.push_back(text_of(mac));
    if (!words.empty()) row["cf_mac"] = join(words, " ");
    if (node.contains("capabilities")) row["cf_capabilities"] = node["capabilities"];
    for (const char* key : {"pm_type", "pm_addr", "pm_user", "pm_password", "pm_port", "pm_system_id", "pm_vm_name",
                            "arch", "cpu", "memory", "disk"}) {
      if (const std::string value = source.text(key); !value.empty()) row[cat("cf_", key)] = value;
    }
    for (const auto& [key, value] : parse_capabilities(text_in(node, "capabilities"))) (void)source.capability(key);
    source.add_lost(lost, 1000);
    rows.push_back(std::move(row));
  }
  return table_of(rows, {});
}

Json by_name(const Json& nodes, auto make) {
  Json out = Json::object();
  for (const Json& node : nodes) out[text_in(node, "name", text_in(node, "uuid"))] = make(node);
  return out;
}

Json in_list(const Json& nodes, auto make) {
  Json out = Json::array();
  for (const Json& node : nodes) out.push_back(make(node));
  return out;
}

}  // namespace

const std::vector<std::string>& export_form_names() {
  static const std::vector<std::string> names = {"instackenv", "csv",        "ironic",   "bifrost",
                                                 "metal3",     "ansible",    "maas",     "netbox",
                                                 "warewulf",   "tinkerbell", "openchami"};
  return names;
}

std::string render_inventory(const Json& nodes, ListingFormat form, std::set<std::string>& lost) {
  std::vector<Json> documents;
  switch (form) {
    case ListingFormat::instackenv: return json_document({{"nodes", nodes}});
    case ListingFormat::csv: return own_table(nodes, lost);
    case ListingFormat::ironic:
      return json_document({{"nodes", in_list(nodes, [](const Json& node) { return ironic_node(node, false); })}});
    case ListingFormat::bifrost:
      return json_document(by_name(nodes, [](const Json& node) { return ironic_node(node, true); }));
    case ListingFormat::metal3:
      for (const Json& node : nodes) metal3_documents(node, documents, lost);
      return documents_of(documents);
    case ListingFormat::tinkerbell:
      for (const Json& node : nodes) tinkerbell_documents(node, documents, lost);
      return documents_of(documents);
    case ListingFormat::ansible: {
      const Json hosts = by_name(nodes, [&](const Json& node) { return ansible_host(node, lost); });
      return yaml_of({{"all", {{"children", {{"baremetal-compute", {{"hosts", hosts}}}}}}}});
    }
    case ListingFormat::maas:
      return json_document(in_list(nodes, [&](const Json& node) { return maas_machine(node, lost); }));
    case ListingFormat::netbox: return netbox_table(nodes, lost);
    case ListingFormat::warewulf:
      return yaml_of({{"nodeprofiles", {{"default", Json::object()}}},
                      {"nodes", by_name(nodes, [&](const Json& node) { return warewulf_node(node, lost); })}});
    case ListingFormat::openchami:
      return yaml_of({{"nodes", in_list(nodes, [&](const Json& node) { return openchami_node(node, lost); })}});
    default: throw std::out_of_range("no form to write");
  }
}

}  // namespace hearth::bootstrap
