// Site from JSON. It stands apart from site.cpp because JSON is slow to compile and most need only the value.
#include <algorithm>

#include "base/json.hpp"
#include "base/json_place.hpp"
#include "base/text.hpp"
#include "pxe/boot/site.hpp"

namespace hearth::pxe {

namespace {

constexpr std::uint32_t k_largest_pool = 1U << 20U;

/// Reads values out of a document and gathers what is wrong, by place.
class Reader {
 public:
  Reader(std::string_view text, std::string_view source) : text_(text), source_(source) {}
  std::vector<std::string> problems;

  void problem(const std::string& place, const std::string& what) { problem_at(place, place, what); }
  /// `path` says whose line it is.
  void problem_at(const std::string& path, const std::string& place, const std::string& what) {
    const bool top = path == "site" || path.starts_with("site.");
    const Position at = place_in_json(text_, top ? path.substr(std::min<std::size_t>(path.size(), 5)) : path);
    problems.push_back(ParseError{std::string(source_), at, cat(place, ": ", what)}.text());
  }

  /// Says which keys of an object are unknown.
  void only(const Json& object, const std::string& place, const std::vector<std::string>& known) {
    if (!object.is_object()) return problem(place, "an object is expected here");
    for (const auto& [key, value] : object.items()) {
      if (key.starts_with("_") || std::find(known.begin(), known.end(), key) != known.end()) continue;
      const std::optional<std::string> near = nearest(key, known);
      problem_at(cat(place, ".", key), place, cat("unknown key '", key, "'", near ? cat(" (", *near, "?)") : ""));
    }
  }

  std::string text(const Json& object, const std::string& key, const std::string& place, std::string fallback = {}) {
    if (!object.is_object() || !object.contains(key)) return fallback;
    if (object.at(key).is_string()) return object.at(key).get<std::string>();
    problem(cat(place, '.', key), "a text is expected here");
    return fallback;
  }

  std::uint64_t number(const Json& object, const std::string& key, const std::string& place, std::uint64_t fallback,
                       std::uint64_t most) {
    if (!object.is_object() || !object.contains(key)) return fallback;
    const Json& value = object.at(key);
    if (value.is_number_unsigned() && value.get<std::uint64_t>() <= most) return value.get<std::uint64_t>();
    problem(cat(place, '.', key), cat("a number from 0 to ", most, " is expected here"));
    return fallback;
  }

  KernelArguments arguments(const Json& object, const std::string& key, const std::string& place) {
    const auto parsed = KernelArguments::parse(text(object, key, place));
    if (!parsed) problem(cat(place, '.', key), parsed.error());
    return parsed ? *parsed : KernelArguments();
  }

  BootSource source(const Json& object, const std::string& key, const std::string& place) {
    const auto parsed = BootSource::parse(text(object, key, place));
    if (!parsed) problem(cat(place, '.', key), parsed.error());
    return parsed ? *parsed : BootSource();
  }

  /// A list of texts; a single text counts as a list of one.
  std::vector<std::string> texts(const Json& object, const std::string& key, const std::string& place) {
    std::vector<std::string> found;
    if (!object.is_object() || !object.contains(key)) return found;
    const Json& value = object.at(key);
    if (value.is_string()) return {value.get<std::string>()};
    const bool good =
        value.is_array() && std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); });
    if (!good) {
      problem(cat(place, '.', key),
              value.is_array() && !value.empty() && value.front().is_number()
                  ? "a number, where a text is expected: was an address written without quotes in YAML?"
                  : "a list of texts is expected here");
      return found;
    }
    for (const Json& item : value) found.push_back(item.get<std::string>());
    return found;
  }

  std::vector<Ipv4> addresses(const Json& object, const std::string& key, const std::string& place) {
    std::vector<Ipv4> found;
    for (const std::string& word : texts(object, key, place)) {
      const std::optional<Ipv4> address = parse_ipv4(word);
      if (address) {
        found.push_back(*address);
      } else {
        problem(cat(place, '.', key), cat("'", word, "' is no IPv4 address"));
      }
    }
    return found;
  }

 private:
  std::string_view text_;
  std::string_view source_;
};

void read_pool(Reader& reader, const std::string& place, const std::string& word, Network& network) {
  const std::size_t dash = word.find('-');
  const auto first = parse_ipv4(word.substr(0, dash));
  const auto last = dash == std::string::npos ? first : parse_ipv4(word.substr(dash + 1));
  if (!first || !last || *last < *first) return reader.problem(place, cat("'", word, "' is not FIRST-LAST"));
  if (!network.subnet.contains(*first) || !network.subnet.contains(*last))
    return reader.problem(place, cat("'", word, "' is not within ", to_text(network.subnet)));
  if (last->value - first->value >= k_largest_pool) return reader.problem(place, cat("'", word, "' is too large"));
  network.pools.push_back({*first, *last});
}

