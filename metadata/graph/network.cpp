#include "metadata/graph/network.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.hpp"
#include "metadata/graph/identity.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

using Bytes = std::array<unsigned char, 16>;

/// An address as sixteen bytes; IPv4 in the last four.
struct Address {
  Bytes bytes{};
  bool v6 = false;
  auto operator<=>(const Address&) const = default;

  [[nodiscard]] std::string text() const {
    std::array<char, 64> buffer{};
    inet_ntop(v6 ? AF_INET6 : AF_INET, v6 ? bytes.data() : bytes.data() + 12, buffer.data(), buffer.size());
    return buffer.data();
  }
  [[nodiscard]] Address next() const {
    Address after = *this;
    for (std::size_t i = 16; i-- > 0;) {
      if (++after.bytes[i] != 0) break;
    }
    return after;
  }
};

std::optional<Address> parse_address(const std::string& text) {
  Address address;
  address.v6 = text.find(':') != std::string::npos;
  const int read = inet_pton(address.v6 ? AF_INET6 : AF_INET, text.c_str(),
                             address.v6 ? address.bytes.data() : address.bytes.data() + 12);
  return read == 1 ? std::optional<Address>(address) : std::nullopt;
}

struct Range {
  Address first;
  Address last;
};

Range range_of(const Value& cidr) {
  const std::vector<std::string> parts = split(python_str(cidr), '/');
  const std::optional<Address> base = parse_address(parts[0]);
  const std::uint64_t bits = parts.size() == 2 ? parse_number(parts[1]).value_or(999) : 999;
  if (!base || bits > (base->v6 ? 128U : 32U)) {
    throw validation_fault(cat("\"", python_str(cidr), "\" is not a network: ADDRESS/BITS"), cidr.mark());
  }
  Range range{*base, *base};
  const std::size_t fixed = bits + (base->v6 ? 0 : 96);
  for (std::size_t bit = fixed; bit < 128; ++bit) {
    const auto mask = static_cast<unsigned char>(0x80U >> (bit % 8));
    range.first.bytes[bit / 8] &= static_cast<unsigned char>(~mask);
    range.last.bytes[bit / 8] |= mask;
  }
  return range;
}

std::vector<Range> pools_of(const Value& subnet, const Range& whole, const std::optional<Address>& gateway) {
  std::vector<Range> pools;
  const Value given = member(subnet, "allocation_pools");
  for (const Value& pool : given.is_list() ? given.items() : std::vector<Value>{}) {
    const auto first = parse_address(python_str(member(pool, "start")));
    const auto last = parse_address(python_str(member(pool, "end")));
    if (!first || !last || *last < *first)
      throw validation_fault("an allocation pool has a start and an end address", pool.mark());
    pools.push_back({*first, *last});
  }
  if (!pools.empty()) return pools;
  Range all{whole.first.next(), whole.last};
  if (gateway && *gateway == all.first) all.first = all.first.next();
  return {all};
}

/// Null or an empty text as written is a subnet without a gateway; typed properties have an empty text for both.
Value gateway_of(const Value& subnet) {
  Value given = member(subnet, "gateway_ip");
  if (truth(given)) return given;
  if (given.is_string()) return {};
  return Value::string(range_of(member(subnet, "cidr")).first.next().text());
}

Value shown_subnet(Stack& stack, const Resource& resource, const Value& given) {
  MapBuilder all;
  const bool v6 = python_str(member(given, "cidr")).find(':') != std::string::npos;
  const Value name = member(given, "name");
  all.set("id", Value::string(resource.uuid)).set("name", truth(name) ? name : Value::string(resource.physical_name));
  for (const char* key : {"cidr", "enable_dhcp", "dns_nameservers", "host_routes", "allocation_pools"})
    all.set(key, member(given, key));
  all.set("ip_version", Value::integer(v6 ? 6 : 4)).set("gateway_ip", gateway_of(given));
  all.set("network_id", member(given, "network")).set("tenant_id", Value::string(stack.identity().project));
  return Value::map(std::move(all));
}

