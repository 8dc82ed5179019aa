#include "agent/net/reader.hpp"

#include <algorithm>
#include <array>

#include "agent/net/fields.hpp"
#include "agent/net/nics.hpp"
#include "agent/net/schema.hpp"
#include "agent/net/sriov.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

struct KindName {
  std::string_view type;
  Kind kind;
  std::string_view ovs_class;  ///< the name in "… cannot be created as OpenvSwitch is not installed."
};

constexpr std::array<KindName, 15> k_kinds = {{
    {"interface", Kind::interface, ""},
    {"vlan", Kind::vlan, ""},
    {"linux_bridge", Kind::linux_bridge, ""},
    {"linux_bond", Kind::linux_bond, ""},
    {"team", Kind::linux_team, ""},
    {"ovs_bridge", Kind::ovs_bridge, "OvsBridge"},
    {"ovs_user_bridge", Kind::ovs_user_bridge, "OvsUserBridge"},
    {"ovs_bond", Kind::ovs_bond, "OvsBond"},
    {"ovs_tunnel", Kind::ovs_tunnel, "OvsTunnel"},
    {"ovs_patch_port", Kind::ovs_patch_port, "OvsPatchPort"},
    {"ib_interface", Kind::ib_interface, ""},
    {"ib_child_interface", Kind::ib_child, ""},
    {"sriov_pf", Kind::interface, ""},
    {"sriov_vf", Kind::interface, ""},
    {"linux_tap", Kind::linux_tap, ""},
}};

constexpr int k_max_depth = 4;

class Reader {
 public:
  Reader(const ReadSettings& settings, const FileReader& files) : settings_(settings), files_(files) {}

  void top(const Json& entry, const std::string& where) {
    if (!entry.is_object()) throw Error(ErrorKind::input, cat(where, ": is not a mapping"));
    if (Fields(entry, where).text("type") == "route_table") return table(Fields(entry, where));
    device(entry, where, 0);
  }

  Network network;

 private:
  void table(const Fields& fields) {
    const std::string name = fields.required_text("name");
    const int id = fields.integer("table_id", -1);
    constexpr std::array<std::pair<int, std::string_view>, 4> reserved = {
        {{0, "unspec"}, {253, "default"}, {254, "main"}, {255, "local"}}};
    if (id < 0) fields.refuse("'table_id' is required");
    for (const auto& [number, word] : reserved) {
      if (id == number || name == word) {
        fields.refuse(cat("Route table \"", id == number ? std::to_string(id) : name,
                          "\" conflicts with reserved table \"", number, " ", word, "\""));
      }
    }
    if (name.find(' ') != std::string::npos) fields.refuse(cat("the table's name '", name, "' holds a blank"));
    network.tables[id] = name;
  }

  Kind kind_of(const std::string& type, const Fields& fields) const {
    const auto found =
        std::find_if(k_kinds.begin(), k_kinds.end(), [&type](const KindName& row) { return row.type == type; });
    if (found == k_kinds.end()) {
      const std::string_view reason = unsupported_reason(type);
      if (reason.empty()) fields.refuse(cat("'", type, "' is no type that os-net-config knows"));
      throw Error(ErrorKind::unsupported, cat(fields.where(), ": type '", type, "': ", reason));
    }
    if (!settings_.only_shown && !found->ovs_class.empty() && !files_.status("/usr/bin/ovs-appctl")) {
      throw Error(ErrorKind::unsupported,
                  cat(fields.where(), ": ", found->ovs_class, " cannot be created as OpenvSwitch is not installed."));
    }
    return found->kind;
  }

  /// Returns its place in network.devices. Members follow their master.
  std::size_t device(const Json& entry, const std::string& where, int depth) {
    if (!entry.is_object()) throw Error(ErrorKind::input, cat(where, ": is not a mapping"));
    if (depth > k_max_depth) throw Error(ErrorKind::input, cat(where, ": members are nested too deep"));
    const Fields fields(entry, where);
    Device device{.kind = kind_of(fields.required_text("type"), fields), .where = where};
    common(device, fields);
    of_kind(device, fields);
    // Only Open vSwitch knows these; for the kernel they are no devices.
    const bool inner = device.kind == Kind::ovs_patch_port || device.kind == Kind::ovs_tunnel;
    check_device_name(inner ? device.name.substr(0, 15) : device.name, where);
    if (network.find(device.name) != nullptr) fields.refuse(cat("'", device.name, "' is there twice"));
    const std::size_t index = network.devices.size();
    network.devices.push_back(std::move(device));
    members(fields, index, depth);
    finish(index, fields);
    return index;
  }

