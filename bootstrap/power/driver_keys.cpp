#include "bootstrap/power/driver_keys.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

using Keys = std::vector<DriverKey>;

Keys ipmi_keys() {
  return {{.name = "ipmi_address", .help = "the address of the BMC", .required = true},
          {.name = "ipmi_username", .help = "user of the BMC"},
          {.name = "ipmi_password", .help = "password of that user"},
          {.name = "ipmi_password_file", .help = "a file below /etc/hearth that holds it instead"},
          {.name = "ipmi_port", .help = "UDP port of the BMC", .fallback = "623", .port = true},
          {.name = "ipmi_priv_level",
           .help = "rights to ask for",
           .fallback = "ADMINISTRATOR",
           .values = {"ADMINISTRATOR", "OPERATOR", "USER", "CALLBACK"}},
          {.name = "ipmi_protocol_version", .help = "IPMI's version", .fallback = "2.0", .values = {"2.0", "1.5"}},
          {.name = "ipmi_cipher_suite", .help = "cipher suite of IPMI 2.0 (17; 3 where a BMC has none of it)"},
          {.name = "ipmi_hex_kg_key", .help = "key of the BMC (K_g), where it asks for one, in hexadecimal digits"},
          {.name = "ipmi_target_address", .help = "address behind the BMC, for bridged requests"},
          {.name = "ipmi_target_channel", .help = "its channel", .fallback = "0"},
          {.name = "ipmi_transit_address", .help = "address between, where it is two bridges away"},
          {.name = "ipmi_transit_channel", .help = "its channel", .fallback = "0"},
          {.name = "ipmi_local_address", .help = "address of the BMC itself, for bridged requests"},
          {.name = "ipmi_bridging",
           .help = "no: nothing is bridged, whatever addresses there are",
           .values = {"no", "single", "dual"}},
          {.name = "ipmi_timeout", .help = "seconds a try", .fallback = "2", .number = true},
          {.name = "ipmi_retries", .help = "tries of one command", .fallback = "1", .number = true},
          {.name = "ipmi_disable_boot_timeout",
           .help = "have the BMC keep the boot device for longer than a minute",
           .fallback = "true"}};
}

Keys redfish_keys() {
  return {
      {.name = "redfish_address", .help = "the address of the BMC, https where no scheme is said", .required = true},
      {.name = "redfish_port", .help = "port, where the address names none", .port = true},
      {.name = "redfish_system_id", .help = "path or id of the system; else the only one"},
      {.name = "redfish_username", .help = "user of the BMC"},
      {.name = "redfish_password", .help = "password of that user"},
      {.name = "redfish_password_file", .help = "a file below /etc/hearth that holds it instead"},
      {.name = "redfish_verify_ca",
       .help = "true, false, or a PEM file with the authority of the BMC's certificate",
       .fallback = "true"},
      {.name = "redfish_auth_type",
       .help = "how to log in",
       .fallback = "auto",
       .values = {"auto", "session", "basic"}},
      {.name = "redfish_timeout", .help = "seconds a request", .fallback = "60", .number = true},
      {.name = "redfish_virtual_media", .help = "URL of the ISO that the boot device cdrom boots"}};
}

Keys vendor_keys(const std::string& prefix) {
  return {{.name = prefix + "_address",
           .help = "the address of the BMC; redfish_address or ipmi_address will do",
           .required = true},
          {.name = prefix + "_port", .help = "port of Redfish, where the address names none", .port = true},
          {.name = prefix + "_username", .help = "user of the BMC"},
          {.name = prefix + "_password", .help = "password of that user"},
          {.name = prefix + "_system_id", .help = "path or id of the Redfish system; else the only one"},
          {.name = prefix + "_verify_ca", .help = "as redfish_verify_ca"}};
}

Keys libvirt_keys() {
  return {{.name = "libvirt_uri", .help = "qemu:///system, for instance", .required = true},
          {.name = "libvirt_user", .help = "user at that host, where an inventory gives an address in place of a URI"},
          {.name = "libvirt_domain", .help = "name or UUID; else the domain that has the MAC of a port"}};
}

