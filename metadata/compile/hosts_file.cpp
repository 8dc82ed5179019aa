#include "metadata/compile/hosts_file.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

std::vector<Value> items_of(const Value& list) { return list.is_list() ? list.items() : std::vector<Value>{}; }

Resource* known(Tree& tree, const Value& id, Family family) {
  const auto found = id.is_string() ? tree.by_id.find(id.text()) : tree.by_id.end();
  return found != tree.by_id.end() && found->second->family == family ? found->second : nullptr;
}

/// Letters, digits, dots, hyphens (and underscores, which the field uses): no line of the file breaks.
bool is_host_name(std::string_view name) {
  constexpr std::string_view k_allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  return !name.empty() && name.find_first_not_of(k_allowed) == std::string_view::npos;
}

bool is_host_address(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF.:") == std::string_view::npos;
}

void add(std::vector<HostAddress>& all, const Value& address, const std::string& network) {
  if (!address.is_string() || !is_host_address(address.text())) return;
  const bool there =
      std::any_of(all.begin(), all.end(), [&](const HostAddress& each) { return each.address == address.text(); });
  if (!there) all.push_back({address.text(), is_host_name(network) ? network : ""});
}

std::string network_name(Tree& tree, const Value& network) {
  Resource* resource = known(tree, network, Family::network);
  if (resource == nullptr) return network.is_string() ? network.text() : "";
  const Value name = resource->owner->attribute_of(*resource, {Value::string("name")});
  return name.is_string() && name.text() != resource->physical_name ? name.text() : resource->name;
}

void add_port(std::vector<HostAddress>& all, Resource& port) {
  const Value network = member(port.owner->properties(port), "network");
  for (const Value& entry : items_of(port.owner->attribute_of(port, {Value::string("fixed_ips")})))
    add(all, member(entry, "ip_address"), network_name(port.owner->tree(), network));
}

void add_ports_below(std::vector<HostAddress>& all, Stack& stack) {
  for_each_resource(stack, [&](Resource& each) {
    if (each.family == Family::port) add_port(all, each);
  });
}

void add_learned(std::vector<HostAddress>& all, const Value& told) {
  for (const char* key : {"accessIPv4", "accessIPv6", "first_address"}) add(all, member(told, key), "");
  const Value networks = member(told, "networks");
  for (const Entry& entry : networks.is_map() ? networks.entries() : std::vector<Entry>{}) {
    for (const Value& address : items_of(entry.value)) add(all, address, python_str(entry.key));
  }
}

}  // namespace

std::vector<HostAddress> host_addresses(Resource& server) {
  std::vector<HostAddress> all;
  Stack& stack = *server.owner;
  for (const Value& network : items_of(member(stack.properties(server), "networks"))) {
    if (Resource* port = known(stack.tree(), member(network, "port"), Family::port)) add_port(all, *port);
    add(all, member(network, "fixed_ip"), network_name(stack.tree(), member(network, "network")));
  }
  const auto told = stack.tree().learned.find(server.path);
  if (all.empty() && told != stack.tree().learned.end()) add_learned(all, told->second);
  if (!all.empty()) return all;
  const std::vector<Resource*> beside = stack.resources();
  const auto servers =
      std::count_if(beside.begin(), beside.end(), [](const Resource* each) { return each->family == Family::server; });
  if (servers == 1) add_ports_below(all, stack);
  return all;
}

std::string hosts_text(Stack& root) {
  std::string lines;
  for_each_resource(root, [&](Resource& server) {
    if (server.family != Family::server) return;
    const Value name = server.owner->attribute_of(server, {Value::string("name")});
    const std::string host = name.is_string() ? name.text() : server.physical_name;
    if (!is_host_name(host)) {
      lines += cat("# ", server.path, ": its name is not one of a host\n");
      return;
    }
    const std::vector<HostAddress> addresses = host_addresses(server);
    if (addresses.empty()) lines += cat("# ", host, " (", server.path, "): no address is known\n");
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const std::string& network = addresses[i].network;
      const std::string on_network = network.empty() ? "" : cat(host, ".", network);
      // The plain name is the first address; the others go by their network.
      const bool plain = i == 0 || network.empty();
      lines +=
          cat(addresses[i].address, plain ? cat(" ", host) : "", on_network.empty() ? "" : cat(" ", on_network), "\n");
    }
  });
  return lines;
}

}  // namespace hearth::metadata