Network read_network(Reader& reader, const Json& object, const std::string& place) {
  reader.only(object, place,
              {"subnet", "server", "pools", "router", "dns", "ntp", "domain", "search", "lease_s", "mtu"});
  Network network;
  const auto subnet = parse_subnet(reader.text(object, "subnet", place));
  if (!subnet) reader.problem(cat(place, ".subnet"), "is missing, or not NETWORK/PREFIX");
  network.subnet = subnet.value_or(Subnet{});
  const auto server = parse_ipv4(reader.text(object, "server", place));
  if (!server) reader.problem(cat(place, ".server"), "our address on this network is missing");
  network.server = server.value_or(Ipv4{});
  for (const std::string& word : reader.texts(object, "pools", place))
    read_pool(reader, cat(place, ".pools"), word, network);
  network.routers = reader.addresses(object, "router", place);
  network.dns = reader.addresses(object, "dns", place);
  network.ntp = reader.addresses(object, "ntp", place);
  network.domain = reader.text(object, "domain", place);
  network.search = reader.texts(object, "search", place);
  network.lease_s = static_cast<std::uint32_t>(reader.number(object, "lease_s", place, 3600, 0xfffffffe));
  network.mtu = static_cast<std::uint16_t>(reader.number(object, "mtu", place, 0, 65535));
  return network;
}

void read_macs(Reader& reader, const Json& object, const std::string& place, Node& node) {
  std::vector<std::string> words = reader.texts(object, "mac", place);
  for (const Json& port : list_member(object, "ports"))
    words.push_back(reader.text(port, "address", cat(place, ".ports")));
  for (const std::string& word : words) {
    const std::optional<Mac> mac = parse_mac(word);
    if (mac && is_unicast(*mac)) {
      node.macs.push_back(*mac);
    } else {
      reader.problem(cat(place, ".mac"), cat("MAC address ", word, " is invalid"));
    }
  }
}

Profile read_profile(Reader& reader, const Json& object, const std::string& place) {
  reader.only(object, place, {"kernel", "ramdisk", "append"});
  Profile profile{reader.source(object, "kernel", place), reader.source(object, "ramdisk", place),
                  reader.arguments(object, "append", place)};
  if (profile.kernel.empty()) reader.problem(cat(place, ".kernel"), "is missing");
  return profile;
}

Node read_node(Reader& reader, const Json& object, std::size_t at) {
  const std::string place = cat("nodes[", at, "]");
  reader.only(object, place,
              {"name", "mac", "ports", "uuid", "serial", "circuit", "address", "state", "secure_boot", "loader",
               "append", "profile"});
  Node node;
  node.id = std::to_string(at);
  node.name = reader.text(object, "name", place);
  if (!is_boot_name(node.name))
    reader.problem(cat(place, ".name"), "is a host name: letters, digits and . _ ~ - are expected");
  read_macs(reader, object, place, node);
  node.uuid = to_lower(reader.text(object, "uuid", place));
  node.serial = reader.text(object, "serial", place);
  node.circuit = reader.text(object, "circuit", place);
  const std::string address = reader.text(object, "address", place);
  node.address = parse_ipv4(address);
  if (!address.empty() && !node.address)
    reader.problem(cat(place, ".address"), cat("'", address, "' is no IPv4 address"));
  const std::string state = reader.text(object, "state", place, "local");
  const std::optional<BootState> known = parse_state(state);
  if (!known) reader.problem(cat(place, ".state"), cat("unknown state '", state, "'"));
  node.state = known.value_or(BootState::local);
  node.secure_boot = object.is_object() && object.contains("secure_boot") && object.at("secure_boot") == true;
  const std::string loader = reader.text(object, "loader", place, "ipxe");
  if (loader != "ipxe" && loader != "pxelinux")
    reader.problem(cat(place, ".loader"), cat("is ipxe or pxelinux, not '", loader, "'"));
  node.pxelinux = loader == "pxelinux";
  node.append = reader.arguments(object, "append", place);
  if (object.is_object() && object.contains("profile"))
    node.profile = read_profile(reader, object.at("profile"), cat(place, ".profile"));
  return node;
}

void read_profiles(Reader& reader, const Json& document, Site& site) {
  if (!document.contains("profiles")) return;
  reader.only(document.at("profiles"), "profiles", {"deploy", "inspect", "rescue"});
  if (!document.at("profiles").is_object()) return;
  for (const auto& [name, object] : document.at("profiles").items()) {
    const std::string place = cat("profiles.", name);
    const std::optional<BootState> state = parse_state(name);
    if (state) site.profiles[*state] = read_profile(reader, object, place);
  }
}