Keys qemu_keys() {
  return {{.name = "qemu_disk", .help = "PATH, or PATH:SIZE to make it; several with commas between", .required = true},
          {.name = "qemu_memory", .help = "MiB", .fallback = "1024"},
          {.name = "qemu_cpus", .help = "processors", .fallback = "1"},
          {.name = "qemu_cpu", .help = "QEMU's model of the processor", .fallback = "qemu64"},
          {.name = "qemu_firmware", .help = "firmware; else by the capability boot_mode", .values = {"bios", "uefi"}},
          {.name = "qemu_tap", .help = "interfaces that are there, one a port, with commas between"},
          {.name = "qemu_bridge", .help = "a bridge into which taps are put that the driver makes"},
          {.name = "qemu_netns", .help = "network namespace to run in"},
          {.name = "qemu_serial", .help = "serial number of the disks"},
          {.name = "qemu_accelerator", .help = "tcg or kvm", .fallback = "tcg"},
          {.name = "qemu_options", .help = "further words for QEMU"}};
}

std::vector<DriverSheet> sheets() {
  const auto vendor = [](const char* maker) {
    return cat(maker, ": Redfish, or IPMI where that does not answer; keys of both drivers hold, too");
  };
  const auto named_by_vendor = [](const char* driver, const char* suffix, const char* prefix) {
    return InventoryNames{
        {driver}, suffix, prefix, {"pm_addr", "pm_user", "pm_password"}, InventoryNames::Identity::address};
  };
  return {
      {"redfish",
       "BMCs that speak Redfish (any maker of the last years)",
       {{"redfish"}, "", "redfish", {"pm_addr"}, InventoryNames::Identity::system},
       redfish_keys()},
      {"ipmi",
       "BMCs that speak IPMI over LAN, through ipmitool",
       {{"ipmi"}, "_ipmitool", "ipmi", {"pm_addr"}, InventoryNames::Identity::address},
       ipmi_keys()},
      {"idrac", vendor("Dell's iDRAC"), named_by_vendor("idrac", "_drac", "drac"), vendor_keys("drac")},
      {"ilo", vendor("HPE's iLO"), named_by_vendor("ilo", "_ilo", "ilo"), vendor_keys("ilo")},
      {"irmc", vendor("Fujitsu's iRMC"), named_by_vendor("irmc", "_irmc", "irmc"), vendor_keys("irmc")},
      {"xclarity", vendor("Lenovo's XClarity"), named_by_vendor("xclarity", "", "xclarity"), vendor_keys("xclarity")},
      {"libvirt",
       "virtual machines of libvirt, through virsh",
       {{"libvirt", "pxe_ssh"}, "", "libvirt", {"pm_addr"}, InventoryNames::Identity::domain},
       libvirt_keys()},
      {"manual-management",
       "machines that a person switches; a port with a MAC is all that they need",
       {{"manual-management", "fake_pxe", "fake_agent"}, "", "", {}, InventoryNames::Identity::none},
       {}},
      {"qemu",
       "QEMU on the conductor's own machine; in rehearsals only",
       {{"qemu"}, "", "qemu", {}, InventoryNames::Identity::none},
       qemu_keys()},
      {"fake-hardware",
       "machines that are not there: their power is played, and nothing more; no agent calls back, so no deployment "
       "ends (hearth node adopt makes one active)",
       {{"fake-hardware", "fake"}, "", "fake", {}, InventoryNames::Identity::none},
       {{.name = "fake_fault", .help = "what goes wrong", .values = {"unreachable", "refused", "deaf"}}}}};
}

bool is_port(const std::string& text) {
  const std::optional<std::uint64_t> number = parse_number(text);
  return number && *number > 0 && *number <= 65535;
}

/// Another key says the same: drac_address ← redfish_address.
bool said_elsewhere(const Node& node, const DriverKey& key) {
  if (!key.name.ends_with("_address") || key.name == "redfish_address" || key.name == "ipmi_address") return false;
  return !node.info("redfish_address").empty() || !node.info("ipmi_address").empty();
}

