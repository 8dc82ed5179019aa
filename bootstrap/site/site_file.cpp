#include "bootstrap/site/site_file.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/inventory/draft.hpp"
#include "bootstrap/inventory/site_form.hpp"
#include "bootstrap/node/node.hpp"
#include "builder/channels/pointer.hpp"
#include "metadata/model/value.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/model/yaml_reader.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

using metadata::Entry;
using metadata::Kind;
using metadata::Value;

enum class SiteKind { text, texts, number, map, maps, values };

struct SiteKey {
  const char* name;
  SiteKind kind;
  const char* meaning;
};

/// The keys of each part, by its name in the file; "" is the file itself.
const std::vector<SiteKey>& keys_of_part(const std::string& part) {
  static const std::map<std::string, std::vector<SiteKey>> parts = {
      {"",
       {{"network", SiteKind::map, "the provisioning network"},
        {"seed", SiteKind::map, "the seed, where it is a virtual machine"},
        {"deploy", SiteKind::map, "what machines are deployed with"},
        {"image", SiteKind::text, "what machines get on their disks"},
        {"bmc", SiteKind::values, "what holds for the BMCs of all machines"},
        {"machines", SiteKind::maps, "the machines"},
        {"stack", SiteKind::map, "the stack that they become"}}},
      {"network",
       {{"subnet", SiteKind::text, "192.0.2.0/24"},
        {"seed", SiteKind::text, "the seed's address in it"},
        {"pool", SiteKind::text, "addresses for machines: FIRST-LAST"},
        {"router", SiteKind::text, "its router"},
        {"dns", SiteKind::texts, "name servers"},
        {"ntp", SiteKind::texts, "time servers"},
        {"lease_s", SiteKind::number, "seconds for which an address is lent (3600)"},
        {"interface", SiteKind::text, "the seed's card in it (the one that has its address)"},
        {"mode", SiteKind::text, "full, or proxy beside a DHCP server that is there"},
        {"unknown", SiteKind::text, "machines that are no nodes: local (an address, and their disk) or ignore"}}},
      {"seed", {{"image", SiteKind::text, "its disk"}, {"memory", SiteKind::number, "MiB"}}},
      {"deploy",
       {{"kernel", SiteKind::text, "of the deploy ramdisk"}, {"ramdisk", SiteKind::text, "the deploy ramdisk"}}},
      {"stack",
       {{"name", SiteKind::text, "of the stack"},
        {"template", SiteKind::text, "its Heat template"},
        {"environments", SiteKind::texts, "files, later ones win"},
        {"parameters", SiteKind::values, "of the stack"}}},
      {"machines",
       {{"memory", SiteKind::number, "MiB, in a rehearsal"},
        {"disk", SiteKind::number, "GiB, in a rehearsal"},
        {"cpus", SiteKind::number, "in a rehearsal"}}}};
  return parts.at(part);
}

std::vector<std::string> key_names(const std::string& part) {
  std::vector<std::string> names;
  for (const SiteKey& key : keys_of_part(part)) names.emplace_back(key.name);
  if (part == "machines") names.insert(names.end(), site_inventory_keys().begin(), site_inventory_keys().end());
  return names;
}

/// What other tools call a thing that has another name here; empty for what nobody does.
std::string_view word_of_others(std::string_view key) {
  constexpr auto k_words = std::to_array<std::pair<std::string_view, std::string_view>>({{"gateway", "router"},
                                                                                         {"routers", "router"},
                                                                                         {"cidr", "subnet"},
                                                                                         {"range", "pool"},
                                                                                         {"dhcp_range", "pool"},
                                                                                         {"nameservers", "dns"},
                                                                                         {"dns_servers", "dns"},
                                                                                         {"ntp_servers", "ntp"},
                                                                                         {"nodes", "machines"},
                                                                                         {"hosts", "machines"},
                                                                                         {"servers", "machines"}});
  const auto found = std::find_if(k_words.begin(), k_words.end(), [&](const auto& word) { return word.first == key; });
  return found == k_words.end() ? "" : found->second;
}

/// What whoever writes such a key at the top looks for.
std::string_view advice_on(std::string_view key) {
  if (key == "inventory") return ": hearth rehearse and hearth deploy are given it by --inventory FILE";
  if (key == "networks" || key == "interfaces")
    return ": that is hearth pxe's own form, for several networks, in a file .json (hearth help networks); a site file "
           "has one network";
  return "";
}

