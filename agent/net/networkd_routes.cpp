#include "agent/net/networkd.hpp"

#include <algorithm>
#include <array>

#include "agent/net/address.hpp"
#include "agent/net/layout.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

using Key = std::pair<std::string_view, std::string_view>;

constexpr std::array<Key, 15> k_route_keys = {{{"metric", "Metric"},
                                               {"table", "Table"},
                                               {"src", "PreferredSource"},
                                               {"from", "Source"},
                                               {"mtu", "MTUBytes"},
                                               {"advmss", "TCPAdvertisedMaximumSegmentSize"},
                                               {"scope", "Scope"},
                                               {"proto", "Protocol"},
                                               {"protocol", "Protocol"},
                                               {"initcwnd", "InitialCongestionWindow"},
                                               {"initrwnd", "InitialAdvertisedReceiveWindow"},
                                               {"quickack", "QuickAck"},
                                               {"pref", "IPv6Preference"},
                                               {"type", "Type"},
                                               {"onlink", "GatewayOnLink"}}};

constexpr std::array<Key, 18> k_rule_keys = {{{"from", "From"},
                                              {"to", "To"},
                                              {"iif", "IncomingInterface"},
                                              {"dev", "IncomingInterface"},
                                              {"oif", "OutgoingInterface"},
                                              {"table", "Table"},
                                              {"lookup", "Table"},
                                              {"priority", "Priority"},
                                              {"pref", "Priority"},
                                              {"preference", "Priority"},
                                              {"prio", "Priority"},
                                              {"order", "Priority"},
                                              {"fwmark", "FirewallMark"},
                                              {"tos", "TypeOfService"},
                                              {"sport", "SourcePort"},
                                              {"dport", "DestinationPort"},
                                              {"ipproto", "IPProtocol"},
                                              {"suppress_prefixlength", "SuppressPrefixLength"}}};

constexpr std::array<Key, 3> k_rule_flags = {
    {{"blackhole", "Type=blackhole"}, {"unreachable", "Type=unreachable"}, {"prohibit", "Type=prohibit"}}};

template <std::size_t N>
std::string_view key_of(const std::array<Key, N>& keys, std::string_view word) {
  const auto found = std::find_if(keys.begin(), keys.end(), [word](const Key& key) { return key.first == word; });
  return found == keys.end() ? std::string_view() : found->second;
}

[[noreturn]] void refuse_route(const Device& device, std::string_view what, const std::string& word) {
  throw Error(ErrorKind::input, cat(device.where, ": ", what, ": systemd-networkd has nothing for '", word, "'"));
}

std::string assignment(std::string_view key, const std::string& value, const Network& network) {
  return cat(key, "=", key == "Table" ? table_number(value, network) : value, "\n");
}

/// Words of ip(8), by the given table of keys.
template <std::size_t N>
std::string options_text(const Device& device, const Network& network, std::string_view what,
                         const std::vector<std::string>& words, const std::array<Key, N>& keys) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string_view flag = &keys[0] == &k_rule_keys[0] ? key_of(k_rule_flags, word) : std::string_view();
    if (word == "add") continue;
    if (!flag.empty()) {
      text += cat(flag, "\n");
    } else if (word == "not") {
      text += "InvertRule=yes\n";
    } else if (word == "onlink") {
      text += "GatewayOnLink=yes\n";
    } else {
      const std::string_view key = key_of(keys, word);
      if (key.empty() || i + 1 == words.size()) refuse_route(device, what, word);
      const std::string& value = words[++i];
      if (value != "all") text += assignment(key, value, network);
    }
  }
  return text;
}

std::string route_section(const Device& device, const Route& route, const Network& network) {
  std::string text = "\n[Route]\n";
  const std::optional<Address> destination = parse_cidr(route.destination);
  if (destination && destination->prefix > 0) {
    text += cat("Destination=", network_of(*destination).text(), "\n");
  } else if (route.on_link()) {
    text += cat("Destination=", route.v6() ? "::/0" : "0.0.0.0/0", "\n");
  }
  text += route.on_link() ? std::string("Scope=link\n") : cat("Gateway=", route.next_hop, "\n");
  if (!route.table.empty() && route.options.find("table ") == std::string::npos) {
    text += assignment("Table", route.table, network);
  }
  if (!route.metric.empty() && route.options.find("metric ") == std::string::npos) {
    text += cat("Metric=", route.metric, "\n");
  }
  return text + options_text(device, network, "route_options", split_words(route.options), k_route_keys);
}

}  // namespace

std::string route_sections(const Device& device, const Network& network) {
  std::string text;
  for (const Route& route : device.routes) text += route_section(device, route, network);
  for (const Rule& rule : device.rules) {
    text += rule.comment.empty() ? "\n" : cat("\n# ", rule.comment, "\n");
    text += "[RoutingPolicyRule]\n" + options_text(device, network, "rule", split_words(rule.rule), k_rule_keys);
  }
  return text;
}

}  // namespace hearth::agent::net
