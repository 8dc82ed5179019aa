#include "bootstrap/conductor/spreading.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/frames/giving.hpp"
#include "base/log.hpp"
#include "base/net/own_identity.hpp"
#include "base/text.hpp"
#include "bootstrap/conductor/flow.hpp"
#include "bootstrap/conductor/settings.hpp"

namespace hearth::bootstrap {

namespace {

constexpr Seconds k_wave{5};               // who comes later would be waited for by those before it
constexpr std::size_t k_most_refused = 8;  // who finds more at fault is likelier at fault itself
constexpr std::size_t k_most_unreached = 4;
constexpr std::size_t k_told = 160;  // of what an agent says

/// The image's root; empty for one that has none, whose parts nobody can check.
std::string root_of(const Node& node) {
  const Json& info = node.instance_info;
  if (to_lower(text_in(info, "image_os_hash_algo")) != "hearth-frames") return text_in(node.internal, k_told_root);
  return to_lower(text_in(info, "image_os_hash_value"));
}

/// How many of a wave pass on a stripe: behind the head, every other one.
std::size_t givers_in(std::size_t size, std::size_t stripe) { return (size - 1 + k_stripes - 1 - stripe) / k_stripes; }

std::size_t index_of(std::size_t rank, std::size_t stripe) { return 1 + rank * k_stripes + stripe; }

}  // namespace

std::optional<std::size_t> asked_in_wave(std::size_t index, std::size_t size, std::size_t stripe) {
  hearth::check(index < size && stripe < k_stripes, "who asks is one of the wave", "index", index, "size", size);
  if (index == 0) return std::nullopt;
  const std::size_t rank = (index - 1) / k_stripes;
  const std::size_t givers = givers_in(size, stripe);
  if ((index - 1) % k_stripes == stripe) return rank == 0 ? 0 : index_of((rank - 1) / k_stripes, stripe);
  if (givers == 0) return 0;
  // Places below those that pass it on: first themselves, then those that only take it.
  return index_of(std::min((givers - 1 + rank) / k_stripes, givers - 1), stripe);
}

std::size_t last_of_wave(std::size_t size, std::size_t stripe) {
  const std::size_t givers = givers_in(size, stripe);
  return givers == 0 ? 0 : index_of(givers - 1, stripe);
}

bool Spreading::takes(const Member& member) const {
  const Node* node = ledger_.by_uuid(member.uuid);
  return node != nullptr && !member.is_gone && node->job.stage == Stage::write_image &&
         text_in(node->internal, "agent_secret_token") == member.token;
}

const Node* Spreading::there(const Member& member) const {
  const Node* node = ledger_.by_uuid(member.uuid);
  if (node == nullptr || !member.gives || !node->job.running()) return nullptr;
  const std::optional<Stage>& stage = node->job.stage;
  const bool is_up = stage && needs_agent(*stage) && *stage != Stage::leave;
  return is_up && text_in(node->internal, "agent_secret_token") == member.token ? node : nullptr;
}

bool Spreading::is_anybody_there(const Image& image) const {
  for (auto wave = image.waves.rbegin(); wave != image.waves.rend(); ++wave) {
    if (std::any_of(wave->members.rbegin(), wave->members.rend(),
                    [this](const Member& member) { return there(member) != nullptr; }))
      return true;
  }
  return false;
}

void Spreading::forget_others(const std::string& root) {
  std::erase_if(images_, [&](const auto& image) { return image.first != root && !is_anybody_there(image.second); });
}

bool Spreading::is_whole(const Wave& wave) const {
  return ledger_.now() - wave.begun > microseconds(k_wave) || ledger_.now() < wave.begun;
}

Spreading::Place Spreading::join(Image& image, const Node& node) {
  const std::string token = text_in(node.internal, "agent_secret_token");
  if (const auto found = image.places.find(token); found != image.places.end()) return found->second;
  if (!is_anybody_there(image)) image = {};
  if (image.waves.empty() || is_whole(image.waves.back())) image.waves.push_back({ledger_.now(), {}});
  Wave& wave = image.waves.back();
  Member member{.uuid = node.uuid, .token = token};
  member.gives = text_in(node.internal, "agent_version") == HEARTH_VERSION;
  if (node.internal.contains("agent_verify_ca")) member.pin = key_pin((directory_ / cat(node.uuid, ".pem")).string());
  wave.members.push_back(std::move(member));
  return image.places[token] = {image.waves.size() - 1, wave.members.size() - 1};
}

bool Spreading::may_ask(const Image& image, const Place& place, const Place& other) const {
  return !at(image, place).refused.contains(other) && there(at(image, other)) != nullptr;
}

/// Whom it asks in its wave, where that one gives.
std::optional<std::size_t> Spreading::asked_by(const Image& image, const Place& place, std::size_t stripe) const {
  const auto planned = asked_in_wave(place.index, image.waves[place.wave].members.size(), stripe);
  for (const auto& index : {planned, at(image, place).instead[stripe]}) {
    if (index && may_ask(image, place, {place.wave, *index})) return index;
  }
  return std::nullopt;
}

/// Whether who stands at `index` has the stripe from who stands at `place`, or is that one.
bool Spreading::is_below(const Image& image, const Place& place, std::size_t index, std::size_t stripe) const {
  std::optional<std::size_t> above = index;
  for (std::size_t steps = image.waves[place.wave].members.size(); above && *above != place.index; --steps) {
    if (steps == 0) return true;  // a circle, which is none of this one's
    above = asked_by(image, {place.wave, *above}, stripe);
  }
  return above.has_value();
}

/// In place of who gives no more: the first of the wave whose link has room, else whoever is asked by the fewest, of
/// those that do not have the stripe from this one, so that nobody comes to wait for himself. While more come, those
/// that only take the stripe find other places, and pass it on to nobody.
std::optional<std::size_t> Spreading::stand_in(const Image& image, const Place& place, std::size_t stripe) const {
  const std::size_t size = image.waves[place.wave].members.size();
  std::vector<std::size_t> asked(size);
  for (std::size_t index = 1; index < size; ++index) {
    const Place other{place.wave, index};
    for (std::size_t each = 0; each < k_stripes && takes(at(image, other)); ++each) {
      const auto index_asked = other == place && each == stripe ? std::nullopt : asked_by(image, other, each);
      if (index_asked) ++asked[*index_asked];
    }
  }
  const auto load = [&asked](std::size_t index) { return std::max(asked[index] + 1, k_stripes); };
  std::optional<std::size_t> found;
  for (std::size_t index = 0; index < size; ++index) {
    const bool gives_too = index == 0 || (index - 1) % k_stripes == stripe || is_whole(image.waves[place.wave]);
    if (!gives_too || !may_ask(image, place, {place.wave, index}) || is_below(image, place, index, stripe)) continue;
    if (!found || load(index) < load(*found)) found = index;
  }
  return found;
}

bool Spreading::is_left_to_seed(const Member& member) {
  return member.refused.size() > k_most_refused || member.unreached >= k_most_unreached;
}

std::optional<Spreading::Place> Spreading::giver(Image& image, Place place, std::size_t stripe) const {
  Member& own = at(image, place);
  if (is_left_to_seed(own)) return std::nullopt;
  if (place.index > 0) {
    if (const auto asked = asked_by(image, place, stripe)) return Place{place.wave, *asked};
    own.instead[stripe] = stand_in(image, place, stripe);
    if (own.instead[stripe]) return Place{place.wave, *own.instead[stripe]};
  }
  for (std::size_t wave = place.wave; wave-- > 0;) {
    const std::size_t size = image.waves[wave].members.size();
    for (std::optional<std::size_t> index = last_of_wave(size, stripe); index;
         index = asked_in_wave(*index, size, stripe)) {
      if (may_ask(image, place, {wave, *index})) return Place{wave, *index};
    }
  }
  return std::nullopt;
}

Json Spreading::peers_of(Image& image, const std::string& root, const Place& place) {
  Json peers = Json::array();
  for (std::size_t stripe = 0; stripe < k_stripes; ++stripe) {
    const std::optional<Place> found = giver(image, place, stripe);
    if (!found) {
      peers.push_back(nullptr);
      continue;
    }
    const Member& member = at(image, *found);
    const std::string url = text_in(there(member)->internal, "agent_url");
    at(image, place).told[url] = *found;
    peers.push_back({{"url", url}, {"token", frames::giving_token(member.token, root)}, {"pin", member.pin}});
  }
  return peers;
}

Json Spreading::peers_of_order(const Node& node) {
  const std::string root = root_of(node);
  if (root.empty()) return Json::array();
  forget_others(root);
  Image& image = images_[root];
  Json peers = peers_of(image, root, join(image, node));
  const bool is_alone = std::all_of(peers.begin(), peers.end(), [](const Json& peer) { return peer.is_null(); });
  return is_alone ? Json::array() : peers;
}

Json Spreading::peers_of_report(const Node& node, const Json& faults) {
  const std::string root = root_of(node);
  if (root.empty()) return Json::array();
  Image& image = images_[root];
  const Place place = join(image, node);
  if (faults.is_array()) {
    for (const Json& fault : faults) take_fault(image, at(image, place), node, fault);
  }
  return peers_of(image, root, place);
}

void Spreading::take_fault(Image& image, Member& by, const Node& node, const Json& fault) {
  if (!fault.is_object()) return;
  const auto told = by.told.find(text_in(fault, "url"));
  if (told == by.told.end() || is_left_to_seed(by) || !by.refused.insert(told->second).second) return;
  Member& accused = at(image, told->second);
  const Node* giver = there(accused);
  if (giver == nullptr) return;  // it has left, as it should, or others have told of it
  const std::string kind = text_in(fault, "fault");
  const std::string what = one_line(text_in(fault, "what").substr(0, k_told));
  const bool is_for_itself = kind == "slow" || kind == "unreached";
  if (!is_for_itself) accused.gives = false;
  if (kind == "gone") accused.is_gone = true;
  ledger_.record(node, "agent",
                 cat(giver->title(), " (", told->first, ") was asked for parts of the image: ", what,
                     is_for_itself ? "; it asks others" : "; nobody asks it any more"));
  if (kind == "unreached" && ++by.unreached == k_most_unreached) {
    ledger_.record(node, "agent",
                   cat("reaches none of ", k_most_unreached,
                       " machines that have its image, and has it from the server "
                       "alone: are they on a network that it does not see, or behind a filter?"));
  }
  if (kind == "wrong") {
    ledger_.record(*giver, "agent",
                   cat("gave ", node.title(), " what is not of the image: ", what,
                       "; nobody asks it any more. Look at its memory and its network card"));
  }
}

}  // namespace hearth::bootstrap
