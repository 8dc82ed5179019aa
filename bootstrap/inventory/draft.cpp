#include "bootstrap/inventory/draft.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/log.hpp"
#include "base/text.hpp"
#include "bootstrap/inventory/drivers.hpp"
#include "bootstrap/inventory/entry_check.hpp"

namespace hearth::bootstrap {

namespace {

/// Where keys that are the same for all drivers go.
void take_properties(const Json& data, NodeDraft& draft) {
  if (data.contains("arch")) draft.properties["cpu_arch"] = data["arch"];
  static constexpr std::array<std::pair<const char*, const char*>, 3> numbers = {
      {{"cpu", "cpus"}, {"memory", "memory_mb"}, {"disk", "local_gb"}}};
  for (const auto& [key, own] : numbers) {
    if (!data.contains(key)) continue;
    if (const std::optional<std::int64_t> number = whole_number(data[key])) draft.properties[own] = *number;
  }
  for (const auto& [key, value] : data.items()) {
    if (key.rfind("properties.", 0) == 0) draft.properties[key.substr(11)] = value;
  }
  if (data.contains("root_device")) draft.properties["root_device"] = data["root_device"];
}

void take_capabilities(const Json& data, NodeDraft& draft) {
  std::vector<std::pair<std::string, std::string>> items;
  if (data.contains("capabilities")) {
    const Json& given = data["capabilities"];
    if (given.is_object()) {
      std::map<std::string, std::string> sorted;
      for (const auto& [key, value] : given.items()) {
        if (!value.is_null()) sorted[key] = text_of(value);
      }
      items.assign(sorted.begin(), sorted.end());
    } else {
      items = parse_capabilities(text_of(given));
    }
  }
  const std::string profile = text_in(data, "profile");
  if (!profile.empty()) {
    std::erase_if(items, [](const auto& item) { return item.first == "profile"; });
    items.emplace_back("profile", profile);
  }
  if (!items.empty()) draft.properties["capabilities"] = capabilities_text(items);
}

void take_driver_info(const Json& data, const DriverRow& row, NodeDraft& draft) {
  draft.driver = row.supported ? row.driver : "manual-management";
  for (const auto& [key, value] : data.items()) {
    if (key == "pm_type") continue;
    const bool verbatim = !row.prefix.empty() && key.rfind(cat(row.prefix, "_"), 0) == 0;
    const bool manual = key.rfind("manual_", 0) == 0;
    if (verbatim || manual) draft.driver_info[key] = value;
    if (const std::optional<std::string> own = driver_key(row, key)) draft.driver_info[*own] = value;
  }
  if (row.driver == "libvirt" && !draft.driver_info.contains("libvirt_uri")) return;
  if (row.driver == "libvirt") {
    const std::string address = draft.info("libvirt_uri");
    const std::string user = draft.info("libvirt_user");
    if (address.find("://") == std::string::npos) {
      draft.driver_info["libvirt_uri"] = cat("qemu+ssh://", user.empty() ? "" : user + "@", address, "/system");
    }
  }
}

void take_boot_images(const Json& data, NodeDraft& draft) {
  static constexpr std::array<std::pair<const char*, const char*>, 2> keys = {
      {{"kernel_id", "kernel"}, {"ramdisk_id", "ramdisk"}}};
  for (const auto& [key, own] : keys) {
    if (!data.contains(key)) continue;
    draft.driver_info[cat("deploy_", own)] = data[key];
    draft.driver_info[cat("rescue_", own)] = data[key];
  }
}

std::vector<Port> ports_of(const Json& data, const EntryCheck& check) {
  std::vector<Port> ports;
  for (const auto& [address, at] : check.macs()) {
    Port port;
    port.address = address;
    port.physical_network = "ctlplane";
    ports.push_back(std::move(port));
  }
  if (!data.contains("ports") || !data["ports"].is_array()) return ports;
  const std::size_t skip = ports.size() - std::min(ports.size(), data["ports"].size());
  for (std::size_t i = 0; i < data["ports"].size() && skip + i < ports.size(); ++i) {
    const Json& given = data["ports"][i];
    Port& port = ports[skip + i];
    port.physical_network = text_in(given, "physical_network", "ctlplane");
    if (given.contains("pxe_enabled") && given["pxe_enabled"].is_boolean()) port.pxe_enabled = given["pxe_enabled"];
    if (given.contains("local_link_connection")) port.local_link_connection = given["local_link_connection"];
  }
  return ports;
}

NodeDraft draft_of(const ListingEntry& entry, std::size_t index, const EntryCheck& check,
                   std::vector<EntryWarning>& warnings) {
  const Json& data = entry.data;
  NodeDraft draft;
  draft.index = index;
  draft.uuid = parse_uuid(text_in(data, "uuid")).value_or("");
  draft.name = text_in(data, "name");
  draft.in_use = entry.in_use;
  const auto warn = [&](std::string text) { warnings.push_back({index, 0, draft.name, std::move(text)}); };
  const std::string type = text_in(data, "pm_type");
  if (const DriverRow* row = driver_of(type)) {
    take_driver_info(data, *row, draft);
    draft.management_id = management_id(*row, draft.driver_info);
    if (!row->supported) {
      warn(cat("there is no driver for pm_type ", type, "; the machine will be switched by hand (manual-management)"));
    } else if (row->driver != type) {
      warn(cat("the name ", type, " is out of date; the driver is ", row->driver));
    }
  }
  take_boot_images(data, draft);
  take_properties(data, draft);
  take_capabilities(data, draft);
  if (data.contains("platform")) draft.extra["tripleo_platform"] = data["platform"];
  if (data.contains("x_seed")) draft.extra["x_seed"] = data["x_seed"];
  if (data.contains("extra") && data["extra"].is_object()) draft.extra.update(data["extra"]);
  for (const auto& [key, value] : data.items()) {
    if (is_node_field(key)) draft.fields[key] = value;
  }
  if (text_in(data, "resource_class", "baremetal") != "baremetal") {
    warn(cat("resource_class is ", text_in(data, "resource_class"), "; flavors usually ask for baremetal"));
  }
  draft.ports = ports_of(data, check);
  return draft;
}

/// A line each; where many are told the same (a table without a column), one for all, at the place of the first.
std::vector<std::string> warning_lines(const std::vector<EntryWarning>& warnings) {
  constexpr std::size_t k_told_each = 5;
  std::map<std::string, std::vector<std::string>> who;
  for (const EntryWarning& one : warnings) who[one.text].push_back(node_label(one.index, one.name));
  std::vector<std::string> lines;
  for (const EntryWarning& one : warnings) {
    std::vector<std::string>& all = who[one.text];
    if (all.size() > k_told_each) {
      lines.push_back(cat(join_first(all, k_told_each - 1), ": ", one.text));
      all.clear();
    } else if (!all.empty()) {
      const std::string line = one.line > 0 ? cat(", line ", one.line) : "";
      lines.push_back(cat(node_label(one.index, one.name), line, ": ", one.text));
    }
  }
  return lines;
}

/// Machines of one BMC that nothing tells apart, where their form has such: an order to one would reach another. They
/// lose the BMC's address, so that none can be given, until somebody says whose port or system is whose.
void part_from_shared_bmcs(const std::vector<ListingEntry>& entries, std::vector<NodeDraft>& drafts,
                           std::vector<EntryWarning>& warnings) {
  std::map<std::string, std::vector<NodeDraft*>> by_bmc;
  for (NodeDraft& draft : drafts) {
    if (entries[draft.index].may_share_bmc && !draft.management_id.empty())
      by_bmc[draft.management_id].push_back(&draft);
  }
  for (auto& [bmc, sharing] : by_bmc) {
    const DriverRow* row = driver_named(sharing.front()->driver);
    if (sharing.size() < 2 || row == nullptr) continue;
    const std::string address = driver_key(*row, "pm_addr").value_or("");
    const std::string apart = cat(row->prefix, row->identity == DriverRow::Identity::system ? "_system_id" : "_port");
    for (NodeDraft* draft : sharing) {
      draft->shared_bmc = draft->info(address);
      draft->driver_info.erase(address);
      draft->management_id.clear();
      warnings.push_back(
          {draft->index, entries[draft->index].at.line, draft->name,
           cat(sharing.size(), " entries have the BMC ", draft->shared_bmc, ", and no ", apart,
               " tells whose machine is whose: each stays in enroll, without the address, as an order to one would "
               "reach another; hearth node set NODE --driver-info ",
               address, "=", draft->shared_bmc, " --driver-info ", apart, "=…, then hearth node manage NODE")});
    }
  }
}

/// What two entries must not share.
class Uniqueness {
 public:
  explicit Uniqueness(std::vector<Fault>& faults) : faults_(faults) {}
  void add(const NodeDraft& draft, const ListingEntry& entry, const EntryCheck& check) {
    const std::string label = node_label(draft.index, draft.name);
    for (const auto& [address, at] : check.macs()) {
      const auto [seen, fresh] = macs_.try_emplace(address, label);
      if (!fresh && seen->second != label)
        faults_.push_back({draft.index, cat("MAC ", address, " is not unique (", seen->second, " has it, too)"), at});
    }
    take(names_, to_lower(draft.name), draft, cat("Name \"", draft.name, "\" is not unique"), entry.place("name"));
    take(uuids_, draft.uuid, draft, cat("Node identified by ", draft.uuid, " is already present"), entry.place("uuid"));
    const int line = entry.place("pm_addr").line;
    const auto [seen, fresh] =
        managements_.try_emplace(draft.management_id, line > 0 ? cat(label, ", line ", line) : label);
    if (fresh) take_system(draft, label, entry.place("pm_addr"));
    if (fresh || draft.management_id.empty()) return;
    std::string management = draft.management_id;
    while (management.ends_with('/')) management.pop_back();  // a BMC that names no system
    faults_.push_back({draft.index,
                       cat("Node identified by ", management, " is already present: ", seen->second,
                           " (one BMC, two nodes; ports of one address are told apart by pm_port)"),
                       entry.place("pm_addr")});
  }

