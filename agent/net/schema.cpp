#include "agent/net/schema.hpp"

#include <algorithm>
#include <array>

#include "agent/net/address.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

/// Fields are "name:k" words; k says what the field holds, "!" after it that it must be there:
/// s text, i integer, b boolean, v integer or text, a addresses, r routes, u rules, d addresses of name servers,
/// D domain or list of domains, o OVS options (text), l list of OVS options, x OVS extra (text or list), f fail mode,
/// t tunnel type, M mode of a card, S its steering, V state of a function, m members, e anything.
constexpr std::string_view k_common =
    "use_dhcp:b use_dhcpv6:b addresses:a routes:r rules:u mtu:i nic_mapping:e persist_mapping:b defroute:b "
    "dhclient_args:s dns_servers:d nm_controlled:b onboot:b domain:D";

struct TypeRow {
  std::string_view type;
  std::string_view fields;
  std::string_view members;  ///< types that its members may have
  bool common = true;
};

constexpr std::array<TypeRow, 16> k_types = {{
    {"interface", "name:s! primary:b ethtool_opts:s hotplug:b linkdelay:i dcb:e ovs_extra:x", ""},
    {"vlan", "vlan_id:i! device:s primary:b ovs_options:o ovs_extra:x", ""},
    {"linux_bridge", "name:s! members:m!", "interface vlan linux_bond"},
    {"linux_bond", "name:s! members:m! bonding_options:s ethtool_opts:s ovs_extra:x primary:b",
     "interface vlan sriov_vf sriov_pf"},
    {"team", "name:s! members:m! bonding_options:s primary:b", "interface vlan"},
    {"ovs_bridge", "name:s! members:m ovs_options:o ovs_extra:x ovs_fail_mode:f",
     "interface vlan linux_bond team ovs_bond ovs_tunnel ovs_patch_port sriov_vf sriov_pf"},
    {"ovs_user_bridge", "name:s! members:m! ovs_options:o ovs_extra:x ovs_fail_mode:f ovs_internal:b",
     "interface vlan ovs_patch_port ovs_tunnel ovs_dpdk_bond ovs_dpdk_port"},
    {"ovs_bond", "name:s! members:m! ovs_options:o ovs_extra:x primary:b", "interface sriov_vf sriov_pf"},
    {"ovs_tunnel", "name:s! tunnel_type:t! primary:b ovs_options:l ovs_extra:x", ""},
    {"ovs_patch_port", "name:s! bridge_name:s! peer:s! primary:b ovs_options:l ovs_extra:x", ""},
    {"ib_interface", "name:s! primary:b ethtool_opts:s", ""},
    {"ib_child_interface", "parent:s! pkey_id:v! primary:b", ""},
    {"sriov_pf", "name:s! numvfs:i! primary:b promisc:b hotplug:b ethtool_opts:s link_mode:M vdpa:b steering_mode:S",
     ""},
    {"sriov_vf",
     "device:s! vfid:i! primary:b vlan_id:i qos:i min_tx_rate:i max_tx_rate:i hotplug:b spoofcheck:b trust:b promisc:b "
     "macaddr:s state:V ethtool_opts:s",
     ""},
    {"linux_tap", "name:s!", ""},
    {"route_table", "name:s! table_id:v!", "", false},
}};

constexpr TypeRow k_removal = {"", "remove_name:s! remove_type:s!", "", false};

constexpr std::array<std::array<std::string_view, 2>, 7> k_unsupported = {{
    {"ovs_dpdk_", "DPDK is not supported"},
    {"vpp_", "VPP is not supported"},
    {"contrail_", "Contrail is not supported"},
    {"ivs_", "the Indigo virtual switch is not supported"},
    {"nfvswitch_", "NFVSwitch is not supported"},
    {"dcb", "data centre bridging is not supported"},
    {"ovs_interface", "ovs_interface belongs to the nmstate provider, which is not supported"},
}};

const TypeRow* type_row(std::string_view type) {
  const auto found =
      std::find_if(k_types.begin(), k_types.end(), [type](const TypeRow& row) { return row.type == type; });
  return found == k_types.end() ? nullptr : &*found;
}

bool has_word(std::string_view words, const std::string& word) {
  const std::vector<std::string> all = split_words(words);
  return std::find(all.begin(), all.end(), word) != all.end();
}

