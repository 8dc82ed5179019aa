#include "bootstrap/inventory/matching.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/redaction.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/inventory/drivers.hpp"
#include "bootstrap/inventory/entry_check.hpp"
#include "bootstrap/node/shown.hpp"

namespace hearth::bootstrap {

std::string management_id_of(const Node& node) {
  const DriverRow* row = driver_named(node.driver);
  return row == nullptr ? "" : management_id(*row, node.driver_info);
}

namespace {

/// The database's nodes by everything that they may be known by.
class Known {
 public:
  explicit Known(const std::vector<const Node*>& nodes) {
    for (const Node* node : nodes) {
      by_uuid_[node->uuid] = node;
      if (!node->name.empty()) by_name_[node->name] = node;
      for (const Port& port : node->ports) by_mac_[port.address] = node;
      if (const std::string id = management_id_of(*node); !id.empty()) by_management_[id] = node;
    }
  }

  /// Those that each draft may be, in their order.
  [[nodiscard]] std::vector<std::set<const Node*>> candidates(const std::vector<NodeDraft>& drafts) const {
    std::vector<std::set<const Node*>> all;
    std::unordered_set<const Node*> known;
    for (const NodeDraft& draft : drafts) {
      all.push_back(certain(draft));
      known.insert(all.back().begin(), all.back().end());
    }
    for (std::size_t i = 0; i < drafts.size(); ++i) {
      if (!all[i].empty()) continue;
      add_with_unsaid_system(drafts[i].management_id, all[i]);
      std::erase_if(all[i], [&](const Node* node) { return known.contains(node); });  // another entry is that one
    }
    return all;
  }
  [[nodiscard]] const Node* named(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  [[nodiscard]] std::set<const Node*> certain(const NodeDraft& draft) const {
    std::set<const Node*> found;
    add(by_uuid_, draft.uuid, found);
    add(by_management_, draft.management_id, found);
    for (const Port& port : draft.ports) add(by_mac_, port.address, found);
    return found;
  }
  /// Of one BMC, where one of the two says which system it is and the other does not: "h:8000/" and "h:8000/1". Else
  /// two nodes would switch one machine.
  void add_with_unsaid_system(const std::string& id, std::set<const Node*>& found) const {
    const std::size_t slash = id.find('/');
    if (slash == std::string::npos) return;
    const std::string bmc = id.substr(0, slash + 1);
    if (id != bmc) return add(by_management_, bmc, found);
    for (auto at = by_management_.lower_bound(bmc); at != by_management_.end() && at->first.starts_with(bmc); ++at)
      found.insert(at->second);
  }

  template <class Index>
  static void add(const Index& index, const std::string& key, std::set<const Node*>& found) {
    const auto at = key.empty() ? index.end() : index.find(key);
    if (at != index.end()) found.insert(at->second);
  }
  std::unordered_map<std::string, const Node*> by_uuid_, by_name_, by_mac_;
  std::map<std::string, const Node*> by_management_;  ///< those of one BMC are side by side
};

ImportStep step_for(const NodeDraft& draft, const Node* node) {
  ImportStep step;
  step.draft = draft;
  if (node == nullptr) {
    step.new_ports = draft.ports;
    return step;
  }
  step.node = node->uuid;
  for (const Port& port : draft.ports) {
    if (!node->has_mac(port.address)) step.new_ports.push_back(port);
  }
  if (draft.ports.empty()) return step;
  for (const Port& port : node->ports) {
    const auto same = [&](const Port& given) { return given.address == port.address; };
    if (std::none_of(draft.ports.begin(), draft.ports.end(), same)) step.stale_ports.push_back(port.address);
  }
  return step;
}

bool put(Json& into, const Json& supplied) {
  bool changed = false;
  for (const auto& [key, value] : supplied.items()) {
    if (into.contains(key) && into[key] == value) continue;
    into[key] = value;
    changed = true;
  }
  return changed;
}

/// x_seed by its members, as the file may lack those that are secrets.
bool put_extra(Json& into, Json supplied) {
  if (supplied.contains("x_seed") && into.contains("x_seed") && into["x_seed"].is_object()) {
    Json merged = into["x_seed"];
    if (supplied["x_seed"].is_object()) merged.update(supplied["x_seed"]);
    supplied["x_seed"] = std::move(merged);
  }
  return put(into, supplied);
}

/// Capabilities are one text, of which a file may say some.
Json with_capabilities_of(const Json& before, Json supplied) {
  const std::string old = text_in(before, "capabilities");
  if (!supplied.contains("capabilities") || old.empty()) return supplied;
  auto items = parse_capabilities(old);
  bool changed = false;
  for (const auto& [key, value] : parse_capabilities(text_in(supplied, "capabilities"))) {
    const auto at =
        std::find_if(items.begin(), items.end(), [&, key = key](const auto& item) { return item.first == key; });
    changed = changed || at == items.end() || at->second != value;
    if (at == items.end())
      items.emplace_back(key, value);
    else
      at->second = value;
  }
  supplied["capabilities"] = changed ? capabilities_text(items) : old;
  return supplied;
}

/// Without what names one of the BMC's systems.
std::string bmc_part(const std::string& management) {
  const bool is_domain = management.find('#') != std::string::npos;  // of libvirt, behind a URI
  return is_domain ? management : management.substr(0, management.find('/'));
}

std::string bmc_part(const Node& node) { return bmc_part(management_id_of(node)); }

/// By what an entry is that node: "MAC 52:54:00:00:00:01".
std::string shared_with(const NodeDraft& draft, const Node& node) {
  if (draft.uuid == node.uuid) return cat("UUID ", node.uuid);
  for (const Port& port : draft.ports) {
    if (node.has_mac(port.address)) return cat("MAC ", port.address);
  }
  return cat("BMC ", bmc_part(draft.management_id));
}

/// An entry that has of a node its BMC only, or a card only, with another name: it is a new machine whose line has a
/// slip, more likely than that one under all that is new.
std::string slip_of(const NodeDraft& draft, const Node& node) {
  const bool renames = !draft.name.empty() && !node.name.empty() && to_lower(draft.name) != to_lower(node.name);
  if (!renames || draft.uuid == node.uuid) return "";
  const auto is_its = [&](const Port& port) { return node.has_mac(port.address); };
  const bool other_cards =
      !draft.ports.empty() && !node.ports.empty() && std::none_of(draft.ports.begin(), draft.ports.end(), is_its);
  const std::string bmc = bmc_part(node);
  const bool other_bmc = !draft.management_id.empty() && !bmc.empty() && bmc_part(draft.management_id) != bmc;
  if (!other_cards && !other_bmc) return "";
  std::vector<std::string> macs;
  for (const Port& port : node.ports) macs.push_back(port.address);
  return cat("its ", shared_with(draft, node), " is node ", node.name, "'s, which has another name and ",
             other_cards ? cat("other cards (", join(macs, ", "), ")") : cat("another BMC (", bmc, ")"),
             ": is it mistyped? Where it is that machine after all: hearth node set ", node.name, " --name ",
             draft.name, ", then import again");
}

/// Of a node by its name alone, with another BMC and other cards: advice for where its machine has got another
/// mainboard. Passwords stay in the file.
std::string other_board(const NodeDraft& draft, const Node& node) {
  std::string change;
  if (draft.driver != node.driver) change += cat(" --driver ", draft.driver);
  for (const auto& [key, value] : draft.driver_info.items()) {
    const bool boots = key.starts_with("deploy_") || key.starts_with("rescue_");
    if (boots || names_secret(key) || node.driver_info.value(key, Json()) == value) continue;
    change += cat(" --driver-info ", key, "=",
                  shell_quote(value.is_string() ? value.get<std::string>() : format_json(value)));
  }
  if (draft.management_id.empty() || change.empty())
    return cat("; where its machine has got another mainboard: hearth node delete ", node.name, ", then import again");
  return cat("; where its machine has got another mainboard: hearth node set ", node.name, change,
             ", then import again, which adds its cards");
}

std::string as_hint(const NodeDraft& draft) {
  std::vector<std::string> macs;
  for (const Port& port : draft.ports) macs.push_back(port.address);
  return cat("{mac: ", join(macs, ", "), draft.management_id.empty() ? "" : cat("; pm: ", draft.management_id),
             draft.uuid.empty() ? "" : cat("; uuid: ", draft.uuid), "}");
}

}  // namespace

ImportPlan plan_import(const std::vector<NodeDraft>& drafts, const std::vector<const Node*>& nodes) {
  const Known known(nodes);
  ImportPlan plan;
  std::unordered_map<const Node*, const NodeDraft*> taken;
  const std::vector<std::set<const Node*>> candidates = known.candidates(drafts);
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    const NodeDraft& draft = drafts[i];
    const std::set<const Node*>& found = candidates[i];
    if (found.size() > 1) {
      std::vector<std::string> titles;
      for (const Node* node : found) titles.push_back(node->title());
      std::sort(titles.begin(), titles.end());
      plan.faults.push_back(
          {draft.index,
           cat("Several candidates found for the same node data: ", as_hint(draft), ": ", join(titles, ", ")),
           {}});
      continue;
    }
    const Node* node = found.empty() ? nullptr : *found.begin();
    const Node* namesake = draft.name.empty() ? nullptr : known.named(draft.name);
    if (namesake != nullptr && namesake != node) {
      plan.faults.push_back({draft.index,
                             cat("Name \"", draft.name, "\" is not unique: node ", namesake->uuid, " has it",
                                 other_board(draft, *namesake)),
                             {}});
      continue;
    }
    const std::string slip = node == nullptr ? "" : slip_of(draft, *node);
    const NodeDraft* first = node == nullptr ? nullptr : taken.try_emplace(node, &draft).first->second;
    if (!slip.empty()) plan.faults.push_back({draft.index, slip, {}});
    if (first != nullptr && first != &draft)
      plan.faults.push_back({draft.index,
                             cat("its ", shared_with(draft, *node), " is node ", node->title(), "'s, and ",
                                 node_label(first->index, first->name), " is that node by its ",
                                 shared_with(*first, *node), ": one machine has one entry"),
                             {}});
    if (!slip.empty() || (first != nullptr && first != &draft)) continue;
    plan.steps.push_back(step_for(draft, node));
  }
  for (const Node* node : nodes) {
    if (!taken.contains(node)) plan.absent.push_back(node->uuid);
  }
  std::sort(plan.absent.begin(), plan.absent.end());
  return plan;
}

bool apply_draft(const ImportStep& step, Node& node, Stamp now) {
  const NodeDraft& draft = step.draft;
  bool changed = node.driver.empty();
  if (node.driver.empty()) node.driver = draft.driver;
  if (!draft.name.empty() && node.name != draft.name) {
    node.name = draft.name;
    changed = true;
  }
  // A changed driver would need another driver_info: the file's is put aside for it.
  if (node.driver == draft.driver) changed = put(node.driver_info, draft.driver_info) || changed;
  changed = put(node.properties, with_capabilities_of(node.properties, draft.properties)) || changed;
  changed = put_extra(node.extra, draft.extra) || changed;
  changed = put(node.fields, draft.fields) || changed;
  for (Port port : step.new_ports) {
    port.uuid = random_uuid();
    port.created = now;
    node.ports.push_back(std::move(port));
    changed = true;
  }
  return changed;
}

namespace {

void put_management(const Node& node, Json& entry) {
  const DriverRow* row = driver_named(node.driver);
  entry["pm_type"] = node.driver;
  if (row == nullptr) return;
  for (const auto& [key, value] : node.driver_info.items()) {
    std::string name = key;
    for (const char* pm : {"pm_addr", "pm_user", "pm_password", "pm_port", "pm_system_id", "pm_vm_name"}) {
      if (driver_key(*row, pm) == key) name = pm;
    }
    if (key == "deploy_kernel") name = "kernel_id";
    if (key == "deploy_ramdisk") name = "ramdisk_id";
    if (key.rfind("rescue_", 0) == 0) continue;
    entry[name] = value;
  }
}

/// What is left out stays as it is in the database that imports this: so secrets go with all that an import replaces
/// as one value, which are the members of extra and x_seed, and keys else. Ports that are known are not replaced.
Json entry_without_secrets(Json entry) {
  for (const char* key : {"extra", "x_seed"}) {
    if (entry.contains(key) && entry[key].is_object()) entry[key] = without_secret_members(std::move(entry[key]));
    if (entry.contains(key) && entry[key].empty()) entry.erase(key);
  }
  if (entry.contains("ports")) {
    for (Json& port : entry["ports"]) port = without_secret_members(std::move(port));
  }
  return without_secret_members(std::move(entry));
}

}  // namespace

Json inventory_entry(const Node& node, bool with_secrets) {
  Json entry = Json::object();
  if (!node.name.empty()) entry["name"] = node.name;
  entry["uuid"] = node.uuid;
  put_management(node, entry);
  static const std::map<std::string, std::string> names = {{"cpu_arch", "arch"},
                                                           {"cpus", "cpu"},
                                                           {"memory_mb", "memory"},
                                                           {"local_gb", "disk"},
                                                           {"capabilities", "capabilities"},
                                                           {"root_device", "root_device"}};
  for (const auto& [key, value] : node.properties.items()) {
    const auto known = names.find(key);
    if (known != names.end()) entry[known->second] = value;
  }
  Json ports = Json::array();
  for (const Port& port : node.ports) {
    Json row = {{"address", port.address}, {"pxe_enabled", port.pxe_enabled}};
    if (!port.physical_network.empty()) row["physical_network"] = port.physical_network;
    if (!port.local_link_connection.empty()) row["local_link_connection"] = port.local_link_connection;
    ports.push_back(std::move(row));
  }
  if (!ports.empty()) entry["ports"] = ports;
  for (const auto& [key, value] : node.fields.items()) {
    if (!value.is_null() && is_node_field(key)) entry[key] = value;
  }
  if (node.extra.contains("x_seed")) entry["x_seed"] = node.extra["x_seed"];
  if (node.extra.contains("tripleo_platform")) entry["platform"] = node.extra["tripleo_platform"];
  for (const auto& [key, value] : node.extra.items()) {
    if (key != "x_seed" && key != "tripleo_platform") entry["extra"][key] = value;
  }
  return with_secrets ? entry : entry_without_secrets(std::move(entry));
}

}  // namespace hearth::bootstrap
