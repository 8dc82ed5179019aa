#include "bootstrap/boot/first_signs.hpp"

#include <algorithm>

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

void FirstSigns::look() {
  std::vector<std::pair<const Node*, std::string>> told;
  Heard asked;
  Heard addressed;
  std::set<std::string> coming;
  const auto hear = [&](const Node& node, const Heard& before, Heard& now, const char* text) {
    const std::pair key(node.uuid, node.provision_updated);
    if (now.insert(key).second && !before.contains(key) && !was_told(node, text)) told.emplace_back(&node, text);
  };
  for (const auto& [uuid, node] : conductor_.ledger().nodes()) {
    if (node.state != State::active) {
      if (!node.instance_uuid.empty()) coming.insert(node.instance_uuid);
      continue;
    }
    const std::pair key(uuid, node.provision_updated);
    const bool asks = asked_.contains(key) || has_asked(node);
    // Of who asks for metadata it is known that he has an address.
    if (addressed_.contains(key) || (!asks && has_asked_for_an_address(node)))
      hear(node, addressed_, addressed, k_first_address);
    if (asks) hear(node, asked_, asked, k_first_question);
    if (const auto ended = ended_.find(node.instance_uuid); ended != ended_.end()) {
      for (const std::string& text : ended->second) told.emplace_back(&node, text);
    }
  }
  for (const auto& [node, text] : told) conductor_.ledger().record(*node, "system", text);
  if (!told.empty()) conductor_.settle();
  asked_ = std::move(asked);
  addressed_ = std::move(addressed);
  // What ends before the conductor has seen its machine go waits for that; what is no node's is told to nobody.
  std::erase_if(ended_, [&](const auto& ended) { return !coming.contains(ended.first); });
}

}  // namespace hearth::bootstrap