/// A map of the document, with what it is called in messages.
struct Part {
  const Value* map = nullptr;
  std::string place;
};

/// Takes values out of the document and gathers what is wrong.
class SiteReader {
 public:
  explicit SiteReader(const fs::path& file) : file_(file.string()) {}

  void problem(const Value& at, const std::string& place, const std::string& what) {
    problem(static_cast<int>(at.mark().line), place, what);
  }
  void problem(int line, const std::string& place, const std::string& what) {
    problems_.push_back(cat(file_, ":", line, ": ", place, place.empty() ? "" : ": ", what));
  }

  void only(const Part& part, const std::vector<std::string>& known) {
    if (part.map == nullptr) return;
    for (const Entry& entry : part.map->entries()) {
      const std::string key = metadata::python_str(entry.key);
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      const std::optional<std::string> near = nearest(key, known);
      const std::string_view advice = part.place.empty() ? advice_on(key) : "";
      const std::string meant = near ? *near : std::string(word_of_others(key));
      const bool is_meant = advice.empty() && std::find(known.begin(), known.end(), meant) != known.end();
      problem(entry.key, part.place, cat("unknown key '", key, "'", is_meant ? cat(" (", meant, "?)") : "", advice));
    }
  }

  /// A part that is a map; without one when it is missing and `needed` is false.
  Part part(const Part& outer, const std::string& key, bool needed) {
    const Value* found = outer.map == nullptr ? nullptr : outer.map->find(key);
    if (found != nullptr && found->is_map()) return {found, key};
    if (found != nullptr) problem(*found, key, "a map is expected here");
    if (found == nullptr && needed && outer.map != nullptr) problem(*outer.map, key, "is missing");
    return {nullptr, key};
  }

  std::string text(const Part& part, const std::string& key, bool needed, std::string usual = {}) {
    const Value* found = part.map == nullptr ? nullptr : part.map->find(key);
    if (found == nullptr) {
      if (needed && part.map != nullptr) problem(*part.map, cat(part.place, ".", key), "is missing");
      return usual;
    }
    if (found->is_string()) return found->text();
    problem(*found, cat(part.place, ".", key),
            found->is_number() ? "a text is expected here: put it in quotes" : "a text is expected here");
    return usual;
  }

  /// A list of texts; a single text counts as a list of one.
  std::vector<std::string> texts(const Part& part, const std::string& key) {
    const Value* found = part.map == nullptr ? nullptr : part.map->find(key);
    if (found == nullptr) return {};
    std::vector<std::string> all;
    for (const Value& item : found->is_list() ? found->items() : std::vector<Value>{*found}) {
      if (item.is_string())
        all.push_back(item.text());
      else
        problem(item, cat(part.place, ".", key),
                item.is_number() ? "a text is expected here: put it in quotes" : "a text is expected here");
    }
    return all;
  }

  std::uint64_t number(const Part& part, const std::string& key, std::uint64_t usual, std::uint64_t least,
                       std::uint64_t most, std::string_view unit = "") {
    const Value* found = part.map == nullptr ? nullptr : part.map->find(key);
    if (found == nullptr) return usual;
    if (found->kind() == Kind::integer && found->as_integer() >= static_cast<std::int64_t>(least) &&
        found->as_integer() <= static_cast<std::int64_t>(most)) {
      return static_cast<std::uint64_t>(found->as_integer());
    }
    problem(*found, cat(part.place, ".", key), cat("a number from ", least, " to ", most, unit, " is expected here"));
    return usual;
  }

  /// The value that a message about a key points at.
  static const Value& at(const Part& part, const std::string& key) {
    const Value* found = part.map->find(key);
    return found == nullptr ? *part.map : *found;
  }

  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::string file_;
  std::vector<std::string> problems_;
};

fs::path resolved(const SiteFile& site, const std::string& path) {
  if (path.empty()) return {};
  return fs::path(path).is_absolute() ? fs::path(path) : site.directory / path;
}