/// The subnets that a port may take its addresses from.
std::vector<Resource*> subnets_for(Stack& stack, const Value& port) {
  std::vector<Resource*> found;
  const Value fixed = member(port, "fixed_ips");
  for (const Value& entry : fixed.is_list() ? fixed.items() : std::vector<Value>{}) {
    for (const char* key : {"subnet", "subnet_id"}) {
      const auto known = stack.tree().by_id.find(python_str(member(entry, key)));
      if (known != stack.tree().by_id.end() && known->second->family == Family::subnet) found.push_back(known->second);
    }
  }
  if (!found.empty()) return found;
  const std::string network = python_str(member(port, "network"));
  const auto known = stack.tree().by_id.find(network);
  if (known == stack.tree().by_id.end()) return found;
  for (Resource* each : known->second->owner->resources()) {
    if (each->family == Family::subnet && python_str(member(each->owner->properties(*each), "network")) == network)
      found.push_back(each);
  }
  return found;
}

/// Which of the usable subnets an entry of fixed_ips means: the one it names, the one its address is in, or the next.
Resource& subnet_of_entry(Stack& stack, const Value& entry, const std::vector<Resource*>& usable, std::size_t place) {
  for (const char* key : {"subnet", "subnet_id"}) {
    const auto known = stack.tree().by_id.find(python_str(member(entry, key)));
    if (known != stack.tree().by_id.end() && known->second->family == Family::subnet) return *known->second;
  }
  if (const Value wanted = member(entry, "ip_address"); truth(wanted)) {
    const std::optional<Address> address = parse_address(python_str(wanted));
    for (Resource* each : usable) {
      const Range range = range_of(member(each->owner->properties(*each), "cidr"));
      if (address && address->v6 == range.first.v6 && range.first <= *address && *address <= range.last) return *each;
    }
  }
  return *usable[std::min(place, usable.size() - 1)];
}

/// "p1 (top.yaml:6:3)"
std::string port_with_place(Stack& stack, const std::string& path) {
  Stack* root = &stack;
  while (root->parent() != nullptr) root = root->parent()->owner;
  const Resource* port = root->find_path(path);
  const std::string place = port == nullptr ? "" : stack.tree().sources.text(port->mark);
  return place.empty() ? path : cat(path, " (", place, ")");
}

