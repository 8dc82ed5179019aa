// The conductor's part of imports: a checked file becomes nodes, and nodes are brought to the state that was asked for.
#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "bootstrap/conductor/allocations.hpp"
#include "bootstrap/conductor/conductor.hpp"
#include "bootstrap/conductor/inspection.hpp"
#include "bootstrap/inventory/changes.hpp"
#include "bootstrap/inventory/driver_words.hpp"
#include "bootstrap/inventory/drivers.hpp"
#include "bootstrap/inventory/matching.hpp"

namespace hearth::bootstrap {

namespace {

/// Faults of matching have no place of their own: the entry's stands in.
std::vector<Fault> with_places(std::vector<Fault> faults, const std::vector<ListingEntry>& entries) {
  for (Fault& fault : faults) {
    if (fault.at.line == 0 && fault.index < entries.size()) fault.at = entries[fault.index].at;
  }
  return faults;
}

/// Of the nodes that there are, those that the drafts may be, or whose names they have: a hall is not looked through
/// for each machine that is added to it.
std::vector<const Node*> nodes_in_question(const Ledger& ledger, const std::vector<NodeDraft>& drafts) {
  std::vector<const Node*> nodes;
  std::unordered_set<const Node*> found;
  const auto add = [&](const Node* node) {
    if (node != nullptr && found.insert(node).second) nodes.push_back(node);
  };
  for (const NodeDraft& draft : drafts) {
    add(ledger.by_uuid(draft.uuid));
    add(ledger.find(draft.name));
    for (const Port& port : draft.ports) add(ledger.by_mac(port.address));
    if (draft.management_id.empty()) continue;
    const std::string bmc = draft.management_id.substr(0, draft.management_id.find('/') + 1);
    for (const Node* node : ledger.by_management(draft.management_id, draft.management_id == bmc)) add(node);
    if (!bmc.empty() && bmc != draft.management_id)
      for (const Node* node : ledger.by_management(bmc)) add(node);
  }
  return nodes;
}

/// Nodes of the plan at which something is being done: they can't be changed now, and why. Of those that the file has
/// as they are, nothing is to be changed.
std::map<std::string, std::string> busy_nodes(const Ledger& ledger, const ImportPlan& plan) {
  std::map<std::string, std::string> busy;
  for (const ImportStep& step : plan.steps) {
    const Node* node = ledger.by_uuid(step.node);
    if (node == nullptr || may_change(node->state)) continue;
    Node tried = *node;
    if (!apply_draft(step, tried, ledger.now())) continue;
    std::vector<std::string> changes;
    for (const Json& change : node_changes(*node, tried)) changes.push_back(change_text(change));
    busy.emplace(step.node, cat("node ", node->title(), " is ", name(node->state), " and can't be changed now (",
                                join(changes, "; "), ")"));
  }
  return busy;
}

/// "ipmi 192.0.2.31, 52:54:00:00:00:01".
std::string machine_text(const Node& node, std::string_view management) {
  if (management.ends_with('/')) management.remove_suffix(1);  // of Redfish, where no system is named
  const bool url = management.find("://") != std::string_view::npos;
  const std::string address = url ? std::string(management) : replace_all(std::string(management), "//", "/");
  std::vector<std::string> parts = {address.empty() ? node.driver : cat(node.driver, " ", address)};
  for (const Port& port : node.ports) parts.push_back(port.address);
  return join(parts, ", ");
}

/// Machines of the file that stand where a node that it does not have does.
std::vector<std::string> taken_places(const Ledger& ledger, const ImportPlan& plan) {
  std::set<std::string> in_file;
  for (const ImportStep& step : plan.steps) in_file.insert(step.node);
  std::vector<std::string> lines;
  for (const ImportStep& step : plan.steps) {
    const std::string place = rack_place(step.draft.extra);
    if (place.empty()) continue;
    const std::vector<const Node*> others = ledger.by_place(place);
    const auto other = std::ranges::find_if(others, [&](const Node* node) { return !in_file.contains(node->uuid); });
    if (other != others.end())
      lines.push_back(cat(node_label(step.draft.index, step.draft.name), ": it stands where ", (*other)->title(),
                          " does, which is a node already: ", place));
  }
  return lines;
}

/// A machine that its file says is in use is not made available by an import alone.
State wanted_state(const NodeDraft& draft, const ImportRequest& request) {
  if (!draft.shared_bmc.empty()) return State::enroll;
  return request.to == State::available && !draft.in_use.empty() ? State::manageable : request.to;
}

/// Of the nodes that the file doesn't have, those that may go.
void remove_absent(Ledger& ledger, const ImportPlan& plan, bool dry_run, ImportResult& result) {
  for (const std::string& uuid : plan.absent) {
    const Node* node = ledger.by_uuid(uuid);
    if (node == nullptr) continue;
    const std::string owner = given_to(*node);  // forgotten, it would be a new machine of ours at the next import
    if (!owner.empty() || (!may_delete(node->state) && !node->maintenance)) {
      const std::string why = owner.empty() ? std::string(name(node->state)) : cat("was given to ", owner);
      result.warnings.push_back(cat("node ", node->title(), " is not in the file, but ", why, ": it stays"));
      continue;
    }
    result.removed.push_back(uuid);
    result.names.emplace(uuid, node->name);
    if (dry_run) continue;
    ledger.record(*node, "inventory", "removed: it is no longer in the inventory");
    forget_records_of(ledger, *node);
    ledger.remove(uuid);
  }
}

}  // namespace

std::string Conductor::approve(const std::string& mac, Json entry) {
  const Json list = waiting();
  const bool waits = std::any_of(list.begin(), list.end(), [&](const Json& row) { return row["mac"] == Json(mac); });
  if (!waits) {
    throw Refusal(404, cat("Nobody waits to be approved under ", mac,
                           ": only cards that have asked for a network boot in the last hour, and are no node's."));
  }
  entry["mac"] = Json::array({mac});
  if (!entry.contains("pm_type")) entry["pm_type"] = "fake_pxe";
  ImportRequest request;
  request.text = format_json({{"nodes", {entry}}});
  request.source = mac;
  request.to = State::enroll;
  const ImportResult result = import(request);
  if (!result.faults.empty()) throw Refusal(400, result.faults);
  if (result.created.empty()) throw Refusal(409, cat("By its entry ", mac, " is a node's that is there already."));
  strangers_.forget(mac);
  return result.created.front();
}

ImportResult Conductor::import(const ImportRequest& request) {
  ImportResult result;
  const auto entries = read_listing(request.text, request.source, request.format);
  if (!entries) {
    result.faults = entries.error().text();
    return result;
  }
  Drafts drafts = draft_nodes(*entries, request.to == State::enroll ? Completeness::enrolled : Completeness::reachable);
  result.warnings = drafts.warnings;
  std::vector<const Node*> nodes;
  if (request.remove_absent) {
    for (const auto& [uuid, node] : ledger_.nodes()) nodes.push_back(&node);
  } else {
    nodes = nodes_in_question(ledger_, drafts.nodes);
  }
  if (request.remove_absent && entries->empty() && !nodes.empty()) {  // an export that was cut, more likely than a wish
    result.faults = cat(request.source, " has no machine: all ", nodes.size(), " nodes would be removed. ",
                        "Where that is meant: hearth node delete NODE…\n");
    return result;
  }
  const ImportPlan plan = plan_import(drafts.nodes, nodes);
  const std::map<std::string, std::string> busy = busy_nodes(ledger_, plan);
  std::vector<Fault> faults = std::move(drafts.faults);
  for (const Fault& fault : with_places(plan.faults, *entries)) faults.push_back(fault);
  for (const ImportStep& step : plan.steps) {
    const auto why = busy.find(step.node);
    if (why == busy.end()) continue;
    if (request.skip_busy) {
      result.busy.push_back(step.node);
      result.names.emplace(step.node, step.draft.name);
      result.warnings.push_back(cat(why->second, ": it is left as it is; import the file again when that has ended"));
    } else {
      faults.push_back({step.draft.index, why->second, (*entries)[step.draft.index].at});
    }
  }
  for (const ImportStep& step : plan.steps) {
    const Node* before = ledger_.by_uuid(step.node);
    Node tried = before == nullptr ? Node() : *before;
    apply_draft(step, tried, ledger_.now());
    for (const std::string& word : driver_word_faults(tried, settings_.rehearsal))
      faults.push_back({step.draft.index, word, (*entries)[step.draft.index].at});
  }
  if (!faults.empty()) {
    result.faults = faults_text(faults, *entries, request.source);
    return result;
  }
  if (!request.remove_absent) {
    for (std::string& line : taken_places(ledger_, plan)) result.warnings.push_back(std::move(line));
  }
  for (const ImportStep& step : plan.steps) {
    if (!busy.contains(step.node)) import_step(step, request, result);
  }
  if (request.remove_absent) remove_absent(ledger_, plan, request.dry_run, result);
  if (request.dry_run) return result;
  settle_wholly();
  return result;
}

void Conductor::import_step(const ImportStep& step, const ImportRequest& request, ImportResult& result) {
  for (const std::string& mac : step.stale_ports) {
    result.warnings.push_back(cat(node_label(step.draft.index, step.draft.name), ": the node has a port ", mac,
                                  " that the file doesn't have; if that card is gone: hearth node port delete ",
                                  step.draft.name.empty() ? "NODE" : step.draft.name, " ", mac));
  }
  if (!step.node.empty()) {
    Node changed = node(step.node);
    result.names.emplace(changed.uuid, step.draft.name.empty() ? changed.name : step.draft.name);
    const bool other_driver = changed.driver != step.draft.driver;
    if (other_driver || !step.stale_ports.empty()) result.differing.push_back(changed.uuid);
    if (other_driver) {
      result.warnings.push_back(cat(node_label(step.draft.index, step.draft.name), ": the node's driver ",
                                    changed.driver, " stays; hearth node set --driver changes it"));
    }
    const bool change = apply_draft(step, changed, ledger_.now());
    (change ? result.updated : result.unchanged).push_back(changed.uuid);
    if (change) result.changes.emplace(changed.uuid, node_changes(node(step.node), changed));
    // What was wrong with it may be what was corrected, in the file or, where that is as it was, around the machine.
    const bool is_retried = given_to(changed).empty() && !changed.maintenance && changed.state == State::enroll &&
                            !changed.last_error.empty() && wanted_state(step.draft, request) != State::enroll;
    if (!change && is_retried) result.retried.push_back(changed.uuid);
    if ((!change && !is_retried) || request.dry_run) return;
    if (change) changed.updated = ledger_.now();
    if (is_retried) {
      changed.last_error.clear();
      changed.internal["import_to"] = name(wanted_state(step.draft, request));
      importing_.insert(changed.uuid);
    }
    const std::string uuid = changed.uuid;
    if (keep_changed(std::move(changed))) result.asked.push_back(uuid);
    ledger_.record(node(uuid), "inventory",
                   change ? cat("updated from ", request.source)
                          : cat("imported again, unchanged, from ", request.source, ": it is tried again"));
    return;
  }
  register_new(step, request, result);
}

void Conductor::register_new(const ImportStep& step, const ImportRequest& request, ImportResult& result) {
  Node fresh;
  fresh.uuid = step.draft.uuid.empty() ? random_uuid() : step.draft.uuid;
  fresh.created = ledger_.now();
  fresh.fields["resource_class"] = "baremetal";
  apply_draft(step, fresh, ledger_.now());
  if (!request.boot_option.empty() && !fresh.capability("boot_option")) {
    fresh.set_capability("boot_option", request.boot_option);
  }
  if (const std::string lacking = lacking_login(fresh.driver, fresh.driver_info); !lacking.empty())
    result.warnings.push_back(cat(node_label(step.draft.index, step.draft.name), ": ", lacking, " (hearth node set)"));
  result.created.push_back(fresh.uuid);
  result.names.emplace(fresh.uuid, fresh.name);
  result.machines.emplace(fresh.uuid, machine_text(fresh, step.draft.management_id));
  const State to = wanted_state(step.draft, request);
  if (to == State::manageable && to != request.to)
    result.warnings.push_back(cat(node_label(step.draft.index, step.draft.name), ": ", step.draft.in_use,
                                  " says that it is in use: it becomes manageable, and not available; hearth node "
                                  "adopt takes it over as it runs, hearth node provide makes it available"));
  const bool cleaned = to == State::available && jobs_.cleans(fresh);
  if (const std::string fault = cleaned ? jobs_.ramdisk_fault(fresh, JobKind::clean) : ""; !fault.empty())
    result.warnings.push_back(cat(node_label(step.draft.index, step.draft.name),
                                  ": it can't be cleaned, and stays manageable: ", fault,
                                  "; then hearth node provide"));
  else if (cleaned)
    result.cleaned.push_back(fresh.uuid);
  if (request.dry_run && step.draft.uuid.empty()) result.unsettled.push_back(fresh.uuid);
  if (request.dry_run) return;
  if (to != State::enroll) fresh.internal["import_to"] = name(to);
  const Node& kept = ledger_.add(std::move(fresh));
  ledger_.record(kept, "inventory", cat("registered from ", request.source));
  if (to != State::enroll) importing_.insert(kept.uuid);
}

/// Only a node that was changed can have come to where it goes on.
void Conductor::bring_all_on() {
  if (importing_.empty()) return;
  std::set<std::string> candidates;
  if (std::exchange(look_at_all_imports_, false)) {
    candidates = importing_;
  } else {
    std::set_intersection(importing_.begin(), importing_.end(), ledger_.changed().begin(), ledger_.changed().end(),
                          std::inserter(candidates, candidates.end()));
  }
  for (const std::string& uuid : candidates) {
    while (importing_.contains(uuid) && bring_on(uuid)) continue;
  }
}

/// One step towards the state that an import wants; false while a job leads there. Called until it is there, or can't
/// be reached.
bool Conductor::bring_on(const std::string& uuid) {
  const Node* now = ledger_.by_uuid(uuid);
  if (now != nullptr && now->job.running()) return false;
  const std::string to = now == nullptr ? "" : text_in(now->internal, "import_to");
  const bool verifiable = now != nullptr && now->state == State::enroll && now->last_error.empty();
  const bool cleanable = now != nullptr && now->state == State::manageable && to == name(State::available);
  const bool is_on = cleanable && now->power == Power::on;
  const std::string fault = cleanable ? jobs_.ramdisk_fault(*now, JobKind::clean) : "";
  if (cleanable && jobs_.cleans(*now) && (is_on || !fault.empty())) {
    Node& left = ledger_.edit(uuid);
    ledger_.record(left, "inventory",
                   is_on ? "it is on, and would be switched off and cleaned: it stays manageable"
                         : cat("it can't be cleaned, and stays manageable: ", fault));
    left.internal.erase("import_to");
    importing_.erase(uuid);
    return true;
  }
  if (!to.empty() && (verifiable || cleanable)) {
    jobs_.begin(ledger_.edit(uuid), verifiable ? Verb::manage : Verb::provide, Json::object());
    jobs_.advance(uuid);
    return true;
  }
  importing_.erase(uuid);
  if (now != nullptr) ledger_.edit(uuid).internal.erase("import_to");
  return true;
}

Conductor::BootConfigured Conductor::configure_boot(const std::string& kernel, const std::string& ramdisk,
                                                    const Json& options) {
  Node words;
  words.driver_info = {{"deploy_kernel", kernel}, {"deploy_ramdisk", ramdisk}};
  check_words(words);
  std::vector<std::string> warnings;
  const std::string strategy = text_in(options, "root_device");
  const std::int64_t minimum = options.value("minimum_size", std::int64_t{4});
  std::vector<std::string> uuids;
  for (const auto& [uuid, node] : ledger_.nodes()) {
    if (!node.maintenance) uuids.push_back(uuid);
  }
  for (const std::string& uuid : uuids) {
    Node& node = ledger_.edit(uuid);
    for (const char* prefix : {"deploy_", "rescue_"}) {
      node.driver_info[cat(prefix, "kernel")] = kernel;
      node.driver_info[cat(prefix, "ramdisk")] = ramdisk;
    }
    if (!node.capability("boot_option")) node.set_capability("boot_option", "local");
    ledger_.record(node, "inventory", cat("boots ", kernel, " and ", ramdisk, " for its deployment"));
    if (strategy.empty() || (node.properties.contains("root_device") && !options.value("overwrite", false))) continue;
    const std::optional<Json> kept = ledger_.store().document(cat("introspection/", uuid));
    const Json chosen = kept ? chosen_root_device((*kept)["data"], strategy, minimum) : Json();
    if (chosen.is_null()) {
      warnings.push_back(
          cat("node ", node.title(), ": no disk for the strategy ", strategy, kept ? "" : " (it was never inspected)"));
      continue;
    }
    node.properties["root_device"] = chosen["hint"];
    node.properties["local_gb"] = chosen["local_gb"];
  }
  settle();
  return {std::move(uuids), std::move(warnings)};
}

}  // namespace hearth::bootstrap