  void common(Device& device, const Fields& fields) const {
    device.dhcp = fields.boolean("use_dhcp", false);
    device.dhcp6 = fields.boolean("use_dhcpv6", false);
    device.defroute = fields.boolean("defroute", true);
    device.primary = fields.boolean("primary", false);
    device.hotplug = device.kind == Kind::interface && fields.boolean("hotplug", false);
    device.onboot = fields.boolean("onboot", true);
    device.nm_controlled = fields.boolean("nm_controlled", false);
    device.addresses = fields.addresses();
    device.routes = fields.routes();
    device.rules = fields.rules();
    device.mtu = fields.integer("mtu", 0);
    device.dhclient_args = fields.text("dhclient_args");
    device.dns_servers = fields.texts("dns_servers");
    device.domains = fields.texts("domain");
    device.domain_is_list = fields.has("domain") && device.domains.size() != 1;
    device.ethtool_opts = fields.text("ethtool_opts");
    device.linkdelay = fields.integer("linkdelay", 0);
    device.bonding_options = fields.text("bonding_options");
    device.ovs_extra = fields.texts("ovs_extra");
  }

  void of_kind(Device& device, const Fields& fields) const {
    if (device.kind == Kind::vlan) return vlan(device, fields);
    if (device.kind == Kind::ib_child) return ib_child(device, fields);
    if (fields.text("type") == "sriov_vf") {
      device.vf = read_virtual_function(real_name(fields.required_text("device")), fields);
      device.name = virtual_function_name(*device.vf, files_);
      return;
    }
    take_name(device, fields.required_text("name"));
    if (fields.text("type") == "sriov_pf") device.pf = read_physical_function(fields);
    if (device.kind == Kind::ovs_tunnel || device.kind == Kind::ovs_patch_port) {
      const std::string lead = device.kind == Kind::ovs_tunnel ? "options:" : "";
      for (const std::string& option : fields.texts("ovs_options")) {
        device.ovs_options += cat(device.ovs_options.empty() ? "" : " ", lead, option);
      }
      device.tunnel_type = device.kind == Kind::ovs_tunnel ? fields.required_text("tunnel_type") : "";
      device.peer = device.kind == Kind::ovs_patch_port ? fields.required_text("peer") : "";
      device.ovs_bridge = fields.text("bridge_name");
    } else {
      device.ovs_options = fields.text("ovs_options");
    }
    if (device.kind == Kind::ovs_bridge || device.kind == Kind::ovs_user_bridge) fail_mode(device, fields);
    for (std::string& extra : device.ovs_extra) extra = replace_all(extra, "{name}", device.name);
  }

  static void fail_mode(Device& device, const Fields& fields) {
    const std::string mode = fields.has("ovs_fail_mode") ? fields.text("ovs_fail_mode") : "standalone";
    device.ovs_extra.push_back(cat("set bridge ", device.name, " fail_mode=", mode));
    if (mode == "standalone") device.ovs_extra.push_back(cat("del-controller ", device.name));
  }

  void vlan(Device& device, const Fields& fields) const {
    device.vlan_id = fields.integer("vlan_id", 0);
    if (device.vlan_id < 1 || device.vlan_id > 4094) fields.refuse("vlan_id must be a number from 1 to 4094");
    device.name = cat("vlan", device.vlan_id);
    device.lower = real_name(fields.text("device"));
    if (!device.lower.empty()) check_device_name(device.lower, device.where);
    device.ovs_options = fields.text("ovs_options");
    for (std::string& extra : device.ovs_extra) extra = replace_all(extra, "{name}", device.name);
  }

  void ib_child(Device& device, const Fields& fields) const {
    device.lower = real_name(fields.required_text("parent"));
    const std::string text = to_lower(fields.required_text("pkey_id"));
    char* end = nullptr;
    const std::string digits = text.substr(0, 2) == "0x" ? text.substr(2) : text;
    const long pkey = std::strtol(digits.c_str(), &end, parse_number(text) ? 10 : 16);
    if (end == digits.c_str() || *end != '\0') fields.refuse("pkey only supports base 10 or base 16 int numbers");
    if (pkey < 1 || pkey >= 0x7fff) fields.refuse(cat("Invalid pkey value ", text));
    device.pkey = static_cast<int>(pkey) | 0x8000;
    constexpr std::string_view hex = "0123456789abcdef";
    device.name = device.lower + ".";
    for (unsigned shift = 16; shift > 0; shift -= 4) {
      device.name += hex[(static_cast<unsigned>(device.pkey) >> (shift - 4)) & 15U];
    }
    device.nm_controlled = true;
  }

