#include "bootstrap/seed/site_file.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "metadata/model/value.hpp"
#include "metadata/model/value_text.hpp"
#include "metadata/model/yaml_reader.hpp"
#include "pxe/net/address.hpp"

namespace hearth::bootstrap {

namespace {

using metadata::Entry;
using metadata::Kind;
using metadata::Value;

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
    problems_.push_back(cat(file_, ":", at.mark().line, ": ", place, place.empty() ? "" : ": ", what));
  }

  void only(const Part& part, const std::vector<std::string>& known) {
    if (part.map == nullptr) return;
    for (const Entry& entry : part.map->entries()) {
      const std::string key = metadata::python_str(entry.key);
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      const std::optional<std::string> near = nearest(key, known);
      problem(entry.key, part.place, cat("unknown key '", key, "'", near ? cat(" (", *near, "?)") : ""));
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

  std::uint64_t number(const Part& part, const std::string& key, std::uint64_t usual, std::uint64_t least,
                       std::uint64_t most) {
    const Value* found = part.map == nullptr ? nullptr : part.map->find(key);
    if (found == nullptr) return usual;
    if (found->kind() == Kind::integer && found->as_integer() >= static_cast<std::int64_t>(least) &&
        found->as_integer() <= static_cast<std::int64_t>(most)) {
      return static_cast<std::uint64_t>(found->as_integer());
    }
    problem(*found, cat(part.place, ".", key), cat("a number from ", least, " to ", most, " is expected here"));
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

void read_network(SiteReader& reader, const Part& top, SiteFile& site) {
  const Part network = reader.part(top, "network", true);
  reader.only(network, {"subnet", "seed", "pool", "router"});
  if (network.map == nullptr) return;
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
    if (address && subnet && subnet->contains(*address)) continue;
    reader.problem(
        SiteReader::at(network, key), cat("network.", key),
        cat("'", text, "' is no address in ", site.subnet, key == "pool" ? " (FIRST-LAST is expected)" : ""));
  }
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
  if (!address) return wrong(cat(machine.address, " is no address"));
  if (subnet && !subnet->contains(*address)) return wrong(cat(machine.address, " is not in ", site.subnet));
  if (machine.address == site.seed_address) return wrong(cat(machine.address, " is the seed's"));
  for (const BlankMachine& other : site.machines) {
    if (other.address == machine.address) return wrong(cat(machine.address, " is ", other.name, "'s already"));
  }
}

void check_machine(SiteReader& reader, const Part& part, SiteFile& site, BlankMachine& machine) {
  const bool good_name = !machine.name.empty() && machine.name.size() <= 32 &&
                         std::all_of(machine.name.begin(), machine.name.end(),
                                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; });
  if (!good_name)
    reader.problem(SiteReader::at(part, "name"), cat(part.place, ".name"),
                   "letters, digits and '-' are expected, at most 32");
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
  reader.only(part, {"name", "mac", "firmware", "memory", "disk", "cpus", "profile", "address"});
  static constexpr const char* k_digits = "0123456789abcdef";
  BlankMachine machine;
  machine.line = static_cast<int>(item.mark().line);
  machine.name = reader.text(part, "name", false, cat("node", index + 1));
  const std::string last{k_digits[(index + 1) / 16 % 16], k_digits[(index + 1) % 16]};
  machine.mac = reader.text(part, "mac", false, cat("52:54:00:0b:1a:", last));
  const std::string firmware = reader.text(part, "firmware", false, "bios");
  if (firmware != "bios" && firmware != "uefi")
    reader.problem(SiteReader::at(part, "firmware"), cat(part.place, ".firmware"), "bios or uefi is expected here");
  machine.uefi = firmware == "uefi";
  machine.memory_mib = reader.number(part, "memory", machine.memory_mib, 256, 1U << 20U);
  machine.disk_gib = reader.number(part, "disk", machine.disk_gib, 1, 1U << 14U);
  machine.cpus = static_cast<unsigned>(reader.number(part, "cpus", machine.cpus, 1, 64));
  machine.profile = reader.text(part, "profile", false);
  machine.address = reader.text(part, "address", false);
  check_machine(reader, part, site, machine);
  site.machines.push_back(machine);
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

void read_stack(SiteReader& reader, const Part& top, SiteFile& site) {
  const Part stack = reader.part(top, "stack", false);
  reader.only(stack, {"name", "template", "environments", "parameters"});
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
  if (!document) return document.error().text();
  SiteReader reader(file);
  SiteFile site;
  site.directory = fs::absolute(file).parent_path();
  if (!document->is_map()) return cat(file.string(), ": a map with network, machines, … is expected");
  const Part top{&*document, ""};
  reader.only(top, {"network", "seed", "deploy", "image", "machines", "stack"});
  read_network(reader, top, site);
  const Part seed = reader.part(top, "seed", false);
  reader.only(seed, {"image", "memory"});
  site.seed_image = resolved(site, reader.text(seed, "image", false));
  site.seed_memory_mib = reader.number(seed, "memory", site.seed_memory_mib, 256, 1U << 20U);
  const Part deploy = reader.part(top, "deploy", false);
  reader.only(deploy, {"kernel", "ramdisk"});
  site.deploy = {resolved(site, reader.text(deploy, "kernel", true)),
                 resolved(site, reader.text(deploy, "ramdisk", true))};
  site.image = resolved(site, reader.text({top.map, "the site"}, "image", false));
  read_machines(reader, top, site);
  read_stack(reader, top, site);
  if (!reader.problems().empty()) return join(reader.problems(), "\n");
  return site;
}

SiteFile load_site_file(const fs::path& file) {
  const std::optional<std::string> text = RealFileSystem().read(file);
  if (!text)
    throw Error(ErrorKind::not_found, cat("there is no site file ", file.string()))
        .hint("examples/three-nodes has one.");
  Result<SiteFile, std::string> site = parse_site_file(*text, file);
  if (!site) throw Error(ErrorKind::input, site.error());
  return std::move(site).value();
}

std::vector<std::string> missing_files(const SiteFile& site, bool with_seed_image) {
  std::vector<std::string> missing;
  const auto look = [&](const fs::path& path, const char* key, const char* advice) {
    if (path.empty())
      missing.push_back(cat(key, ": the site file names none; ", advice));
    else if (!fs::exists(path))
      missing.push_back(cat(key, ": there is no ", path.string(), "; ", advice));
  };
  const char* ramdisk = "ramdisk-image-create -o deploy --ramdisk-element deploy-ramdisk debian-minimal makes both";
  look(site.deploy.kernel, "deploy.kernel", ramdisk);
  look(site.deploy.ramdisk, "deploy.ramdisk", ramdisk);
  look(site.image, "image", "hearth image create makes it; its elements must bring hearth-agent");
  look(site.stack.template_file, "stack.template", "a Heat template is needed");
  for (const fs::path& environment : site.stack.environments)
    look(environment, "stack.environments", "a Heat environment is needed");
  if (with_seed_image) look(site.seed_image, "seed.image", "hearth seed create SITE makes it");
  return missing;
}

}  // namespace hearth::bootstrap
