#include "agent/net/bonding.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

constexpr std::array<std::string_view, 7> k_modes = {"balance-rr", "active-backup", "balance-xor", "broadcast",
                                                     "802.3ad",    "balance-tlb",   "balance-alb"};

struct Row {
  std::string_view name;
  std::string_view netdev;   ///< key of [Bond]; empty = systemd-networkd has none
  std::string_view choices;  ///< words that stand for 0, 1, 2 …; "ms" = milliseconds
};

constexpr std::array<Row, 26> k_rows = {{
    {"mode", "Mode", ""},
    {"miimon", "MIIMonitorSec", "ms"},
    {"updelay", "UpDelaySec", "ms"},
    {"downdelay", "DownDelaySec", "ms"},
    {"lacp_rate", "LACPTransmitRate", "slow fast"},
    {"xmit_hash_policy", "TransmitHashPolicy", "layer2 layer3+4 layer2+3 encap2+3 encap3+4"},
    {"ad_select", "AdSelect", "stable bandwidth count"},
    {"fail_over_mac", "FailOverMACPolicy", "none active follow"},
    {"primary_reselect", "PrimaryReselectPolicy", "always better failure"},
    {"arp_interval", "ARPIntervalSec", "ms"},
    {"arp_ip_target", "ARPIPTargets", ""},
    {"arp_validate", "ARPValidate", "none active backup all"},
    {"arp_all_targets", "ARPAllTargets", "any all"},
    {"all_slaves_active", "AllSlavesActive", ""},
    {"min_links", "MinLinks", ""},
    {"num_grat_arp", "GratuitousARP", ""},
    {"num_unsol_na", "GratuitousARP", ""},
    {"resend_igmp", "ResendIGMP", ""},
    {"packets_per_slave", "PacketsPerSlave", ""},
    {"lp_interval", "LearnPacketIntervalSec", ""},
    {"use_carrier", "", ""},
    {"tlb_dynamic_lb", "DynamicTransmitLoadBalancing", ""},
    {"peer_notif_delay", "", ""},
    {"ad_actor_sys_prio", "AdActorSystemPriority", ""},
    {"ad_actor_system", "AdActorSystem", ""},
    {"ad_user_port_key", "AdUserPortKey", ""},
}};

const Row* row_of(const std::string& name) {
  const auto found = std::find_if(k_rows.begin(), k_rows.end(), [&name](const Row& row) { return row.name == name; });
  return found == k_rows.end() ? nullptr : &*found;
}

[[noreturn]] void refuse(const Device& bond, const std::string& what) {
  throw Error(ErrorKind::input, cat(bond.where, ": ", what));
}

std::string mode_name(const Device& bond, const std::string& mode) {
  const std::optional<std::uint64_t> number = parse_number(mode);
  if (number && *number < k_modes.size()) return std::string(k_modes[*number]);
  if (std::find(k_modes.begin(), k_modes.end(), mode) != k_modes.end()) return mode;
  refuse(bond, cat("Invalid bond mode '", mode, "' for ", bond.name,
                   ". Valid modes: ", join({k_modes.begin(), k_modes.end()}, ", "), " or numeric values 0-6."));
}

std::string netdev_value(const Row& row, const std::string& value) {
  if (row.choices == "ms") return value + "ms";
  if (row.name == "arp_ip_target") return replace_all(value, ",", " ");
  const std::vector<std::string> words = split_words(row.choices);
  const std::optional<std::uint64_t> number = parse_number(value);
  return number && *number < words.size() ? words[*number] : value;
}

}  // namespace

std::string BondOptions::for_ip_link() const {
  std::string text;
  for (const auto& [name, value] : values) text += cat(" ", name, " ", value);
  return text;
}

std::string BondOptions::for_netdev() const {
  std::string text;
  for (const auto& [name, value] : values) {
    const Row* row = row_of(name);
    if (!row->netdev.empty()) text += cat(row->netdev, "=", netdev_value(*row, value), "\n");
  }
  return text;
}

void check_bond_mode(const Device& bond) {
  for (const std::string& word : split_words(bond.bonding_options)) {
    if (word.compare(0, 5, "mode=") == 0) (void)mode_name(bond, word.substr(5));
  }
}

BondOptions parse_bonding_options(const Device& bond) {
  BondOptions options;
  for (const std::string& word : split_words(bond.bonding_options)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals + 1 == word.size()) {
      refuse(bond, cat("bonding_options: '", word, "' is not NAME=VALUE"));
    }
    const std::string name = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    if (name == "primary") {
      options.primary = value;
      continue;
    }
    if (row_of(name) == nullptr) refuse(bond, cat("bonding_options: '", name, "' is no option of the bonding driver"));
    options.values[name] = name == "mode" ? mode_name(bond, value) : value;
  }
  return options;
}

}  // namespace hearth::agent::net
