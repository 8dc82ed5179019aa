// `hearth seed takeover`: the seed's services and all they know move to a machine that the seed has deployed. Every
// step can be done again, and how far it came is kept in a journal; so it goes on after any interruption. At no moment
// do both serve: the seed's services have ended for good before their state is read, its address is free before the
// node takes it.
//
//     images → node;  seed: hand over (nothing changes there any more);  state → here → node;  seed: off;  node: on
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/path.hpp"
#include "bootstrap/site/site_file.hpp"

namespace hearth::bootstrap {

/// What a takeover has to do with: the seed, the node, a person. The seam.
class TakeoverWorld {
 public:
  virtual ~TakeoverWorld() = default;
  /// Of the seed's REST API; bodies as JSON. Throws Error.
  [[nodiscard]] virtual Json ask_seed(const std::string& method, const std::string& target, const Json& body) = 0;
  [[nodiscard]] virtual std::string seed_bytes(const std::string& target) = 0;
  [[nodiscard]] virtual bool seed_is_up() = 0;
  /// Its machine or process ends, so that its address is free. Nothing when it is down.
  virtual void stop_seed() = 0;
  /// Starts it again, and waits until it answers.
  virtual void start_seed() = 0;
  /// On the node: `hearth seed settle WORDS…`, whose answer is JSON. Throws Error with its words.
  [[nodiscard]] virtual Json on_node(const std::string& node_address, const std::vector<std::string>& words) = 0;
  /// Files to k_settle_folder of the node.
  virtual void copy(const std::string& node_address, const std::vector<fs::path>& files) = 0;
  virtual void tell(const std::string& line) = 0;
};

/// Where a node keeps what is brought to it, until it is in place.
constexpr const char* k_settle_folder = "/var/lib/hearth/takeover";

/// How far it came.
struct TakeoverJournal {
  std::string id;
  std::string node;
  std::string address;         ///< the node's own, where ssh finds it
  std::string step = "begun";  ///< begun, asked, fetched, stopped, settled
  std::string pin;             ///< once settled: of its key (TlsPeer::pin); a version before this one had none
  bool operator==(const TakeoverJournal&) const = default;
};
[[nodiscard]] std::optional<TakeoverJournal> read_journal(const fs::path& home);
void write_journal(const fs::path& home, const TakeoverJournal& journal);

/// What is wrong with a node that is to take over, a line each; `look` is what it said of itself. Pure.
[[nodiscard]] std::vector<std::string> takeover_faults(const Json& node, const Json& look, const SiteFile& site,
                                                       std::uint64_t bytes_needed);
/// Where a node is reached: the address that the inventory gives it, else the one it was last seen with. Pure.
[[nodiscard]] std::string node_address(const Json& node);

class Takeover {
 public:
  struct Wishes {
    std::string node;
    std::string address;  ///< in place of the node's
    bool force = false;   ///< even while nodes are worked on
  };
  /// Journal and fetched state are kept in `home`.
  Takeover(const SiteFile& site, fs::path home, TakeoverWorld& world, Clock& clock)
      : site_(site), home_(std::move(home)), world_(world), clock_(clock) {}

  /// Only looks whether it would work. Throws Error with all that is wrong.
  void check(const Wishes& wishes);
  /// All of it, or what is left of it. Throws Error; then it can be run again, or called off.
  void run(const Wishes& wishes);
  /// The seed serves again. Throws Error(input) when the node serves already: its state is newer.
  void call_off();

 private:
  [[nodiscard]] TakeoverJournal begin(const Wishes& wishes);
  [[nodiscard]] Json known_node(const std::string& name);
  [[nodiscard]] std::vector<std::string> faults_of(const TakeoverJournal& journal);
  void bring(const TakeoverJournal& journal, const std::vector<std::pair<fs::path, std::string>>& files);
  [[nodiscard]] bool is_handed_over(const TakeoverJournal& journal);
  void ask(TakeoverJournal& journal, bool force);
  void fetch(TakeoverJournal& journal);
  void settle(TakeoverJournal& journal);
  [[nodiscard]] std::vector<std::pair<fs::path, std::string>> images() const;
  void advance(TakeoverJournal& journal, const std::string& step);

  const SiteFile& site_;
  fs::path home_;
  TakeoverWorld& world_;
  Clock& clock_;
};

}  // namespace hearth::bootstrap