/// What the network's machines are told besides their addresses, and who tells them.
void read_services(SiteReader& reader, const Part& network, SiteFile& site) {
  site.dns = reader.texts(network, "dns");
  site.ntp = reader.texts(network, "ntp");
  site.interface = reader.text(network, "interface", false);
  site.lease_s = reader.number(network, "lease_s", site.lease_s, 60, 0xfffffffeU, " (seconds)");
  for (const auto& [key, words] : {std::pair{"dns", &site.dns}, std::pair{"ntp", &site.ntp}}) {
    for (const std::string& word : *words) {
      if (!pxe::parse_ipv4(word))
        reader.problem(SiteReader::at(network, key), cat("network.", key), cat("'", word, "' is no IPv4 address"));
    }
  }
  const std::string mode = reader.text(network, "mode", false, "full");
  if (mode != "full" && mode != "proxy")
    reader.problem(SiteReader::at(network, "mode"), "network.mode", cat("is full or proxy, not '", mode, "'"));
  site.proxy = mode == "proxy";
  site.unknown = reader.text(network, "unknown", false, site.unknown);
  if (site.unknown != "local" && site.unknown != "ignore")
    reader.problem(SiteReader::at(network, "unknown"), "network.unknown",
                   cat("is local or ignore, not '", site.unknown, "'"));
}

}  // namespace

std::string order_fault(const std::string& pool) {
  const std::size_t dash = pool.find('-');
  if (dash == std::string::npos) return "";
  const std::optional<pxe::Ipv4> first = pxe::parse_ipv4(pool.substr(0, dash));
  const std::optional<pxe::Ipv4> last = pxe::parse_ipv4(pool.substr(dash + 1));
  return first && last && *last < *first ? cat("'", pool, "' has its last address before its first") : "";
}