const DriverKey* find_key(const Keys& keys, std::string_view name) {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const DriverKey& key) { return key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

const DriverKey* any_key(std::string_view name) {
  for (const DriverSheet& sheet : driver_sheets()) {
    if (const DriverKey* key = find_key(sheet.keys, name)) return key;
  }
  return find_key(common_driver_keys(), name);
}

/// "10.20.1.300", "https://10.20.1.300:443/": no name is of digits and dots alone.
bool is_slip_of_ipv4(const std::string& address) {
  const std::size_t scheme = address.find("://");
  const std::string rest = scheme == std::string::npos ? address : address.substr(scheme + 3);
  const std::string host = rest.substr(0, rest.find_first_of("/:"));
  if (host.empty() || host.find_first_not_of("0123456789.") != std::string::npos) return false;
  const std::vector<std::string> parts = split(host, '.');
  return parts.size() != 4 || std::any_of(parts.begin(), parts.end(), [](const std::string& part) {
           const std::optional<std::uint64_t> number = parse_number(part);
           return !number || *number > 255;
         });
}

std::string fault_of(const Node& node, const DriverKey& key) {
  const std::string value = node.info(key.name, key.fallback);
  if (value.empty()) {
    return key.required && !said_elsewhere(node, key) ? cat(key.name, " is missing: ", key.help, ".") : "";
  }
  if (key.port && !is_port(value)) return cat(key.name, " ", value, " is no port.");
  if (key.name == "ipmi_hex_kg_key" && !is_kg_key(value))
    return cat(key.name, " is no key of a BMC: two hexadecimal digits a byte, of 20 bytes at most.");
  if (key.number && !parse_number(value)) return cat(key.name, " ", value, " is no whole number.");
  if (!key.values.empty() && std::find(key.values.begin(), key.values.end(), value) == key.values.end())
    return cat(key.name, " ", value, " is none of ", join(key.values, ", "), ".");
  return "";
}

}  // namespace

const std::vector<DriverSheet>& driver_sheets() {
  static const std::vector<DriverSheet> all = sheets();
  return all;
}

const std::vector<DriverKey>& common_driver_keys() {
  static const Keys keys = {
      {.name = "deploy_kernel", .help = "kernel of the deploy ramdisk: a registered image, a file or a URL"},
      {.name = "deploy_ramdisk", .help = "the deploy ramdisk itself"},
      {.name = "rescue_kernel", .help = "kernel for rescue"},
      {.name = "rescue_ramdisk", .help = "ramdisk for rescue"},
      {.name = "kernel_append_params", .help = "further kernel arguments of the ramdisks"},
      {.name = "force_persistent_boot_device",
       .help = "Always: network boot is set for good, too; Never: nothing is; else the disk only"},
      {.name = "manual_agent_reboot", .help = "true: the agent restarts the machine when its disk is written"},
      {.name = "deploy_callback_timeout",
       .help = "seconds for the ramdisk of a deployment to call",
       .fallback = "1800",
       .number = true},
      {.name = "clean_callback_timeout",
       .help = "the same of a cleaning or service",
       .fallback = "1800",
       .number = true},
      {.name = "inspect_timeout", .help = "the same of an inspection", .fallback = "1800", .number = true},
      {.name = "rescue_callback_timeout", .help = "the same of a rescue", .fallback = "1800", .number = true},
      {.name = "boot_silence_timeout",
       .help = "seconds after which a machine that nothing was heard of is started again; 0 = never",
       .fallback = "600",
       .number = true},
      {.name = "agent_silence_timeout",
       .help = "seconds after which a silent agent is lost",
       .fallback = "600",
       .number = true},
      {.name = "manual_time", .help = "seconds that people have at a machine", .fallback = "1800", .number = true}};
  return keys;
}

const DriverSheet* driver_sheet(std::string_view driver) {
  for (const DriverSheet& sheet : driver_sheets()) {
    if (sheet.driver == driver) return &sheet;
  }
  return nullptr;
}

std::string driver_setting(const Node& node, std::string_view key) {
  const DriverKey* row = any_key(key);
  if (row == nullptr) throw std::logic_error(cat("no driver table has ", key));
  return node.info(key, row->fallback);
}

std::vector<std::string> driver_key_faults(const Node& node, std::string_view driver) {
  std::vector<std::string> faults;
  const DriverSheet* sheet = driver_sheet(driver);
  if (sheet == nullptr) return faults;
  for (const DriverKey& key : sheet->keys) {
    if (std::string fault = fault_of(node, key); !fault.empty()) faults.push_back(std::move(fault));
  }
  return faults;
}

