#include "bootstrap/boot/first_signs.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_first_question = "its agent has asked for its metadata";
constexpr const char* k_first_address = "its machine has asked for an address";

/// The machine's first question to the boot servers is the firmware's where that looks at the network before its disk.
/// What it asks months later, a lease it renews, is no first sign: a conductor that was started anew sees only the
/// last.
bool has_asked_for_an_address(const Node& node) {
  constexpr Stamp k_longest_first_boot = Stamp{3600} * 1'000'000;
  const Stamp after = node.seen - node.provision_updated;
  return after > 0 && after <= k_longest_first_boot && node.seen_how.starts_with("dhcp ");
}

}  // namespace

FirstSigns::FirstSigns(Conductor& conductor, std::function<std::int64_t(const std::string&)> last_asked)
    : conductor_(conductor), last_asked_(std::move(last_asked)), changed_(std::make_shared<std::set<std::string>>()) {
  for (const auto& [uuid, node] : conductor.ledger().nodes()) changed_->insert(uuid);
  conductor.ledger().watch([changed = changed_](const Committed& committed) {
    changed->insert(committed.changed.begin(), committed.changed.end());
    changed->insert(committed.removed.begin(), committed.removed.end());
  });
}

void FirstSigns::deployment_is(const std::string& server, const std::string& name, const std::string& status) {
  const bool failed = status.ends_with("_FAILED");
  const bool updated = status.starts_with("UPDATE_");
  if (!updated && !status.starts_with("CREATE_")) return;
  if (!failed && !status.ends_with("_COMPLETE")) return;
  const std::string text = cat(updated ? "update of " : "", "deployment ", name, failed ? ": failed" : ": done");
  std::vector<std::string>& texts = ended_[server];
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
}

/// What asked before the node became active is the system that was there before, which a rebuild or a rescue leaves.
bool FirstSigns::has_asked(const Node& node) const {
  constexpr Stamp k_second = 1'000'000;
  return !node.instance_uuid.empty() && last_asked_(node.instance_uuid) >= node.provision_updated / k_second + 1;
}

/// Neither the engine nor this knows what was before its start: whoever asks on after that has been told of before.
bool FirstSigns::was_told(const Node& node, const std::string& text) const {
  EventQuery query;
  query.node = node.uuid;
  query.newest = true;
  const std::vector<Event> events = conductor_.ledger().store().events(query);
  const auto last = std::find_if(events.rbegin(), events.rend(), [&](const Event& event) {
    return (event.kind == "system" && event.text == text) ||
           (event.kind == "state" && event.text.find("-> active") != std::string::npos);
  });
  return last != events.rend() && last->kind == "system";
}

std::set<std::string> FirstSigns::due() {
  constexpr std::size_t k_at_once = 1000;
  std::set<std::string> due = *changed_;
  auto next = silent_.upper_bound(looked_at_);
  for (std::size_t left = std::min(k_at_once, silent_.size()); left > 0; --left) {
    if (next == silent_.end()) next = silent_.begin();
    looked_at_ = *next++;
    due.insert(looked_at_);
  }
  return due;
}

FirstSigns::Heard FirstSigns::heard_now(const Node& node, Told& told) const {
  const auto known = heard_.find(node.uuid);
  const bool is_anew = known == heard_.end() || known->second.active != node.provision_updated;
  Heard now = is_anew ? Heard{node.provision_updated} : known->second;
  const auto hear = [&](bool& heard, const char* text) {
    if (!std::exchange(heard, true) && !was_told(node, text)) told.emplace_back(&node, text);
  };
  const bool asks = now.asked || has_asked(node);
  // Of who asks for metadata it is known that he has an address.
  if (!asks && has_asked_for_an_address(node)) hear(now.addressed, k_first_address);
  if (asks) hear(now.asked, k_first_question);
  return now;
}

void FirstSigns::look() {
  const Ledger& ledger = conductor_.ledger();
  Told told;
  std::map<std::string, Heard> heard;
  const std::set<std::string> looked_at = due();
  for (const std::string& uuid : looked_at) {
    const Node* node = ledger.by_uuid(uuid);
    if (node != nullptr && node->state == State::active) heard.emplace(uuid, heard_now(*node, told));
  }
  // What ends before the conductor has seen its machine go waits for that; what is no node's is told to nobody.
  std::erase_if(ended_, [&](const auto& ended) { return ledger.by_instance(ended.first) == nullptr; });
  std::set<std::string> ended;
  for (const auto& [server, texts] : ended_) {
    const Node* node = ledger.by_instance(server);
    if (node->state != State::active) continue;
    ended.insert(server);
    for (const std::string& text : texts) told.emplace_back(node, text);
  }
  for (const auto& [node, text] : told) conductor_.ledger().record(*node, "system", text);
  if (!told.empty()) conductor_.settle();
  for (const std::string& server : ended) ended_.erase(server);
  keep(looked_at, heard);
}

void FirstSigns::keep(const std::set<std::string>& looked_at, const std::map<std::string, Heard>& heard) {
  for (const std::string& uuid : looked_at) {
    const auto now = heard.find(uuid);
    changed_->erase(uuid);
    silent_.erase(uuid);
    heard_.erase(uuid);
    if (now == heard.end()) continue;
    heard_.emplace(uuid, now->second);
    if (!now->second.asked) silent_.insert(uuid);
  }
}

}  // namespace hearth::bootstrap
