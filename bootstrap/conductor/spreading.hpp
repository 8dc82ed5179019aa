// Spreading: who asks whom for an image that several machines get. Machines whose orders come within some seconds are a
// wave: the first of it is its head, the others stand in two trees below it, one for the even frames of the image and
// one for the odd ones, so that nobody passes on more than he gets (agent/deploy/image/gathering.hpp has the whole,
// and why it is so). The head of the first wave has the image from its server; that of a later one from those of the
// wave before that have nobody below them. Who leaves, dies or gives what is wrong stays in its place, and gives no
// more: each of those below it asks another that has room, or is asked by the fewest, and does not stand below it.
//
// Nothing is kept: what a conductor that starts anew does not know comes with the agents' next reports.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/path.hpp"
#include "bootstrap/store/ledger.hpp"

namespace hearth::bootstrap {

constexpr std::size_t k_stripes = 2;

/// In a node's internal: the root of the frames that its agent was told of in place of the image that was asked for.
inline constexpr const char* k_told_root = "agent_image_root";

/// Where in a wave of so many machines the one stands that number `index` asks for a stripe; nothing for the head.
[[nodiscard]] std::optional<std::size_t> asked_in_wave(std::size_t index, std::size_t size, std::size_t stripe);
/// Whom the head of the wave behind asks.
[[nodiscard]] std::size_t last_of_wave(std::size_t size, std::size_t stripe);

class Spreading {
 public:
  /// `directory`: where certificates of agents are.
  Spreading(Ledger& ledger, fs::path directory) : ledger_(ledger), directory_(std::move(directory)) {}

  /// For the order to write the node's image: [{"url", "token", "pin"} or null, …], one for each stripe; empty: there
  /// is nobody to ask. The node is one that gives, from now on, when its agent is of this version.
  [[nodiscard]] Json peers_of_order(const Node& node);
  /// The same for an agent that reports how far it is, and what it found wrong with those that it asked: `faults` is a
  /// list of {"url", "fault": "wrong", "gone", "unreached" or "slow", "what"}. Null for a seed that is asked.
  [[nodiscard]] Json peers_of_report(const Node& node, const Json& faults);

 private:
  struct Place {
    std::size_t wave = 0;
    std::size_t index = 0;
    auto operator<=>(const Place&) const = default;
  };
  struct Member {
    std::string uuid;
    std::string token;  ///< of its agent: one that starts anew is another member
    bool gives = true;
    bool is_gone = false;  ///< so it was told: it asks for nothing, either
    std::string pin;
    std::map<std::string, Place> told;  ///< whom it was told to ask, by URL
    std::set<Place> refused;            ///< of them, those that it found at fault
    std::size_t unreached = 0;          ///< of those, when it had not reached anybody yet
    /// For each stripe, whom of its wave it asks where whom it should does not give.
    std::array<std::optional<std::size_t>, k_stripes> instead;
  };
  struct Wave {
    Stamp begun = 0;
    std::vector<Member> members;
  };
  struct Image {
    std::vector<Wave> waves;
    std::map<std::string, Place> places;  ///< of whom there is, by agent's token
  };

  [[nodiscard]] static auto& at(auto& image, const Place& place) {
    return image.waves[place.wave].members[place.index];
  }
  [[nodiscard]] bool is_whole(const Wave& wave) const;
  Place join(Image& image, const Node& node);
  [[nodiscard]] bool is_anybody_there(const Image& image) const;
  void forget_others(const std::string& root);
  /// Its node, where it can give now; else null.
  [[nodiscard]] const Node* there(const Member& member) const;
  /// It gets the image now, from whomever.
  [[nodiscard]] bool takes(const Member& member) const;
  [[nodiscard]] bool may_ask(const Image& image, const Place& place, const Place& other) const;
  [[nodiscard]] std::optional<std::size_t> asked_by(const Image& image, const Place& place, std::size_t stripe) const;
  [[nodiscard]] bool is_below(const Image& image, const Place& place, std::size_t index, std::size_t stripe) const;
  [[nodiscard]] std::optional<std::size_t> stand_in(const Image& image, const Place& place, std::size_t stripe) const;
  [[nodiscard]] std::optional<Place> giver(Image& image, Place place, std::size_t stripe) const;
  [[nodiscard]] Json peers_of(Image& image, const std::string& root, const Place& place);
  [[nodiscard]] static bool is_left_to_seed(const Member& member);
  void take_fault(Image& image, Member& by, const Node& node, const Json& fault);

  Ledger& ledger_;
  fs::path directory_;
  std::map<std::string, Image> images_;  ///< by root
};

}  // namespace hearth::bootstrap