  /// alias, device or alias.VLAN → the device's name.
  [[nodiscard]] std::string real_name(const std::string& name) const {
    const std::size_t dot = name.find('.');
    const std::string base = name.substr(0, dot);
    const bool with_vlan = dot != std::string::npos && parse_number(name.substr(dot + 1));
    const auto found = settings_.nics.find(with_vlan ? base : name);
    if (found == settings_.nics.end()) return name;
    return with_vlan ? cat(found->second, name.substr(dot)) : found->second;
  }

  void take_name(Device& device, const std::string& name) const {
    device.name = real_name(name);
    if (!settings_.persist_mapping || device.name == name) return;
    device.device_now = device.name;
    device.name = name;
    device.hwaddr = mac_of(device.device_now.substr(0, device.device_now.find('.')), files_);
  }

  void members(const Fields& fields, std::size_t index, int depth) {
    const Json& list = fields.list("members");
    const std::string where = network.devices[index].where;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::size_t member = device(list[i], cat(where, "/members/", i), depth + 1);
      join_master(index, member, fields);
    }
  }

  void join_master(std::size_t index, std::size_t member_index, const Fields& fields) {
    Device& master = network.devices[index];
    Device& member = network.devices[member_index];
    master.members.push_back(member.name);
    const bool ovs = master.kind == Kind::ovs_bridge || master.kind == Kind::ovs_user_bridge;
    if (member.vf) set_port_defaults(*member.vf, ovs || master.kind == Kind::ovs_bond);
    if (ovs) {
      member.ovs_bridge = master.name;
    } else if (member.kind == Kind::vlan) {
      vlan_on(member, master, fields);
    } else {
      member.master = master.name;
      member.master_kind = master.kind;
    }
    if (!member.primary) return;
    if (!master.primary_member.empty()) {
      const bool bridge = ovs || master.kind == Kind::linux_bridge;
      fields.refuse(cat("Only one primary interface allowed per ", bridge ? "bridge." : "bond."));
    }
    master.primary_member = member.primary_member.empty() ? member.name : member.primary_member;
  }

  /// A vlan among the members of a bridge, bond or team lies on top of that, unless it names another device: then it is
  /// a port of the bridge.
  static void vlan_on(Device& vlan, const Device& master, const Fields& fields) {
    if (vlan.lower.empty()) vlan.lower = master.name;
    if (vlan.lower == master.name) return;
    if (master.kind != Kind::linux_bridge) {
      fields.refuse(cat("Invalid base_iface ", vlan.lower, " set for vlan member: ", vlan.name, ", ", master.name,
                        " should be set instead."));
    }
    vlan.master = master.name;
    vlan.master_kind = master.kind;
  }

  void finish(std::size_t index, const Fields& fields) {
    Device& device = network.devices[index];
    if (device.kind == Kind::ovs_bond) {
      if (device.members.empty()) fields.refuse("an ovs_bond needs members");
      if (device.primary_member.empty()) {
        device.primary_member = *std::min_element(device.members.begin(), device.members.end());
      }
    }
    if (!device.primary_member.empty()) device.primary_mac = mac_of(device.primary_member, files_);
  }

  const ReadSettings& settings_;
  const FileReader& files_;
};

/// A vlan lies on some device, unless it is a port of an Open vSwitch bridge.
void check_vlans(const Network& network) {
  for (const Device& device : network.devices) {
    if (device.kind == Kind::vlan && device.lower.empty() && device.ovs_bridge.empty()) {
      throw Error(ErrorKind::input,
                  cat(device.where, ": ", device.name, " needs 'device', the device that it lies on"));
    }
  }
}

}  // namespace

Network read_network(const Json& entries, const std::string& section, const ReadSettings& settings,
                     const FileReader& files) {
  Reader reader(settings, files);
  for (std::size_t i = 0; i < entries.size(); ++i) reader.top(entries[i], cat(section, "/", i));
  check_vlans(reader.network);
  check_functions(reader.network, files);
  return std::move(reader.network);
}

}  // namespace hearth::agent::net
