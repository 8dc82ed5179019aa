#include "bootstrap/inventory/form_fields.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

using FormTable = std::vector<FormField>;

/// With what every object of Kubernetes has.
FormTable of_object(const FormTable& own) {
  FormTable all = {{"apiVersion", k_by_form},
                   {"kind", k_by_form},
                   {"metadata.name", "name"},
                   {"metadata.namespace", "extra.namespace"},
                   {"metadata.labels", "extra.labels"},
                   {"metadata.annotations", k_left_out},
                   {"metadata.creationTimestamp", k_left_out},
                   {"metadata.finalizers", k_left_out},
                   {"metadata.generation", k_left_out},
                   {"metadata.managedFields", k_left_out},
                   {"metadata.ownerReferences", k_left_out},
                   {"metadata.resourceVersion", k_left_out},
                   {"metadata.selfLink", k_left_out},
                   {"metadata.uid", k_left_out},
                   {"status", k_left_out}};
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

const FormTable k_metal3 = of_object({{"spec.architecture", "arch"},
                                      {"spec.automatedCleaningMode", k_left_out},
                                      {"spec.bmc.address", k_by_form},
                                      {"spec.bmc.credentialsName", k_by_form},
                                      {"spec.bmc.disableCertificateVerification", k_by_form},
                                      {"spec.bootMACAddress", "mac"},
                                      {"spec.bootMode", k_by_form},
                                      {"spec.consumerRef", k_by_form},
                                      {"spec.customDeploy", k_by_form},
                                      {"spec.description", "description"},
                                      {"spec.disablePowerOff", k_left_out},
                                      {"spec.externallyProvisioned", k_by_form},
                                      {"spec.firmware", k_left_out},
                                      {"spec.hardwareProfile", k_left_out},
                                      {"spec.image", k_by_form},
                                      {"spec.inspectionMode", k_left_out},
                                      {"spec.metaData", k_left_out},
                                      {"spec.networkData", k_left_out},
                                      {"spec.networkInterfaces", k_left_out},
                                      {"spec.online", k_left_out},
                                      {"spec.preprovisioningNetworkDataName", k_left_out},
                                      {"spec.raid", k_left_out},
                                      {"spec.rootDeviceHints.deviceName", "root_device.name"},
                                      {"spec.rootDeviceHints.hctl", "root_device.hctl"},
                                      {"spec.rootDeviceHints.minSizeGigabytes", k_by_form},
                                      {"spec.rootDeviceHints.model", "root_device.model"},
                                      {"spec.rootDeviceHints.rotational", "root_device.rotational"},
                                      {"spec.rootDeviceHints.serialNumber", "root_device.serial"},
                                      {"spec.rootDeviceHints.vendor", "root_device.vendor"},
                                      {"spec.rootDeviceHints.wwn", "root_device.wwn"},
                                      {"spec.rootDeviceHints.wwnVendorExtension", "root_device.wwn_vendor_extension"},
                                      {"spec.rootDeviceHints.wwnWithExtension", "root_device.wwn_with_extension"},
                                      {"spec.taints", k_left_out},
                                      {"spec.userData", k_left_out}});

const FormTable k_tinkerbell = of_object({{"spec.agentID", k_left_out},
                                          {"spec.auto", k_left_out},
                                          {"spec.bmcRef", k_by_form},
                                          {"spec.disks[].device", k_by_form},
                                          {"spec.interfaces[].dhcp.mac", "mac"},
                                          {"spec.interfaces[].dhcp.arch", k_by_form},
                                          {"spec.interfaces[].dhcp.uefi", k_by_form},
                                          {"spec.interfaces[].dhcp.ip", k_by_form},
                                          {"spec.interfaces[].dhcp.name_servers", k_by_form},
                                          {"spec.interfaces[].dhcp.boot_file_name", k_left_out},
                                          {"spec.interfaces[].dhcp.classless_static_routes", k_left_out},
                                          {"spec.interfaces[].dhcp.domain_name", k_left_out},
                                          {"spec.interfaces[].dhcp.hostname", k_left_out},
                                          {"spec.interfaces[].dhcp.iface_name", k_left_out},
                                          {"spec.interfaces[].dhcp.lease_time", k_left_out},
                                          {"spec.interfaces[].dhcp.tftp_server_name", k_left_out},
                                          {"spec.interfaces[].dhcp.time_servers", k_left_out},
                                          {"spec.interfaces[].dhcp.vlan_id", k_left_out},
                                          {"spec.interfaces[].disableDhcp", k_left_out},
                                          {"spec.interfaces[].isoboot", k_left_out},
                                          {"spec.interfaces[].netboot", k_left_out},
                                          {"spec.metadata", k_left_out},
                                          {"spec.references", k_left_out},
                                          {"spec.resources", k_left_out},
                                          {"spec.tinkVersion", k_left_out},
                                          {"spec.userData", k_left_out},
                                          {"spec.vendorData", k_left_out},
                                          // its hardware.csv
                                          {"hostname", "name"},
                                          {"bmc_ip", "pm_addr"},
                                          {"bmc_username", "pm_user"},
                                          {"bmc_password", "pm_password"},
                                          {"mac", "mac"},
                                          {"ip_address", "x_seed.ipv4_address"},
                                          {"netmask", "x_seed.ipv4_subnet_mask"},
                                          {"gateway", "x_seed.ipv4_gateway"},
                                          {"nameservers", "x_seed.ipv4_nameserver"},
                                          {"disk", "root_device.name"},
                                          {"labels", "extra.labels"},
                                          {"id", k_left_out},
                                          {"vendor", k_left_out},
                                          {"vlan_id", k_left_out}});

/// What MAAS tells of a machine differs by its version; only what is of use here is named.
const FormTable k_maas = {{"hostname", "name"},
                          {"system_id", "extra.system_id"},
                          {"architecture", k_by_form},
                          {"bios_boot_method", k_by_form},
                          {"boot_interface", k_by_form},
                          {"interface_set", k_by_form},
                          {"cpu_count", "cpu"},
                          {"memory", "memory"},
                          {"storage", k_by_form},
                          {"description", "description"},
                          {"tag_names", "extra.tags"},
                          {"status_name", k_by_form},
                          {"power_type", k_by_form},
                          {"power_parameters.power_address", "pm_addr"},
                          {"power_parameters.power_user", "pm_user"},
                          {"power_parameters.power_pass", "pm_password"},
                          {"power_parameters.power_port", "pm_port"},
                          {"power_parameters.node_id", "pm_system_id"},
                          {"power_parameters.power_id", "pm_vm_name"},
                          {"power_parameters.power_driver", k_by_form},
                          {"power_parameters.privilege_level", k_by_form},
                          {"power_parameters.cipher_suite_id", "ipmi_cipher_suite"},
                          {"power_parameters.k_g", k_by_form},
                          {"power_parameters.power_boot_type", k_left_out},
                          {"power_parameters.power_off_mode", k_left_out},
                          {"power_parameters.mac_address", k_left_out},
                          {"power_parameters.workaround_flags", k_left_out},
                          {"*", k_left_out}};

const FormTable k_warewulf = {{"asset key", "extra.asset_key"},
                              {"comment", "description"},
                              {"tags", "extra.tags"},
                              {"ipmi.username", "pm_user"},
                              {"ipmi.password", "pm_password"},
                              {"ipmi.ipaddr", "pm_addr"},
                              {"ipmi.port", "pm_port"},
                              {"ipmi.interface", k_by_form},
                              {"ipmi.gateway", k_left_out},
                              {"ipmi.netmask", k_left_out},
                              {"ipmi.escapechar", k_left_out},
                              {"ipmi.write", k_left_out},
                              {"ipmi.template", k_left_out},
                              {"ipmi.tags", k_left_out},
                              {"network devices", k_by_form},
                              {"primary network", k_by_form},
                              {"profiles", k_by_form},
                              {"discoverable", k_left_out},
                              {"cluster name", k_left_out},
                              {"image name", k_left_out},
                              {"container name", k_left_out},
                              {"ipxe template", k_left_out},
                              {"runtime overlay", k_left_out},
                              {"system overlay", k_left_out},
                              {"kernel", k_left_out},
                              {"init", k_left_out},
                              {"root", k_left_out},
                              {"disks", k_left_out},
                              {"filesystems", k_left_out},
                              {"resources", k_left_out}};

const FormTable k_openchami = {{"name", "name"},
                               {"nid", "extra.nid"},
                               {"xname", "extra.xname"},
                               {"groups", "extra.groups"},
                               {"group", "extra.groups"},
                               {"bmc", k_by_form},
                               {"bmc_ip", "pm_addr"},
                               {"bmc_mac", "extra.bmc_mac"},
                               {"bmc_fqdn", "extra.bmc_fqdn"},
                               {"interfaces[].mac_addr", "mac"},
                               {"interfaces[].ip_addrs[].ip_addr", k_by_form},
                               {"interfaces[].ip_addrs[].name", k_left_out},
                               {"interfaces[].ip_addrs[].network", k_left_out}};

/// Variables are people's own; only those of Kayobe's and bifrost's roles mean something here.
const FormTable k_ansible = {{"name", "name"},
                             {"uuid", "uuid"},
                             {"ironic_driver", k_by_form},
                             {"ironic_driver_info", k_by_form},
                             {"ironic_properties", k_by_form},
                             {"ironic_resource_class", "resource_class"},
                             {"redfish_address", k_by_form},
                             {"redfish_username", k_by_form},
                             {"redfish_password", k_by_form},
                             {"redfish_system_id", k_by_form},
                             {"redfish_verify_ca", k_by_form},
                             {"redfish_port", k_by_form},
                             {"ipmi_address", k_by_form},
                             {"ipmi_username", k_by_form},
                             {"ipmi_password", k_by_form},
                             {"ipmi_port", k_by_form},
                             {"mac", "mac"},
                             {"mac_address", "mac"},
                             {"ansible_host", "x_seed.ansible_ssh_host"},
                             {"ansible_ssh_host", "x_seed.ansible_ssh_host"},
                             {"*", k_left_out}};

const FormTable k_netbox = {{"name", "name"},
                            {"description", "description"},
                            {"serial", "extra.serial"},
                            {"serial_number", "extra.serial"},
                            {"asset_tag", "extra.asset_tag"},
                            {"role", "extra.role"},
                            {"device_role", "extra.role"},
                            {"tags", "extra.tags"},
                            {"mac", "mac"},
                            {"mac_address", "mac"},
                            {"oob_ip", k_by_form},
                            {"primary_ip4", k_by_form},
                            {"primary_ip", k_by_form},
                            {"ip_address", k_by_form},
                            {"site", k_left_out},
                            {"site_group", k_left_out},
                            {"region", k_left_out},
                            {"location", "x_seed.location"},
                            {"rack", "x_seed.rack"},
                            {"rack_group", k_left_out},
                            {"position", "x_seed.slot"},
                            {"face", k_left_out},
                            {"latitude", k_left_out},
                            {"longitude", k_left_out},
                            {"parent", k_left_out},
                            {"parent_device", k_left_out},
                            {"device_bay", k_left_out},
                            {"airflow", k_left_out},
                            {"virtual_chassis", k_left_out},
                            {"vc_position", k_left_out},
                            {"vc_priority", k_left_out},
                            {"cluster", k_left_out},
                            {"config_template", k_left_out},
                            {"owner", k_left_out},
                            {"comments", k_left_out},
                            {"contacts", k_left_out},
                            {"tenant", k_left_out},
                            {"tenant_group", k_left_out},
                            {"manufacturer", k_left_out},
                            {"device_type", k_left_out},
                            {"type", k_left_out},
                            {"platform", k_left_out},
                            {"status", k_left_out},
                            {"primary_ip6", k_left_out},
                            {"created", k_left_out},
                            {"last_updated", k_left_out},
                            {"id", k_left_out}};

const std::map<ListingFormat, const FormTable*>& tables() {
  static const std::map<ListingFormat, const FormTable*> all = {
      {ListingFormat::metal3, &k_metal3},       {ListingFormat::tinkerbell, &k_tinkerbell},
      {ListingFormat::maas, &k_maas},           {ListingFormat::warewulf, &k_warewulf},
      {ListingFormat::openchami, &k_openchami}, {ListingFormat::ansible, &k_ansible},
      {ListingFormat::netbox, &k_netbox}};
  return all;
}

/// "a.b[].c" → a, b, [], c.
std::vector<std::string> path_steps(std::string_view path) {
  std::vector<std::string> steps;
  for (const std::string& part : split(path, '.')) {
    const bool list = part.ends_with("[]");
    steps.push_back(list ? part.substr(0, part.size() - 2) : part);
    if (list) steps.emplace_back("[]");
  }
  return steps;
}

struct FieldStep {
  std::vector<std::string> pattern;
  const FormField* field;
};

/// Sets "root_device.model" in its object; keys that begin with "properties." are keys as they are.
void set_own(Json& out, std::string_view own, const Json& value) {
  const std::size_t dot = own.starts_with("properties.") ? std::string_view::npos : own.find('.');
  if (dot == std::string_view::npos) {
    out[std::string(own)] = value;
  } else {
    out[std::string(own.substr(0, dot))][std::string(own.substr(dot + 1))] = value;
  }
}

class FieldMover {
 public:
  FieldMover(const FormTable& fields, ListingEntry& entry, Json& out) : entry_(entry), out_(out) {
    for (const FormField& field : fields) steps_.push_back({path_steps(field.path), &field});
  }

  void walk(const Json& value, const std::string& path) {
    if (value.is_null()) return;
    if (const FormField* field = found()) return take(*field, value, path);
    if (value.is_object()) {
      for (const auto& [key, member] : value.items()) below(key, member, path.empty() ? key : cat(path, ".", key));
    } else if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i) below("[]", value[i], cat(path, "[", i, "]"));
    } else {
      out_[path] = value;
      unknown_ = true;
    }
  }
  [[nodiscard]] bool unknown() const { return unknown_; }

 private:
  void below(const std::string& step, const Json& value, const std::string& path) {
    at_.push_back(step);
    walk(value, path);
    at_.pop_back();
  }

  [[nodiscard]] const FormField* found() const {
    const auto begins = [&](const FieldStep& step, std::size_t length) {
      return step.pattern.size() >= length && at_.size() == length &&
             std::equal(
                 at_.begin(), at_.end(), step.pattern.begin(),
                 [](const std::string& one, const std::string& wanted) { return wanted == "*" || one == wanted; });
    };
    const auto step = std::find_if(steps_.begin(), steps_.end(), [&](const FieldStep& each) {
      return each.pattern.size() == at_.size() && begins(each, each.pattern.size());
    });
    if (step == steps_.end()) return nullptr;
    // * is for what no other field lies in.
    const bool deeper =
        step->pattern.back() == "*" && std::any_of(steps_.begin(), steps_.end(), [&](const FieldStep& each) {
          return each.pattern.size() > at_.size() && begins(each, at_.size());
        });
    return deeper ? nullptr : step->field;
  }

  /// "ipmi_pasword (ipmi_password?)": of people's own variables one may be a slip of those that mean something. Short
  /// words are like many others.
  [[nodiscard]] std::string with_meant(const std::string& path) const {
    std::vector<std::string> words;
    for (const FieldStep& step : steps_) {
      if (step.field->path.find('_') != std::string_view::npos) words.emplace_back(step.field->path);
    }
    const std::optional<std::string> near = path.find('_') == std::string::npos ? std::nullopt : nearest(path, words);
    return near ? cat(path, " (", *near, "?)") : path;
  }

  void take(const FormField& field, const Json& value, const std::string& path) {
    if (field.own == k_by_form) return;
    if (field.own == k_left_out) {
      entry_.left_out.insert(field.path == "*" ? with_meant(path) : std::string(field.path));
    } else if (field.own == "mac") {
      Json& macs = out_["mac"];
      entry_.places[cat("mac[", macs.size(), "]")] = entry_.place(path);
      macs.push_back(value);
    } else {
      entry_.places[std::string(field.own)] = entry_.place(path);
      set_own(out_, field.own, value);
    }
  }

  ListingEntry& entry_;
  Json& out_;
  std::vector<FieldStep> steps_;
  std::vector<std::string> at_;
  bool unknown_ = false;
};

