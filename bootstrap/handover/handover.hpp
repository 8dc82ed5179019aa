// Handover: a seed that gives its services to another machine. From the moment that it is asked to, nothing is served
// and nothing changes here: what it knows is packed into one file (bundle/manifest.hpp), which can be fetched, and in
// parts. That the services are given away is kept beside the nodes, so that neither kill nor restart brings them back,
// and two seeds never work on one site.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bootstrap/bundle/bundle_file.hpp"
#include "bootstrap/gate/gate.hpp"
#include "bootstrap/store/store.hpp"

namespace hearth::bootstrap {

struct Handover {
  std::string id;  ///< of this one attempt; whoever asked for it goes on with it
  std::string to;  ///< the node's name
  bool left = false;
  bool operator==(const Handover&) const = default;
};
[[nodiscard]] std::optional<Handover> kept_handover(Store& store);
void keep_handover(Store& store, const Handover& handover);
void forget_handover(Store& store);

/// What a seed knows: all files below `state` but those of a running process, and of other file systems (images that
/// are lent to it).
[[nodiscard]] std::vector<bundle::Source> state_sources(const fs::path& state);
/// Packs it, nobody works on it meanwhile. Returns the file; one that is there already is of this handover.
fs::path pack_state(const fs::path& state, const Handover& handover);

/// What is answered in place of the services.
class HandoverEndpoint final : public GuardedHandler {
 public:
  enum class Ending { left, called_off };
  struct Settings {
    fs::path state;
    fs::path packed;
  };
  HandoverEndpoint(Settings settings, Handover handover, std::function<void(Ending)> end);
  /// GET /v1/hearth/handover: id, to, bytes, sha256. GET …/state?offset=N: the packed state from there on, a part.
  /// POST …/leave: the services have gone. DELETE: they stay. All of it for admins. Everything else: 503 with the
  /// reason.
  [[nodiscard]] ServedResponse answer(const ServedRequest& request, const Caller& caller) override;

 private:
  [[nodiscard]] ServedResponse part(const std::string& query) const;

  Settings settings_;
  Handover handover_;
  std::function<void(Ending)> end_;
  std::uint64_t bytes_ = 0;
  std::string digest_;
};

constexpr const char* k_state_bundle = "handover.bundle";
constexpr std::uint64_t k_state_part = std::uint64_t{4} << 20U;

}  // namespace hearth::bootstrap