 private:
  /// Of one BMC, of which one entry names a system ("h:8000/1") and another none ("h:8000/"), it may be the same one:
  /// two nodes would switch one machine.
  void take_system(const NodeDraft& draft, const std::string& label, Position at) {
    const std::string bmc = draft.management_id.substr(0, draft.management_id.find('/'));
    if (bmc.size() == draft.management_id.size()) return;  // it has no systems
    const bool is_unsaid = bmc.size() + 1 == draft.management_id.size();
    (is_unsaid ? unsaid_ : said_).try_emplace(bmc, label);
    const std::map<std::string, std::string>& others = is_unsaid ? said_ : unsaid_;
    const auto other = others.find(bmc);
    if (other == others.end()) return;
    faults_.push_back(
        {draft.index,
         cat("the BMC ", bmc, " is that of ", other->second, ", too, and ", is_unsaid ? "this entry" : "that one",
             " does not say which of its systems is meant: ", "give it pm_system_id (a site file: bmc.system)"),
         at});
  }
  void take(std::map<std::string, std::string>& seen, const std::string& key, const NodeDraft& draft,
            const std::string& text, Position at) {
    if (key.empty()) return;
    const std::string label = node_label(draft.index, draft.name);
    const auto [other, fresh] = seen.try_emplace(key, at.line > 0 ? cat(label, ", line ", at.line) : label);
    if (!fresh) faults_.push_back({draft.index, cat(text, " (", other->second, " has it, too)"), at});
  }
  std::vector<Fault>& faults_;
  std::map<std::string, std::string> names_, uuids_, macs_, managements_;  // whose they are
  std::map<std::string, std::string> said_, unsaid_;  // BMCs, of entries that name a system and that name none
};

}  // namespace

std::string NodeDraft::info(std::string_view key) const { return text_in(driver_info, key); }

std::string node_label(std::size_t index, std::string_view name) {
  return cat("node #", index, name.empty() ? "" : cat(" (", one_line(name), ")"));
}

std::string faults_text(const std::vector<Fault>& faults, const std::vector<ListingEntry>& entries,
                        std::string_view source) {
  std::vector<std::string> lines;
  for (const Fault& fault : faults) {
    const bool known = fault.index < entries.size() && entries[fault.index].data.is_object();
    const std::string name = known ? text_in(entries[fault.index].data, "name") : "";
    const std::string label = fault.index == Fault::k_no_node ? "" : cat(node_label(fault.index, name), ": ");
    lines.push_back(ParseError{std::string(source), fault.at, cat(label, one_line(fault.text))}.text());
  }
  return join(lines, "\n");
}

std::vector<std::string> shared_places(const std::vector<ListingEntry>& entries) {
  std::map<std::string, std::string> taken;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string place = rack_place(entries[i].data);
    const std::string label = node_label(i, text_in(entries[i].data, "name"));
    if (place.empty() || taken.try_emplace(place, label).second) continue;
    const int line = entries[i].at.line;
    lines.push_back(
        cat(label, line > 0 ? cat(", line ", line) : "", ": it stands where ", taken[place], " does: ", place));
  }
  return lines;
}

