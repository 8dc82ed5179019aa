#include "agent/deploy/spread/peers.hpp"

#include <algorithm>
#include <utility>

#include "base/net/url.hpp"

namespace hearth::agent::deploy {

namespace {

const char* word_of(PeerFault fault) {
  switch (fault) {
    case PeerFault::wrong: return "wrong";
    case PeerFault::gone: return "gone";
    case PeerFault::unreached: return "unreached";
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

bool Peers::is_refused(const Peer& peer) const {
  return std::find(refused_.begin(), refused_.end(), peer.token) != refused_.end();
}

std::optional<Peer> Peers::asked_for(std::size_t stripe) const {
  const std::lock_guard guard(lock_);
  if (stripe >= plan_.size() || !plan_[stripe] || is_refused(*plan_[stripe])) return std::nullopt;
  return plan_[stripe];
}

bool Peers::blame(const Peer& peer, PeerFault fault, const std::string& what) {
  const std::lock_guard guard(lock_);
  if (is_refused(peer)) return false;
  refused_.push_back(peer.token);
  Json row;
  row["url"] = peer.url;
  row["fault"] = word_of(fault);
  row["what"] = what;
  faults_.push_back(std::move(row));
  return true;
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
