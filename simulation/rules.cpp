#include "simulation/site.hpp"

#include <utility>

namespace hearth::simulation {

using bootstrap::JobKind;
using bootstrap::Node;
using bootstrap::Stage;

namespace {

constexpr Duration k_longest_order = std::chrono::minutes(4);   ///< three questions to a BMC, a minute each
constexpr Duration k_longest_stray = std::chrono::seconds(59);  ///< bootstrap/conductor/off_order.hpp, nearly
constexpr bootstrap::Stamp k_order_is_past = 600'000'000;       ///< likewise: a BMC has forgotten it

}  // namespace

void Rules::broken(const std::string& what) {
  trace_.note(scheduler_.elapsed(), "BROKEN", "", what);
  if (!first_) first_ = what;
}

const Node* Rules::node_of(const std::string& machine) const {
  const auto found = nodes_.find(machine);
  return found == nodes_.end() ? nullptr : &found->second;
}

void Rules::committed(const bootstrap::Ledger& ledger, const bootstrap::Committed& what, bool in_doubt) {
  if (in_doubt) {
    if (doubt_) return;  // nothing behind the cut has happened
    doubt_ = Doubt{nodes_, last_event_};
    for (const std::string& uuid : what.changed) {
      if (const Node* const node = ledger.by_uuid(uuid)) doubt_->nodes[node->title()] = *node;
    }
    if (!what.events.empty()) doubt_->last_event = what.events.back().id;
    return;
  }
  for (const std::string& uuid : what.changed) {
    const Node* const node = ledger.by_uuid(uuid);
    if (node == nullptr) continue;
    Node& known = nodes_[node->title()];
    if (node->job.started != known.job.started) before_[node->title()] = {known, scheduler_.now()};
    known = *node;
  }
  for (const bootstrap::Event& event : what.events) {
    if (event.id != last_event_ + 1)
      broken(cat("event ", event.id, " follows ", last_event_, ": one that was told is lost, or was told twice"));
    last_event_ = event.id;
    trace_.note(scheduler_.elapsed(), event.kind, event.title, event.text);
  }
}

namespace {

/// The first difference; empty: there is none.
std::string difference(const std::map<std::string, Node>& known, const bootstrap::Ledger& ledger) {
  for (const auto& [name, before] : known) {
    const Node* const now = ledger.by_uuid(before.uuid);
    if (now == nullptr) return cat(name, " is not there");
    const Json was = bootstrap::node_record(before);
    const Json is = bootstrap::node_record(*now);
    if (was == is) continue;
    for (const auto& [key, value] : was.items()) {
      if (!is.contains(key) || is[key] != value)
        return cat(key, " of ", name, " was ", format_json(value), " and is ", format_json(is.value(key, Json())));
    }
    return cat(name, " has more than it had");
  }
  return "";
}

}  // namespace

void Rules::started(bootstrap::Ledger& ledger) {
  compare(ledger);
  strays_.clear();
  for (const auto& [machine, node] : nodes_) {
    const auto order = node.internal.find(bootstrap::k_switching_off);
    if (order != node.internal.end() && ledger.now() - order->value("at", bootstrap::Stamp{0}) < k_order_is_past)
      strays_.insert(machine);
  }
  strays_end_ = scheduler_.now() + k_longest_stray;
}

void Rules::compare(bootstrap::Ledger& ledger) {
  const std::optional<Doubt> doubt = std::exchange(doubt_, std::nullopt);
  const std::int64_t found = ledger.store().last_event();
  if (doubt && found == doubt->last_event && difference(doubt->nodes, ledger).empty()) {
    nodes_ = doubt->nodes;
    last_event_ = found;
    return;
  }
  if (found != last_event_)
    return broken(cat("after its start the conductor knows ", found, " events, and has told ", last_event_));
  if (const std::string lost = difference(nodes_, ledger); !lost.empty())
    broken(cat("what was durable is another after the conductor's start: ", lost));
}

void Rules::image_begun(const std::string& machine, OwnerId boot, const std::string& disk, bool is_meant) {
  const Node* const node = node_of(machine);
  if (!is_meant) broken(cat("the image of ", machine, " goes to the disk ", disk, ", which its node does not name"));
  if (node == nullptr || node->job.kind != JobKind::deploy || node->job.stage != Stage::write_image) {
    broken(cat("an image is written to ", machine, ", but its node is ",
               node == nullptr ? "not there" : cat(name(node->state), ", at \"", node->job.stage_name(), "\"")));
    return;
  }
  WriteOf& last = writes_[machine];
  if (last.boot == boot) broken(cat("two images are written to ", machine, " by one start of its agent"));
  last = {boot, node->job.started};
}

void Rules::leased(const std::string& machine, pxe::Ipv4 address, MonotonicTime asked, Duration time) {
  LeaseOf& lease = leases_[address];
  if (!lease.machine.empty() && lease.machine != machine && lease.until > scheduler_.now())
    broken(cat(pxe::to_text(address), " is leased to ", machine, ", but ", lease.machine, " has it"));
  lease = {machine, asked + time};
}

namespace {

/// Why nothing that is durable of the node wants its machine's power so; empty: something does.
std::string unwanted_power(const Node& node, const std::string& what) {
  const bool is_on = what == "On";
  const bool is_off = what == "ForceOff";
  if (!node.job.running()) {
    const std::string& target = node.target_power;
    const bool is_soft = node.internal.contains(bootstrap::k_soft_power);
    const bool is_restart = target == "rebooting" || target == "soft rebooting";
    const bool is_asked = is_on    ? target == "power on" || is_restart
                          : is_off ? target == "power off" || is_restart || is_soft ||
                                         node.internal.contains(bootstrap::k_power_off_wanted)
                                   : is_soft;
    return is_asked ? "" : "nobody has asked for it";
  }
  const std::optional<Stage> stage = node.job.stage;
  const bool goes_on = stage == Stage::power_on || stage == Stage::start_disk;
  const bool goes_off = stage == Stage::power_off || stage == Stage::switch_off || stage == Stage::await_off;
  return (is_on && goes_on) || (is_off && goes_off)
             ? ""
             : cat("its ", name(node.job.kind), " is at \"", node.job.stage_name(), "\"");
}

}  // namespace

/// An order that is under way when a job begins or is given up is not called back: the job waits for its end before it
/// does anything itself.
bool Rules::is_from_before(const std::string& machine, const Node& node, const std::string& what) const {
  const auto before = before_.find(machine);
  const bool has_begun = node.job.running() && node.job.stage_since != node.job.started;
  return before != before_.end() && !has_begun && scheduler_.now() - before->second.until < k_longest_order &&
         unwanted_power(before->second.node, what).empty();
}

void Rules::power_ordered(const std::string& machine, const std::string& what) {
  const Node* const node = node_of(machine);
  const std::string why = node == nullptr ? "it is no node" : unwanted_power(*node, what);
  if (!why.empty() && !is_from_before(machine, *node, what))
    broken(cat(what, " is ordered for ", machine, ", but ", why));
  const bool starts = what == "On" || what.ends_with("Restart");
  if (starts && strays_.contains(machine) && scheduler_.now() < strays_end_)
    broken(cat(what, " is ordered for ", machine, ", which an order of a killed conductor may yet switch off"));
}

void Rules::switched_off(const std::string& machine) {
  const Node* const node = node_of(machine);
  if (node == nullptr || !node->job.running()) return;
  const std::optional<Stage> stage = node->job.stage;
  if (stage && (bootstrap::needs_agent(*stage) || bootstrap::is_wait(*stage)))
    broken(cat(machine, " is switched off by an order of before, its ", name(node->job.kind), " is at \"",
               node->job.stage_name(), "\""));
}

void Rules::ramdisk_told(const std::string& machine) {
  const Node* const node = node_of(machine);
  const std::optional<Stage> stage = node == nullptr ? std::nullopt : node->job.stage;
  if (node == nullptr || !node->job.running() || !stage || !bootstrap::boots_ramdisk(*stage))
    broken(cat(machine, " is told to boot the ramdisk, but its node is ",
               node == nullptr ? "not there" : cat(name(node->state), ", at \"", node->job.stage_name(), "\"")));
}

void Rules::shown(const Json& nodes) {
  for (const Json& row : nodes) {
    const std::string name = bootstrap::text_in(row, "name");
    const Node* const node = node_of(name);
    const std::string state = bootstrap::text_in(row, "provision_state");
    if (node == nullptr || state != bootstrap::name(node->state))
      broken(cat("people are shown that ", name, " is ", state, ", which is not durable"));
  }
}

void Rules::told(const std::string& machine, const std::string& text) {
  std::size_t at = 0;
  while ((at = text.find("<secret of ", at)) != std::string::npos) {
    const std::string secret = text.substr(at, text.find('>', at) - at + 1);
    if (secret != secret_of(machine)) broken(cat(machine, " is told ", secret));
    at += secret.size();
  }
}

void Rules::system_runs(const std::string& machine, const std::string& image, const std::string& drive) {
  if (image != machine) broken(cat(machine, " runs a system that was written for ", image));
  if (drive.find(secret_of(machine)) == std::string::npos)
    broken(cat(machine, " runs a system without its config drive"));
  told(machine, drive);
}

}  // namespace hearth::simulation