namespace {

void read_network(SiteReader& reader, const Part& top, SiteFile& site) {
  const Part network = reader.part(top, "network", true);
  reader.only(network, key_names("network"));
  if (network.map == nullptr) return;
  read_services(reader, network, site);
  site.subnet = reader.text(network, "subnet", true);
  site.seed_address = reader.text(network, "seed", true);
  site.pool = reader.text(network, "pool", true);
  site.router = reader.text(network, "router", false);
  const std::optional<pxe::Subnet> subnet = pxe::parse_subnet(site.subnet);
  if (!subnet && !site.subnet.empty()) {
    reader.problem(SiteReader::at(network, "subnet"), "network.subnet",
                   cat(site.subnet, " is no network (192.0.2.0/24)"));
    return;
  }
  const std::size_t dash = site.pool.find('-');
  const std::vector<std::pair<std::string, std::string>> addresses = {
      {"seed", site.seed_address},
      {"pool", site.pool.substr(0, dash)},
      {"pool", dash == std::string::npos ? "" : site.pool.substr(dash + 1)}};
  for (const auto& [key, text] : addresses) {
    const std::optional<pxe::Ipv4> address = pxe::parse_ipv4(text);
    if (!subnet || network.map->find(key) == nullptr) continue;  // that it is missing is told already
    if (address && subnet->contains(*address)) continue;
    reader.problem(
        SiteReader::at(network, key), cat("network.", key),
        cat("'", text, "' is no address in ", site.subnet, key == "pool" ? " (FIRST-LAST is expected)" : ""));
  }
  if (const std::string fault = order_fault(site.pool); !fault.empty())
    reader.problem(SiteReader::at(network, "pool"), "network.pool", fault);
}

void check_mac(SiteReader& reader, const Part& part, SiteFile& site, BlankMachine& machine) {
  const std::optional<pxe::Mac> mac = pxe::parse_mac(machine.mac);
  if (!mac || !pxe::is_unicast(*mac)) {
    reader.problem(SiteReader::at(part, "mac"), cat(part.place, ".mac"), cat(machine.mac, " is no machine's address"));
    return;
  }
  machine.mac = pxe::to_text(*mac);
  for (const BlankMachine& other : site.machines) {
    if (other.mac == machine.mac) {
      reader.problem(SiteReader::at(part, "mac"), cat(part.place, ".mac"),
                     cat(machine.mac, " is ", other.name, "'s already"));
    }
  }
}

void check_address(SiteReader& reader, const Part& part, const SiteFile& site, const BlankMachine& machine) {
  if (machine.address.empty()) return;
  const auto wrong = [&](const std::string& why) {
    reader.problem(SiteReader::at(part, "address"), cat(part.place, ".address"), why);
  };
  const std::optional<pxe::Ipv4> address = pxe::parse_ipv4(machine.address);
  const auto subnet = pxe::parse_subnet(site.subnet);
  const bool is_end = subnet && address && (*address == subnet->network || *address == subnet->broadcast());
  if (!address) return wrong(cat(machine.address, " is no address"));
  if (subnet && !subnet->contains(*address)) return wrong(cat(machine.address, " is not in ", site.subnet));
  if (is_end) return wrong(cat(machine.address, " is the network's first or last address, which no machine can have"));
  if (machine.address == site.seed_address) return wrong(cat(machine.address, " is the seed's"));
  for (const BlankMachine& other : site.machines) {
    if (other.address == machine.address) return wrong(cat(machine.address, " is ", other.name, "'s already"));
  }
}

void check_machine(SiteReader& reader, const Part& part, SiteFile& site, BlankMachine& machine) {
  if (const std::string fault = machine_name_fault(machine.name); !fault.empty())
    reader.problem(SiteReader::at(part, "name"), cat(part.place, ".name"), fault);
  for (const BlankMachine& other : site.machines) {
    if (other.name == machine.name)
      reader.problem(SiteReader::at(part, "name"), cat(part.place, ".name"), cat(machine.name, " is there twice"));
  }
  check_mac(reader, part, site, machine);
  check_address(reader, part, site, machine);
}

void read_machine(SiteReader& reader, const Value& item, std::size_t index, SiteFile& site) {
  const Part part{item.is_map() ? &item : nullptr, cat("machines[", index, "]")};
  if (part.map == nullptr) {
    reader.problem(item, part.place, "a map is expected here");
    return;
  }
  reader.only(part, key_names("machines"));
  static constexpr const char* k_digits = "0123456789abcdef";
  BlankMachine machine;
  machine.line = static_cast<int>(item.mark().line);
  machine.name = reader.text(part, "name", false, cat("node", index + 1));
  const std::string last{k_digits[(index + 1) / 16 % 16], k_digits[(index + 1) % 16]};
  const std::vector<std::string> macs = reader.texts(part, "mac");
  machine.has_own_mac = !macs.empty();
  machine.mac = macs.empty() ? cat("52:54:00:0b:1a:", last) : macs.front();
  for (const std::string& more : macs) {
    const std::optional<pxe::Mac> mac = pxe::parse_mac(more);
    if (more != machine.mac && (!mac || !pxe::is_unicast(*mac)))
      reader.problem(SiteReader::at(part, "mac"), cat(part.place, ".mac"), cat(more, " is no machine's address"));
  }
  const std::string firmware = reader.text(part, "firmware", false, "bios");
  if (firmware != "bios" && firmware != "uefi")
    reader.problem(SiteReader::at(part, "firmware"), cat(part.place, ".firmware"), "bios or uefi is expected here");
  machine.uefi = firmware == "uefi";
  machine.has_own_firmware = part.map->find("firmware") != nullptr;
  machine.memory_mib = reader.number(part, "memory", machine.memory_mib, 256, 1U << 20U, " (MiB)");
  machine.disk_gib = reader.number(part, "disk", machine.disk_gib, 1, 1U << 14U, " (GiB)");
  machine.cpus = static_cast<unsigned>(reader.number(part, "cpus", machine.cpus, 1, 64));
  machine.profile = reader.text(part, "profile", false);
  machine.address = reader.text(part, "address", false);
  check_machine(reader, part, site, machine);
  site.machines.push_back(machine);
}

bool has_management(const Json& entry) {
  return std::any_of(entry.items().begin(), entry.items().end(),
                     [](const auto& item) { return item.key().rfind("pm_", 0) == 0; });
}

/// An inventory's fault with the keys that stand in a site file.
std::string in_site_words(std::string text) {
  static constexpr std::array<std::pair<const char*, const char*>, 6> k_words = {{{"pm_type", "bmc.type"},
                                                                                  {"pm_addr", "bmc.address"},
                                                                                  {"pm_user", "bmc.user"},
                                                                                  {"pm_password", "bmc.password"},
                                                                                  {"pm_port", "bmc.port"},
                                                                                  {"pm_system_id", "bmc.system"}}};
  for (const auto& [from, to] : k_words) text = replace_all(text, from, to);
  return text;
}

/// " (password?)" behind "Unknown field pasword": an inventory's own words are others.
std::string meant_of_bmc(std::string_view text) {
  constexpr std::string_view k_unknown = "Unknown field ";
  if (!text.starts_with(k_unknown) || text.find('(') != std::string_view::npos) return "";
  const std::optional<std::string> near =
      nearest(std::string(text.substr(k_unknown.size())), {"type", "address", "user", "password", "port", "system"});
  return near ? cat(" (", *near, "?)") : "";
}

void read_machines(SiteReader& reader, const Part& top, SiteFile& site) {
  const Value* machines = top.map->find("machines");
  if (machines == nullptr) return;
  if (!machines->is_list()) {
    reader.problem(*machines, "machines", "a list is expected here");
    return;
  }
  if (machines->items().size() > 200) reader.problem(*machines, "machines", "at most 200 are rehearsed on one machine");
  for (std::size_t i = 0; i < machines->items().size() && i < 200; ++i)
    read_machine(reader, machines->items()[i], i, site);
}

/// Where a fault stands that these machines have: "machines[1]"; "bmc" where all have it, else with their names.
std::string place_of_fault(const std::vector<std::size_t>& machines, std::size_t managed, const SiteFile& site) {
  constexpr std::size_t k_named = 5;
  if (machines.size() == 1) return cat("machines[", machines.front(), "]");
  if (machines.size() == managed) return "bmc";
  std::vector<std::string> names;
  for (const std::size_t index : machines) names.push_back(site.machines.at(index).name);
  return cat("bmc of ", join_first(names, k_named));
}

/// Machines with BMCs are checked as an inventory is.
void read_inventory(SiteReader& reader, std::string_view text, const fs::path& file, SiteFile& site) {
  Result<std::vector<ListingEntry>> entries = read_listing(text, file.string(), ListingFormat::yaml);
  if (!entries || entries->size() != site.machines.size()) return;  // what is wrong is told already
  site.inventory = std::move(entries).value();
  std::vector<ListingEntry> managed;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < site.inventory.size(); ++i) {
    if (text_in(site.inventory[i].data, "pm_type").empty() && !has_management(site.inventory[i].data)) continue;
    managed.push_back(site.inventory[i]);
    indices.push_back(i);
  }
  std::map<std::pair<int, std::string>, std::vector<std::size_t>> whose;  // a fault of `bmc` is one of each machine
  const std::vector<Fault> faults = draft_nodes(managed).faults;
  for (const Fault& fault : faults) whose[{fault.at.line, fault.text}].push_back(indices.at(fault.index));
  for (const Fault& fault : faults) {
    if (fault.text.starts_with("MAC ") || fault.text.starts_with("Name ")) continue;  // told by read_machine()
    const std::vector<std::size_t> machines = std::exchange(whose[{fault.at.line, fault.text}], {});
    if (machines.empty()) continue;
    reader.problem(fault.at.line, place_of_fault(machines, managed.size(), site),
                   in_site_words(cat(fault.text, meant_of_bmc(fault.text))));
  }
}