/// Collects offences; knows the path of the value that is being looked at.
class Checker {
 public:
  std::vector<std::string> offences;

  void entry(const Json& value, const std::string& path, std::string_view allowed) {
    if (!value.is_object()) return say(path, value, "is not a mapping");
    const auto type = value.find("type");
    if (type == value.end()) return add(path, "'type' is a required property");
    const std::string name = type->is_string() ? type->get<std::string>() : "";
    const TypeRow* row = type_row(name);
    if (row == nullptr && unsupported_reason(name).empty()) {
      return say(below(path, "type"), *type, "is no type that os-net-config knows");
    }
    if (!allowed.empty() && !has_word(allowed, name)) {
      return say(below(path, "type"), *type, cat("cannot be a member here; possible are ", allowed));
    }
    if (row != nullptr) fields(value, path, *row);
  }

  void removal(const Json& value) {
    if (!value.is_object()) return say("", value, "is not a mapping");
    fields(value, "", k_removal);
  }

 private:
  static std::string below(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : cat(path, "/", name);
  }
  void add(const std::string& path, const std::string& what) {
    offences.push_back(path.empty() ? what : cat(path, ": ", what));
  }
  void say(const std::string& path, const Json& value, std::string_view what) {
    add(path, cat("'", python_text(value), "' ", what));
  }

  void fields(const Json& value, const std::string& path, const TypeRow& row) {
    std::vector<std::string> words = split_words(row.fields);
    if (row.common) {
      for (std::string& word : split_words(k_common)) words.push_back(std::move(word));
    }
    for (const std::string& word : words) {
      if (word.back() == '!' && !value.contains(word.substr(0, word.find(':')))) {
        add(path, cat("'", word.substr(0, word.find(':')), "' is a required property"));
      }
    }
    for (const auto& [key, field_value] : value.items()) {
      if (key != "type" || row.type.empty()) field(key, field_value, path, words, row);
    }
  }

  void field(const std::string& key, const Json& value, const std::string& path, const std::vector<std::string>& words,
             const TypeRow& row) {
    const std::string prefix = key + ":";
    const auto word = std::find_if(words.begin(), words.end(), [&prefix](const std::string& candidate) {
      return candidate.compare(0, prefix.size(), prefix) == 0;
    });
    if (word == words.end()) {
      return add(path, cat("Additional properties are not allowed ('", key, "' was unexpected)"));
    }
    if (is_parameter(value)) return;
    const char holds = (*word)[prefix.size()];
    if (holds == 'm') return members(value, below(path, key), row.members);
    holds_value(holds, value, below(path, key));
  }

  void members(const Json& value, const std::string& path, std::string_view allowed) {
    if (!value.is_array()) return say(path, value, "is not of type 'array'");
    for (std::size_t i = 0; i < value.size(); ++i) entry(value[i], cat(path, "/", i), allowed);
  }

  void holds_value(char holds, const Json& value, const std::string& path) {
    switch (holds) {
      case 'i': return value.is_number_integer() ? void() : say(path, value, "is not of type 'integer'");
      case 'b': return is_boolean(value) ? void() : say(path, value, "is not of type 'boolean'");
      case 'v':
        return value.is_number_integer() || value.is_string() ? void() : say(path, value, "is not an integer or text");
      case 'f': return one_of(value, path, "standalone secure");
      case 't': return one_of(value, path, "vxlan gre");
      case 'M': return one_of(value, path, "legacy switchdev");
      case 'S': return one_of(value, path, "smfs dmfs");
      case 'V': return one_of(value, path, "auto enable disable");
      case 'e': return;
      case 'a': return list(value, path, [this](const Json& one, const std::string& at) { address(one, at); });
      case 'r': return list(value, path, [this](const Json& one, const std::string& at) { route(one, at); });
      case 'u': return list(value, path, [this](const Json& one, const std::string& at) { rule(one, at); });
      case 'd': return list(value, path, [this](const Json& one, const std::string& at) { ip(one, at); });
      case 'D':
      case 'x': return value.is_array() ? texts(value, path) : text(value, path);
      case 'l': return texts(value, path);
      default: return text(value, path);
    }
  }

