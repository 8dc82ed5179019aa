#include "agent/net/eni_routes.hpp"

#include "agent/net/address.hpp"
#include "agent/net/layout.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {

bool for_route_command(const Route& route) {
  return !route.v6() && !route.on_link() && route.table.empty() && route.metric.empty() &&
         route.options.find("table") == std::string::npos;
}

std::string net_tools_lines(const Route& route) {
  const Address net = network_of(parse_cidr(route.destination).value_or(Address{"0.0.0.0", 0, false}));
  const std::string route_options = route.options.empty() ? "" : " " + route.options;
  const std::string what =
      cat("-net ", net.ip, " netmask ", net.netmask(), " gw ", route.next_hop, route_options, "\n");
  return cat("up route add ", what, "down route del ", what);
}

/// As ip(8) wants it: no bits beyond the prefix.
std::string network_text(const Route& route) {
  const std::optional<Address> destination = parse_cidr(route.destination);
  return !destination || destination->prefix == 0 ? "default" : network_of(*destination).text();
}

std::string ip_lines(const Route& route, const Device& device, const Network& network) {
  const std::string ip = route.v6() ? "ip -6 route " : "ip route ";
  std::string what = network_text(route);
  if (!route.on_link()) what += cat(" via ", route.next_hop);
  what += cat(" dev ", device.name);
  if (!route.table.empty() && route.options.find("table ") == std::string::npos) {
    what += cat(" table ", table_number(route.table, network));
  }
  if (!route.metric.empty() && route.options.find("metric ") == std::string::npos)
    what += cat(" metric ", route.metric);
  if (!route.options.empty()) what += cat(" ", route.options);
  return cat("    up ", ip, "replace ", what, "\n    down ", ip, "del ", what, " 2>/dev/null || true\n");
}

/// Without "add" before it, and tables by number.
std::string plain_rule(const std::string& rule, const Network& network) {
  std::vector<std::string> words = split_words(rule);
  if (!words.empty() && words[0] == "add") words.erase(words.begin());
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i - 1] == "table" || words[i - 1] == "lookup") words[i] = table_number(words[i], network);
  }
  return join(words, " ");
}

}  // namespace

std::string route_lines(const Device& device, const Network& network, bool net_tools) {
  std::string lines;
  for (const Route& route : device.routes) {
    lines += net_tools && for_route_command(route) ? net_tools_lines(route) : ip_lines(route, device, network);
  }
  return lines;
}

std::string rule_lines(const Device& device, const Network& network) {
  std::string lines;
  for (const Rule& rule : device.rules) {
    const std::string plain = plain_rule(rule.rule, network);
    const std::string ip = plain.find(':') == std::string::npos ? "ip rule " : "ip -6 rule ";
    if (!rule.comment.empty()) lines += cat("    # ", rule.comment, "\n");
    lines += cat("    up ", ip, "del ", plain, " 2>/dev/null; ", ip, "add ", plain, "\n");
    lines += cat("    down ", ip, "del ", plain, " 2>/dev/null || true\n");
  }
  return lines;
}

std::string ethtool_command(const Device& device) {
  const std::string options = replace_all(device.ethtool_opts, "${DEVICE}", device.name);
  return options[0] == '-' ? cat("ethtool ", options) : cat("ethtool -s ", device.name, " ", options);
}

}  // namespace hearth::agent::net