void read_stack(SiteReader& reader, const Part& top, SiteFile& site) {
  const Part stack = reader.part(top, "stack", false);
  reader.only(stack, key_names("stack"));
  if (stack.map == nullptr) return;
  site.stack.name = reader.text(stack, "name", false, site.stack.name);
  site.stack.template_file = resolved(site, reader.text(stack, "template", true));
  if (const Value* list = stack.map->find("environments"); list != nullptr) {
    if (!list->is_list()) reader.problem(*list, "stack.environments", "a list of files is expected here");
    for (const Value& item : list->is_list() ? list->items() : std::vector<Value>()) {
      if (item.is_string())
        site.stack.environments.push_back(resolved(site, item.text()));
      else
        reader.problem(item, "stack.environments", "a file's name is expected here");
    }
  }
  const Part parameters = reader.part({stack.map, "stack"}, "parameters", false);
  if (parameters.map == nullptr) return;
  for (const Entry& entry : parameters.map->entries())
    site.stack.parameters[metadata::python_str(entry.key)] = metadata::python_str(entry.value);
}

}  // namespace

Result<SiteFile, std::string> parse_site_file(std::string_view text, const fs::path& file) {
  const Result<Value> document = metadata::parse_yaml(text, file.string());
  if (!document) return cat(document.error().text(), "; what else may be wrong is told once that is mended");
  SiteReader reader(file);
  SiteFile site;
  site.directory = fs::absolute(file).parent_path();
  if (!document->is_map()) return cat(file.string(), ": a map with network, machines, … is expected");
  const Part top{&*document, ""};
  reader.only(top, key_names(""));
  static_cast<void>(reader.part(top, "bmc", false));
  read_network(reader, top, site);
  const Part seed = reader.part(top, "seed", false);
  reader.only(seed, key_names("seed"));
  site.seed_image = resolved(site, reader.text(seed, "image", false));
  site.seed_memory_mib = reader.number(seed, "memory", site.seed_memory_mib, 256, 1U << 20U, " (MiB)");
  const Part deploy = reader.part(top, "deploy", false);
  reader.only(deploy, key_names("deploy"));
  site.deploy = {resolved(site, reader.text(deploy, "kernel", true)),
                 resolved(site, reader.text(deploy, "ramdisk", true))};
  site.image = resolved(site, reader.text({top.map, "the site"}, "image", false));
  read_machines(reader, top, site);
  read_inventory(reader, text, file, site);
  read_stack(reader, top, site);
  if (!reader.problems().empty()) return join(reader.problems(), "\n");
  return site;
}