bool is_kg_key(std::string_view hex) {
  return !hex.empty() && hex.size() <= 40 && hex.size() % 2 == 0 &&
         hex.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::string bmc_address_fault(const std::string& address) {
  const std::size_t mark = address.find("://");
  const std::string scheme = mark == std::string::npos ? "" : to_lower(address.substr(0, mark));
  if (mark != std::string::npos && scheme != "http" && scheme != "https")
    return cat(" is no URL of http or https", scheme.starts_with('h') ? "; did you mean https://?" : "");
  if (mark == std::string::npos && address.find("//") != std::string::npos)
    return " is no URL: a scheme ends with ://, as in https://";
  const std::string rest = mark == std::string::npos ? address : address.substr(mark + 3);
  const std::string host =
      rest.starts_with('[') ? rest.substr(0, rest.find(']')) : rest.substr(0, rest.find_first_of("/:"));
  const bool is_v6 = mark == std::string::npos && std::count(rest.begin(), rest.end(), ':') > 1;
  const bool is_odd = std::any_of(host.begin(), host.end(), [](unsigned char c) {
    return c < 0x80 && std::isalnum(c) == 0 &&
           std::string_view("-._[:%").find(static_cast<char>(c)) == std::string_view::npos;
  });
  if (is_odd || (!is_v6 && (host.empty() || is_slip_of_ipv4(address)))) return " is no address";
  return "";
}

std::string driver_value_fault(std::string_view driver, std::string_view key, const std::string& value) {
  const DriverSheet* sheet = driver_sheet(driver);
  const DriverKey* row = sheet == nullptr ? nullptr : find_key(sheet->keys, key);
  if (row == nullptr) row = any_key(key);  // a maker's driver reads those of redfish and ipmi
  if (row == nullptr || value.empty()) return "";
  if (key.ends_with("_verify_ca") && value.find('/') == std::string::npos) {
    constexpr std::array<std::string_view, 4> k_truths = {"true", "True", "false", "False"};
    if (std::find(k_truths.begin(), k_truths.end(), value) == k_truths.end())
      return cat(key, " ", value, " is neither true nor false, nor a file.");
  }
  if (const std::string fault = key.ends_with("_address") ? bmc_address_fault(value) : ""; !fault.empty())
    return cat(key, " ", value, fault, fault.ends_with('?') ? "" : ".");
  Node node;
  node.driver_info[std::string(key)] = value;
  return fault_of(node, *row);
}

Json driver_properties(std::string_view driver) {
  Json properties = Json::object();
  const auto add = [&](const Keys& keys) {
    for (const DriverKey& key : keys) {
      properties[key.name] = cat(key.help, ".", key.required ? " Required." : "",
                                 key.fallback.empty() ? "" : cat(" Default is ", key.fallback, "."),
                                 key.values.empty() ? "" : cat(" One of ", join(key.values, ", "), "."));
    }
  };
  if (const DriverSheet* sheet = driver_sheet(driver)) add(sheet->keys);
  add(common_driver_keys());
  return properties;
}

std::string meant_driver_key(std::string_view driver, std::string_view key) {
  const DriverSheet* sheet = driver_sheet(driver);
  if (sheet == nullptr || any_key(key) != nullptr) return "";
  std::vector<std::string> names;
  for (const DriverKey& each : sheet->keys) names.push_back(each.name);
  for (const DriverKey& each : common_driver_keys()) names.push_back(each.name);
  if (const std::optional<std::string> near = nearest(std::string(key), names)) return *near;
  const std::vector<std::string> words = split(std::string(key), '_');
  const auto has_all = [&](const std::string& name) {
    const std::vector<std::string> own = split(name, '_');
    const auto has = [&](const std::string& word) { return std::find(own.begin(), own.end(), word) != own.end(); };
    return words.size() > 1 && std::all_of(words.begin(), words.end(), has);
  };
  const auto longer = std::find_if(names.begin(), names.end(), has_all);  // deploy_timeout: deploy_callback_timeout
  return longer == names.end() ? "" : *longer;
}

}  // namespace hearth::bootstrap