/// Sets a value at a table's path; [] is a new item where the path ends in it or the last one has the member already.
void set_at(Json& out, const std::vector<std::string>& steps, std::size_t from, const Json& value) {
  Json* at = &out;
  for (std::size_t i = from; i < steps.size(); ++i) {
    if (steps[i] != "[]") {
      at = &(*at)[steps[i]];
      continue;
    }
    const bool fresh = !at->is_array() || at->empty() || (i + 1 < steps.size() && at->back().contains(steps[i + 1]));
    if (fresh) at->push_back(Json::object());
    at = &at->back();
  }
  *at = value;
}

const Json* own_value(const Json& entry, std::string_view own) {
  const Json* whole = find_member(entry, own);
  const std::size_t dot = own.find('.');
  if (whole != nullptr || dot == std::string_view::npos) return whole;
  const Json* object = find_member(entry, own.substr(0, dot));
  return object == nullptr ? nullptr : find_member(*object, own.substr(dot + 1));
}

}  // namespace

const std::vector<FormField>& form_fields(ListingFormat form) { return *tables().at(form); }

void apply_form_fields(ListingFormat form, ListingEntry& entry, Json made) {
  FieldMover mover(form_fields(form), entry, made);
  mover.walk(entry.data, "");
  if (mover.unknown()) {
    for (const FormField& field : form_fields(form)) entry.known.emplace_back(field.path);
  }
  entry.data = std::move(made);
}

Json unapply_form_fields(ListingFormat form, const Json& entry, std::vector<std::string>& taken) {
  Json out = Json::object();
  for (const FormField& field : form_fields(form)) {
    const std::string own(field.own);
    if (own == k_by_form || own == k_left_out || std::find(taken.begin(), taken.end(), own) != taken.end()) continue;
    const Json* value = own_value(entry, own);
    if (value == nullptr || value->is_null()) continue;
    taken.push_back(own);
    const std::vector<std::string> steps = path_steps(field.path);
    const bool many = own == "mac" && field.path.find("[]") != std::string_view::npos;
    if (own != "mac") {
      set_at(out, steps, 0, *value);
    } else if (value->is_array()) {
      for (std::size_t i = 0; i < value->size() && (many || i == 0); ++i) set_at(out, steps, 0, (*value)[i]);
    }
  }
  return out;
}

}  // namespace hearth::bootstrap
