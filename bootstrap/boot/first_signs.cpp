#include "bootstrap/boot/first_signs.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_first_question = "its agent has asked for its metadata";

}  // namespace

void FirstSigns::deployment_ended(const std::string& server, const std::string& name, bool failed) {
  ended_[server].push_back(cat("deployment ", name, failed ? ": failed" : ": done"));
}

/// The engine knows questions since its start only: whoever asks on after that has been told of before.
bool FirstSigns::was_told(const Node& node) const {
  EventQuery query;
  query.node = node.uuid;
  query.newest = true;
  const std::vector<Event> events = conductor_.ledger().store().events(query);
  const auto last = std::find_if(events.rbegin(), events.rend(), [](const Event& event) {
    return (event.kind == "system" && event.text == k_first_question) ||
           (event.kind == "state" && event.text.find("-> active") != std::string::npos);
  });
  return last != events.rend() && last->kind == "system";
}

void FirstSigns::look() {
  std::vector<std::pair<const Node*, std::string>> told;
  std::set<std::pair<std::string, std::string>> there;
  std::set<std::string> coming;
  for (const auto& [uuid, node] : conductor_.ledger().nodes()) {
    if (node.instance_uuid.empty()) continue;
    if (node.state != State::active) {
      coming.insert(node.instance_uuid);
      continue;
    }
    const std::pair pair(uuid, node.instance_uuid);
    if (heard_.contains(pair)) there.insert(pair);
    if (!heard_.contains(pair) && last_asked_(node.instance_uuid) != 0) {
      there.insert(pair);
      if (!was_told(node)) told.emplace_back(&node, k_first_question);
    }
    if (const auto ended = ended_.find(node.instance_uuid); ended != ended_.end()) {
      for (const std::string& text : ended->second) told.emplace_back(&node, text);
    }
  }
  heard_ = std::move(there);  // a node that is deployed anew is heard of anew
  // What ends before the conductor has seen its machine go waits for that; what is no node's is told to nobody.
  std::erase_if(ended_, [&](const auto& ended) { return !coming.contains(ended.first); });
  for (const auto& [node, text] : told) conductor_.ledger().record(*node, "system", text);
  if (!told.empty()) conductor_.settle();
}

}  // namespace hearth::bootstrap