/// The lowest free address of the subnet, or the one asked for.
std::string take_address(Stack& stack, const Resource& port, Resource& subnet, const Value& wanted) {
  auto& taken = stack.tree().addresses[subnet.uuid];
  const auto take = [&](const std::string& address) {
    const auto [holder, added] = taken.emplace(address, port.path);
    return added || holder->second == port.path;
  };
  const Value given = subnet.owner->properties(subnet);
  const Range whole = range_of(member(given, "cidr"));
  if (truth(wanted)) {
    const std::optional<Address> address = parse_address(python_str(wanted));
    if (!address || *address < whole.first || whole.last < *address) {
      throw validation_fault(cat(python_str(wanted), " is not in ", python_str(member(given, "cidr"))), wanted.mark());
    }
    if (!take(address->text())) {
      throw validation_fault(
          cat(address->text(), " is the address of ", port_with_place(stack, taken.at(address->text())), " and of ",
              port_with_place(stack, port.path), "; each port of a subnet needs its own"),
          wanted.mark());
    }
    return address->text();
  }
  for (const auto& [address, holder] : taken) {
    if (holder == port.path) return address;
  }
  const Value gateway_text = gateway_of(given);
  const auto gateway = gateway_text.is_null() ? std::nullopt : parse_address(python_str(gateway_text));
  for (const Range& pool : pools_of(given, whole, gateway)) {
    for (Address address = pool.first; address <= pool.last; address = address.next()) {
      if (address == whole.last && !address.v6) break;  // broadcast
      if ((!gateway || address != *gateway) && take(address.text())) return address.text();
      if (taken.size() > 100'000) break;
    }
  }
  throw validation_fault(cat("no address is left in ", python_str(member(given, "cidr")), " for ", port.path),
                         port.mark);
}

Value port_attributes(Stack& stack, Resource& resource, const Value& given) {
  std::vector<Value> addresses;
  std::vector<Value> subnets;
  const Value fixed = member(given, "fixed_ips");
  const std::vector<Resource*> usable = subnets_for(stack, given);
  const std::vector<Value> wishes = fixed.is_list() && !fixed.items().empty() ? fixed.items() : std::vector<Value>(1);
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    const Value wanted = member(wishes[i], "ip_address");
    if (usable.empty()) {
      if (truth(wanted))
        addresses.push_back(map_of({{"subnet_id", member(wishes[i], "subnet")}, {"ip_address", wanted}}));
      continue;
    }
    Resource& subnet = subnet_of_entry(stack, wishes[i], usable, i);
    const std::string address = take_address(stack, resource, subnet, wanted);
    addresses.push_back(map_of({{"subnet_id", Value::string(subnet.uuid)}, {"ip_address", Value::string(address)}}));
    subnets.push_back(shown_subnet(*subnet.owner, subnet, subnet.owner->properties(subnet)));
  }
  const bool all_known =
      !usable.empty() ||
      (fixed.is_list() && !fixed.items().empty() &&
       std::all_of(wishes.begin(), wishes.end(), [](const Value& each) { return truth(member(each, "ip_address")); }));
  const std::string mac =
      derived_secret(stack.tree().settings.seed, "mac", stack.tree().secret_place(resource.path), 6);
  const Value name = member(given, "name");
  const Value given_mac = member(given, "mac_address");
  MapBuilder shown;
  if (all_known) shown.set("fixed_ips", Value::list(std::move(addresses)));
  if (!usable.empty()) shown.set("subnets", Value::list(std::move(subnets)));
  const Value rest =
      map_of({{"id", Value::string(resource.uuid)},
              {"name", truth(name) ? name : Value::string(resource.physical_name)},
              {"mac_address", truth(given_mac) ? given_mac
                                               : Value::string(cat("fa:16:3e:", mac.substr(0, 2), ":", mac.substr(2, 2),
                                                                   ":", mac.substr(4, 2)))},
              {"network_id", member(given, "network")},
              {"status", Value::string("ACTIVE")},
              {"admin_state_up", Value::boolean(true)},
              {"tenant_id", Value::string(stack.identity().project)}});
  for (const Entry& entry : rest.entries()) shown.set(entry.key, entry.value);
  return Value::map(std::move(shown));
}

/// Takes the addresses that a port asks for by its properties.
void reserve(Resource& port, const Value& given) {
  Stack& stack = *port.owner;
  if (given.has_waiting()) return;
  const Value fixed = member(given, "fixed_ips");
  const std::vector<Value> wishes = fixed.is_list() ? fixed.items() : std::vector<Value>{};
  std::vector<Resource*> usable;
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    const Value wanted = member(wishes[i], "ip_address");
    if (!truth(wanted)) continue;
    if (usable.empty()) usable = subnets_for(stack, given);
    if (usable.empty()) return;
    (void)take_address(stack, port, subnet_of_entry(stack, wishes[i], usable, i), wanted);
  }
}

/// A server may ask for addresses by itself: each network with a `fixed_ip` is like a port.
void reserve_of_server(Resource& server) {
  const Value networks = member(server.owner->properties(server), "networks");
  for (const Value& entry : networks.is_list() ? networks.items() : std::vector<Value>{}) {
    const Value wanted = member(entry, "fixed_ip");
    if (!truth(wanted)) continue;
    const Value wish = map_of({{"ip_address", wanted}, {"subnet", member(entry, "subnet")}});
    reserve(server, map_of({{"network", member(entry, "network")}, {"fixed_ips", Value::list({wish})}}));
  }
}

/// The address that an entry of a server's `networks` gives it; null where only the cloud knows.
Value address_of_entry(Stack& stack, const Value& entry) {
  if (Value fixed = member(entry, "fixed_ip"); truth(fixed)) return fixed;
  const auto port = stack.tree().by_id.find(python_str(member(entry, "port")));
  if (port == stack.tree().by_id.end() || port->second->family != Family::port) return {};
  const Value all = port->second->owner->attribute_of(*port->second, {Value::string("fixed_ips")});
  return all.is_list() && !all.items().empty() ? member(all.items().front(), "ip_address") : Value();
}