  static bool is_boolean(const Json& value) {
    return value.is_boolean() ||
           (value.is_string() && has_word("t true on y yes 1 f false off n no 0", to_lower(value.get<std::string>())));
  }
  void one_of(const Json& value, const std::string& path, std::string_view words) {
    if (value.is_string() && has_word(words, value.get<std::string>())) return;
    say(path, value, cat("is none of ", words));
  }
  void text(const Json& value, const std::string& path) {
    if (!value.is_string()) say(path, value, "is not of type 'string'");
  }
  void texts(const Json& value, const std::string& path) {
    list(value, path, [this](const Json& one, const std::string& at) { text(one, at); });
  }
  template <class One>
  void list(const Json& value, const std::string& path, One one) {
    if (!value.is_array()) return say(path, value, "is not of type 'array'");
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (!is_parameter(value[i])) one(value[i], cat(path, "/", i));
    }
  }

  void ip(const Json& value, const std::string& path) {
    if (!value.is_string() || !is_ip(value.get<std::string>())) say(path, value, "is not an IP address");
  }
  void cidr(const Json& value, const std::string& path) {
    if (is_parameter(value) || (value.is_object() && value.size() == 1 && value.contains("list_join"))) return;
    if (!value.is_string() || !parse_cidr(value.get<std::string>())) {
      say(path, value, "is not an IP address with a prefix length");
    }
  }
  /// Whether all keys are known; a mapping at all.
  bool mapping(const Json& value, const std::string& path, std::string_view known) {
    if (!value.is_object()) {
      say(path, value, "is not of type 'object'");
      return false;
    }
    for (const auto& [key, unused] : value.items()) {
      if (!has_word(known, key)) add(path, cat("Additional properties are not allowed ('", key, "' was unexpected)"));
    }
    return true;
  }

  void address(const Json& value, const std::string& path) {
    if (!mapping(value, path, "ip_netmask")) return;
    if (!value.contains("ip_netmask")) return add(path, "'ip_netmask' is a required property");
    cidr(value["ip_netmask"], below(path, "ip_netmask"));
  }
  void rule(const Json& value, const std::string& path) {
    if (!mapping(value, path, "rule comment")) return;
    if (!value.contains("rule")) return add(path, "'rule' is a required property");
    for (const auto& [key, field_value] : value.items()) {
      if (!is_parameter(field_value)) text(field_value, below(path, key));
    }
  }
  void route(const Json& value, const std::string& path) {
    if (!mapping(value, path, "next_hop nexthop ip_netmask destination default route_options table metric")) return;
    if (value.contains("next_hop") == value.contains("nexthop")) add(path, "needs one of next_hop and nexthop");
    if (value.contains("ip_netmask") && value.contains("destination")) {
      add(path, "has both ip_netmask and destination");
    }
    if (!value.contains("default") && !value.contains("ip_netmask") && !value.contains("destination")) {
      add(path, "needs default, ip_netmask or destination");
    }
    for (const auto& [key, field_value] : value.items()) {
      if (!is_parameter(field_value)) route_field(key, field_value, below(path, key));
    }
  }
  void route_field(const std::string& key, const Json& value, const std::string& path) {
    if (key == "next_hop" || key == "nexthop") return value == "self" ? void() : ip(value, path);
    if (key == "ip_netmask" || key == "destination") return cidr(value, path);
    holds_value(key == "default" ? 'b' : key == "metric" ? 'i' : key == "table" ? 'v' : 's', value, path);
  }
};

}  // namespace

std::string_view unsupported_reason(std::string_view type) {
  for (const auto& [prefix, reason] : k_unsupported) {
    if (type.substr(0, prefix.size()) == prefix) return reason;
  }
  return "";
}

bool is_parameter(const Json& value) {
  if (!value.is_object() || value.size() != 1) return false;
  const auto only = value.begin();
  return (only.key() == "get_param" || only.key() == "get_input") && only.value().is_string();
}

std::vector<std::string> schema_offences(const Json& entry, bool remove) {
  Checker checker;
  if (remove) {
    checker.removal(entry);
  } else {
    checker.entry(entry, "", "");
  }
  return checker.offences;
}

std::vector<std::string> validate_section(const Json& entries, const std::string& section) {
  std::vector<std::string> messages;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::vector<std::string> offences = schema_offences(entries[i], section == "remove_config");
    if (offences.empty()) continue;
    messages.push_back(
        cat("Config file failed schema validation at ", section, "/", i, ":\n    ", join(offences, "\n    ")));
  }
  return messages;
}

}  // namespace hearth::agent::net