namespace {

Json part_schema(const std::string& part);

Json schema_of(const SiteKey& key) {
  const Json text = {{"type", "string"}};
  Json schema = text;
  switch (key.kind) {
    case SiteKind::text: break;
    case SiteKind::texts: schema = {{"anyOf", {text, {{"type", "array"}, {"items", text}}}}}; break;
    case SiteKind::number: schema = {{"type", "integer"}, {"minimum", 1}}; break;
    case SiteKind::map: schema = part_schema(key.name); break;
    case SiteKind::maps: schema = {{"type", "array"}, {"maxItems", 200}, {"items", part_schema(key.name)}}; break;
    case SiteKind::values: schema = {{"type", "object"}}; break;
  }
  schema["description"] = key.meaning;
  return schema;
}

Json part_schema(const std::string& part) {
  Json keys = Json::object();
  if (part == "machines") {
    for (const std::string& name : site_inventory_keys()) keys[name] = Json::object();
  }
  for (const SiteKey& key : keys_of_part(part)) keys[key.name] = schema_of(key);
  return {{"type", "object"}, {"properties", std::move(keys)}, {"additionalProperties", false}};
}

}  // namespace

std::string site_schema() {
  Json schema = part_schema("");
  schema["$schema"] = "http://json-schema.org/draft-07/schema#";
  schema["title"] = "A site: its network, images and machines";
  schema["required"] = {"network", "deploy"};
  schema["properties"]["network"]["required"] = {"subnet", "seed", "pool"};
  schema["properties"]["network"]["properties"]["mode"]["enum"] = {"full", "proxy"};
  schema["properties"]["network"]["properties"]["unknown"]["enum"] = {"local", "ignore"};
  schema["properties"]["deploy"]["required"] = {"kernel", "ramdisk"};
  schema["properties"]["stack"]["required"] = {"template"};
  schema["properties"]["machines"]["items"]["properties"]["firmware"] = {{"enum", {"bios", "uefi"}}};
  return json_document(schema);
}

SiteFile load_site_file(const fs::path& file) {
  const std::optional<std::string> text = RealFileSystem().read(file);
  if (!text)
    throw Error(ErrorKind::not_found, cat("there is no site file ", file.string()))
        .hint("hearth site new writes one; examples/real-site and examples/three-nodes have one.");
  Result<SiteFile, std::string> site = parse_site_file(*text, file);
  if (!site) throw Error(ErrorKind::input, site.error());
  return std::move(site).value();
}

