#include "agent/deploy/spread/peers.hpp"

#include "base/net/url.hpp"

namespace hearth::agent::deploy {

namespace {

const char* word_of(PeerFault fault) {
  switch (fault) {
    case PeerFault::wrong: return "wrong";
    case PeerFault::gone: return "gone";
    case PeerFault::slow: return "slow";
  }
  return "";
}

}  // namespace

PeerPlan parse_peers(const Json& list) {
  PeerPlan plan;
  if (!list.is_array()) return plan;
  for (const Json& row : list) {
    std::optional<Peer> peer;
    if (row.is_object()) peer = Peer{text_member(row, "url"), text_member(row, "token"), text_member(row, "pin")};
    const Result<Url> url = parse_url(peer ? peer->url : "");
    // One that is reached by TLS is known by its key, and by nothing else.
    if (peer && (!url || peer->token.empty() || url->is_tls() == peer->pin.empty())) peer.reset();
    plan.push_back(std::move(peer));
  }
  return plan;
}

void Peers::begin(PeerPlan plan) {
  const std::lock_guard guard(lock_);
  plan_ = std::move(plan);
  refused_.clear();
  faults_ = Json::array();
}

void Peers::follow(PeerPlan plan) {
  const std::lock_guard guard(lock_);
  if (plan.size() == plan_.size()) plan_ = std::move(plan);
}

std::size_t Peers::stripes() const {
  const std::lock_guard guard(lock_);
  return plan_.size();
}

std::optional<Peer> Peers::asked_for(std::size_t stripe) const {
  const std::lock_guard guard(lock_);
  if (stripe >= plan_.size() || !plan_[stripe] || refused_.contains(plan_[stripe]->token)) return std::nullopt;
  return plan_[stripe];
}

void Peers::blame(const Peer& peer, PeerFault fault, const std::string& what) {
  const std::lock_guard guard(lock_);
  if (!refused_.insert(peer.token).second) return;
  faults_.push_back({{"url", peer.url}, {"fault", word_of(fault)}, {"what", what}});
}

Json Peers::take_faults() {
  const std::lock_guard guard(lock_);
  return std::exchange(faults_, Json::array());
}

void Peers::keep_faults(const Json& faults) {
  const std::lock_guard guard(lock_);
  faults_.insert(faults_.begin(), faults.begin(), faults.end());
}

}  // namespace hearth::agent::deploy