Drafts draft_nodes(const std::vector<ListingEntry>& entries, Completeness completeness) {
  Drafts drafts;
  std::set<std::string> left_out;
  for (const ListingEntry& entry : entries) left_out.insert(entry.left_out.begin(), entry.left_out.end());
  if (!left_out.empty()) {
    drafts.warnings.push_back(cat("left out, as nothing here uses it: ",
                                  join(std::vector<std::string>(left_out.begin(), left_out.end()), ", ")));
  }
  for (std::string& line : shared_places(entries)) drafts.warnings.push_back(std::move(line));
  Uniqueness unique(drafts.faults);
  std::set<std::pair<int, std::string>> headings;
  std::vector<EntryWarning> warnings;
  std::vector<EntryCheck> checks;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EntryCheck& check = checks.emplace_back(entries[i], i, completeness);
    check.all();
    for (Fault& fault : check.take_faults()) {
      const std::pair heading{fault.at.column, fault.text};  // what is wrong with a heading is wrong in each row
      if (fault.index != Fault::k_no_node || headings.insert(heading).second) drafts.faults.push_back(std::move(fault));
    }
    warnings.insert(warnings.end(), check.warnings().begin(), check.warnings().end());
    if (!entries[i].data.is_object()) continue;
    drafts.nodes.push_back(draft_of(entries[i], i, check, warnings));
  }
  part_from_shared_bmcs(entries, drafts.nodes, warnings);
  for (const NodeDraft& draft : drafts.nodes) unique.add(draft, entries[draft.index], checks[draft.index]);
  for (std::string& line : warning_lines(warnings)) drafts.warnings.push_back(std::move(line));
  return drafts;
}