std::vector<std::string> site_doubts(const SiteFile& site, const std::string& file) {
  std::vector<std::string> doubts;
  const std::size_t dash = site.pool.find('-');
  const std::optional<pxe::Ipv4> seed = pxe::parse_ipv4(site.seed_address);
  const std::optional<pxe::Ipv4> first = pxe::parse_ipv4(site.pool.substr(0, dash));
  const std::optional<pxe::Ipv4> last = pxe::parse_ipv4(dash == std::string::npos ? "" : site.pool.substr(dash + 1));
  if (seed && first && last && !(*seed < *first) && !(*last < *seed))
    doubts.push_back(cat(file, ": network.pool: ", site.pool, " holds the seed's own address, ", site.seed_address));
  for (std::size_t i = 0; i < site.machines.size() && i < site.inventory.size(); ++i) {
    const BlankMachine& machine = site.machines[i];
    std::string host = text_in(site.inventory[i].data, "pm_addr");
    if (const std::size_t scheme = host.find("://"); scheme != std::string::npos) host = host.substr(scheme + 3);
    if (!machine.address.empty() && host.substr(0, host.find_first_of(":/")) == machine.address)
      doubts.push_back(cat(file, ":", machine.line, ": machines[", i, "].address: ", machine.address,
                           " is its own BMC's: a machine and its BMC have one each"));
  }
  return doubts;
}

bool has_channel_image(const SiteFile& site) {
  return !fs::exists(site.image) && builder::channels::parse_reference(site.image.filename().string());
}

namespace {

/// What makes a file where the site file says that it is: `program -o STEM more`, to be typed where people are.
std::string made_by(const std::string& program, const fs::path& stem, const std::string& more) {
  const fs::path near = stem.lexically_relative(fs::current_path());
  const fs::path shown = near.empty() || *near.begin() == ".." ? stem : near;
  const fs::path folder = shown.parent_path();
  const bool is_there = folder.empty() || fs::is_directory(stem.parent_path());
  return cat("made by: ", is_there ? "" : cat("mkdir -p ", shell_quote(folder.string()), " && "), program, " -o ",
             shell_quote(shown.string()), " ", more);
}

/// Both files of a deploy ramdisk have one stem.
std::string ramdisk_made_by(const SiteFile& site) {
  const fs::path stem = fs::path(site.deploy.kernel).replace_extension();
  const bool has_its_names = site.deploy.kernel.extension() == ".kernel" &&
                             site.deploy.ramdisk == fs::path(stem).replace_extension(".initramfs");
  return cat(made_by("ramdisk-image-create", has_its_names ? stem : fs::absolute("deploy"),
                     "--ramdisk-element deploy-ramdisk debian-minimal"),
             has_its_names ? "" : ", which writes deploy.kernel and deploy.initramfs");
}

std::string image_made_by(const fs::path& image) {
  const std::string type = image.extension().string();
  const std::string option = type.empty() || type == ".qcow2" ? "" : cat("-t ", type.substr(1), " ");
  return made_by("hearth image create", image.empty() ? fs::absolute("node") : fs::path(image).replace_extension(),
                 cat(option,
                     "vm debian-minimal simple-init heat-config-script hearth-agent (others as you like; "
                     "hearth-agent deploys what a stack says)"));
}

}  // namespace

std::string machine_name_fault(std::string_view name) {
  const bool good = !name.empty() && name.size() <= 32 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-';
  });
  return good ? "" : cat("'", one_line(name), "': letters, digits and '-' are expected, at most 32");
}

std::vector<std::string> missing_files(const SiteFile& site, bool with_seed_image) {
  std::vector<std::string> missing;
  const auto look = [&](const fs::path& path, const char* key, const std::string& advice) {
    if (path.empty())
      missing.push_back(cat(key, ": the site file names none; ", advice));
    else if (!fs::exists(path))
      missing.push_back(cat(key, ": there is no ", path.string(), "; ", advice));
    else if (!fs::is_regular_file(path) || fs::file_size(path) == 0)
      missing.push_back(
          cat(key, ": ", path.string(), fs::is_regular_file(path) ? " is empty; " : " is no file; ", advice));
  };
  const std::string ramdisk = ramdisk_made_by(site);
  look(site.deploy.kernel, "deploy.kernel", ramdisk);
  look(site.deploy.ramdisk, "deploy.ramdisk", ramdisk);
  if (!has_channel_image(site)) look(site.image, "image", image_made_by(site.image));
  if (!site.stack.template_file.empty())  // else machines get the image, and no stack
    look(site.stack.template_file, "stack.template",
         "a Heat template is needed, which says what the machines become (examples/three-nodes/three-nodes.yaml; "
         "hearth help three-machines)");
  for (const fs::path& environment : site.stack.environments)
    look(environment, "stack.environments", "a Heat environment is needed");
  if (with_seed_image) look(site.seed_image, "seed.image", "hearth seed create SITE makes it");
  return missing;
}

}  // namespace hearth::bootstrap