void read_choices(Reader& reader, const Json& document, Site& site) {
  const std::string mode = reader.text(document, "mode", "site", "full");
  if (mode != "full" && mode != "proxy") reader.problem("mode", cat("is full or proxy, not '", mode, "'"));
  site.mode = mode == "proxy" ? Mode::proxy : Mode::full;
  const std::string unknown = reader.text(document, "unknown", "site", "local");
  if (unknown != "local" && unknown != "inspect" && unknown != "ignore")
    reader.problem("unknown", cat("is local, inspect or ignore, not '", unknown, "'"));
  site.unknown = unknown == "inspect"  ? UnknownPolicy::inspect
                 : unknown == "ignore" ? UnknownPolicy::ignore
                                       : UnknownPolicy::local;
}

/// What no two nodes may share, and what must fit together.
void check_whole(Reader& reader, const Site& site) {
  std::map<std::string, std::size_t> seen;
  const auto once = [&](const std::string& what, const std::string& value, std::size_t at) {
    if (value.empty()) return;
    const auto [first, fresh] = seen.try_emplace(cat(what, ' ', value), at);
    if (!fresh)
      reader.problem(cat("nodes[", at, "]"),
                     cat(what, " ", value, " is not unique: nodes[", first->second, "] has it"));
  };
  for (std::size_t at = 0; at < site.nodes.size(); ++at) {
    const Node& node = site.nodes[at];
    for (const Mac& mac : node.macs) once("MAC", to_text(mac), at);
    once("name", node.name, at);
    once("UUID", node.uuid, at);
    once("serial", node.serial, at);
    once("circuit", node.circuit, at);
    if (site.unknown == UnknownPolicy::ignore && node.macs.empty() && node.uuid.empty() && node.circuit.empty())
      reader.problem(cat("nodes[", at, "]"),
                     "nothing but its serial number is known, which can't be asked where unknown machines are ignored");
    if (!node.address) continue;
    once("address", to_text(*node.address), at);
    if (site.network_of(*node.address) == nullptr)
      reader.problem(cat("nodes[", at, "].address"), cat(to_text(*node.address), " is in none of the networks"));
  }
  if (site.networks.empty()) reader.problem("networks", "at least one is needed");
  if (site.interfaces.empty())
    reader.problem("interfaces", "name the interfaces to answer on; no other is ever answered");
}

}  // namespace

Result<Site> parse_site(std::string_view text, std::string_view source) {
  const Result<Json> document = parse_json(text, source);
  if (!document) return document.error();
  Reader reader(text, source);
  reader.only(*document, "site",
              {"mode", "interfaces", "networks", "nodes", "profiles", "unknown", "root", "state_dir", "http_port",
               "https_port", "tls_certificate", "tls_key", "tftp_port", "allowed_servers"});
  if (!document->is_object()) return ParseError{std::string(source), {}, "the site is an object"};
  Site site;
  read_choices(reader, *document, site);
  site.interfaces = reader.texts(*document, "interfaces", "site");
  std::size_t at = 0;
  for (const Json& object : list_member(*document, "networks"))
    site.networks.push_back(read_network(reader, object, cat("networks[", at++, "]")));
  at = 0;
  for (const Json& object : list_member(*document, "nodes")) site.nodes.push_back(read_node(reader, object, at++));
  read_profiles(reader, *document, site);
  site.root = reader.text(*document, "root", "site");
  site.state_dir = reader.text(*document, "state_dir", "site", "/var/lib/hearth-pxe");
  site.http_port = static_cast<std::uint16_t>(reader.number(*document, "http_port", "site", 80, 65535));
  site.https_port = static_cast<std::uint16_t>(reader.number(*document, "https_port", "site", 443, 65535));
  site.tls_certificate = reader.text(*document, "tls_certificate", "site");
  site.tls_key = reader.text(*document, "tls_key", "site");
  if (site.tls_certificate.empty() != site.tls_key.empty())
    reader.problem("tls_certificate", "HTTPS needs it and tls_key");
  site.tftp_port = static_cast<std::uint16_t>(reader.number(*document, "tftp_port", "site", 69, 65535));
  site.allowed_servers = reader.addresses(*document, "allowed_servers", "site");
  check_whole(reader, site);
  if (!reader.problems.empty()) return ParseError{"", {}, join(reader.problems, "\n")};
  return site;
}

}  // namespace hearth::pxe