/// The name of the network that an entry means; what it was called by, where that is not of these stacks.
std::string network_of_entry(Stack& stack, const Value& entry) {
  Value network = member(entry, "network");
  const auto port = stack.tree().by_id.find(python_str(member(entry, "port")));
  if (!truth(network) && port != stack.tree().by_id.end() && port->second->family == Family::port)
    network = member(port->second->owner->properties(*port->second), "network");
  const auto known = stack.tree().by_id.find(python_str(network));
  if (known == stack.tree().by_id.end() || known->second->family != Family::network) return python_str(network);
  const Value name = member(known->second->owner->properties(*known->second), "name");
  return truth(name) ? python_str(name) : known->second->physical_name;
}

void for_each_known(const std::vector<Resource*>& resources, const std::function<void(Resource&)>& visit) {
  for (Resource* each : resources) {
    try {
      visit(*each);
      Stack* nested = each->owner->nested_of(*each);
      if (nested != nullptr) for_each_known(nested->resources(), visit);
    } catch (const Fault&) {
      if (each->owner->tree().exhausted()) throw;
      // Validation comes to it and says it with everything else.
    }
  }
}

/// A port that was there before keeps its address, where nobody asks for that one by its properties.
void keep_held(Resource& port) {
  Tree& tree = port.owner->tree();
  const auto held = tree.held.find(port.path);
  if (port.family != Family::port || held == tree.held.end()) return;
  for (const auto& [id, text] : held->second) {
    const auto subnet = tree.by_id.find(id);
    if (subnet == tree.by_id.end() || subnet->second->family != Family::subnet) continue;
    const Range range = range_of(member(subnet->second->owner->properties(*subnet->second), "cidr"));
    const std::optional<Address> address = parse_address(text);
    auto& taken = tree.addresses[id];
    const bool has_one = std::any_of(taken.begin(), taken.end(), [&](const auto& t) { return t.second == port.path; });
    if (!has_one && address && range.first <= *address && *address <= range.last) taken.emplace(text, port.path);
  }
}

}  // namespace

void reserve_addresses(const std::vector<Resource*>& resources) {
  for_each_known(resources, check_addresses);
  if (resources.empty() || resources.front()->owner->tree().held.empty()) return;
  for_each_known(resources, keep_held);
}

void check_addresses(Resource& resource) {
  if (resource.family == Family::port) reserve(resource, resource.owner->properties(resource));
  if (resource.family == Family::server) reserve_of_server(resource);
}

std::optional<Value> server_addresses(Stack& stack, const Value& properties, std::string_view attribute) {
  const bool first = attribute == "first_address";
  const Value networks = member(properties, "networks");
  const bool none = !networks.is_list() || networks.items().empty() || networks.has_waiting();
  if ((!first && attribute != "networks") || none) return std::nullopt;
  MapBuilder by_network;
  for (const Value& entry : networks.items()) {
    const Value address = address_of_entry(stack, entry);
    if (!address.is_string()) return std::nullopt;
    if (first) return address;
    const std::string name = network_of_entry(stack, entry);
    const Value* before = by_network.find(Value::string(name));
    std::vector<Value> all = before == nullptr ? std::vector<Value>{} : before->items();
    all.push_back(address);
    by_network.set(name, Value::list(std::move(all)));
  }
  return Value::map(std::move(by_network));
}

Value network_attributes(Stack& stack, Resource& resource, const Value& properties) {
  if (resource.family == Family::port) return port_attributes(stack, resource, properties);
  if (resource.family == Family::subnet) return shown_subnet(stack, resource, properties);
  const Value name = member(properties, "name");
  return map_of({{"id", Value::string(resource.uuid)},
                 {"name", truth(name) ? name : Value::string(resource.physical_name)},
                 {"status", Value::string("ACTIVE")},
                 {"admin_state_up", Value::boolean(true)},
                 {"mtu", Value::integer(1500)},
                 {"tenant_id", Value::string(stack.identity().project)}});
}

}  // namespace hearth::metadata