std::string lacking_login(const std::string& driver, const Json& driver_info) {
  const DriverRow* row = driver_named(driver);
  const auto said = [&](const char* key) {
    const std::string own = row == nullptr ? "" : driver_key(*row, key).value_or("");
    return !own.empty() && !text_in(driver_info, own).empty();
  };
  if (row == nullptr || !driver_key(*row, "pm_password") || said("pm_password")) return "";
  if (said("pm_user")) return "its BMC has a user and no password; is a cell empty?";
  return driver == "ipmi" ? "its BMC has neither user nor password, and few take that; is a column missing?" : "";
}

std::vector<std::string> missing_passwords(const std::vector<NodeDraft>& drafts) {
  constexpr std::size_t k_named = 4;
  std::map<std::string, std::vector<std::string>> who;
  for (const NodeDraft& draft : drafts) {
    const std::string lacking = lacking_login(draft.driver, draft.driver_info);
    if (!lacking.empty()) who[lacking].push_back(node_label(draft.index, draft.name));
  }
  std::vector<std::string> lines;
  for (const auto& [lacking, nodes] : who) lines.push_back(cat(join_first(nodes, k_named), ": ", lacking));
  return lines;
}

std::vector<Fault> environment_faults(const std::vector<ListingEntry>& entries) {
  std::vector<Fault> faults;
  std::map<std::string, std::string> addresses;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const ListingEntry& entry = entries[i];
    const DriverRow* row = driver_of(text_in(entry.data, "pm_type"));
    if (row == nullptr) continue;
    const bool managed = !row->mandatory.empty();
    const auto missing = [&](const char* key, const char* what) {
      if (managed && text_in(entry.data, key).empty())
        faults.push_back({i, cat(what, " is missing or empty"), entry.place(key)});
    };
    missing("pm_user", "pm_user");
    missing("pm_password", "pm_password");
    if (entry.data.contains("mac") && entry.data["mac"].is_array() && entry.data["mac"].empty()) {
      faults.push_back({i, "the list of MAC addresses is empty", entry.place("mac")});
    }
    const std::string address = text_in(entry.data, "pm_addr");
    if (!address.empty() && row->identity == DriverRow::Identity::address && text_in(entry.data, "pm_port").empty() &&
        !addresses.try_emplace(address, node_label(i, text_in(entry.data, "name"))).second) {
      faults.push_back({i, cat(addresses[address], " has the same pm_addr ", address), entry.place("pm_addr")});
    }
  }
  return faults;
}

}  // namespace hearth::bootstrap
