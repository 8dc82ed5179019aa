// AgentEndpoint: what deploy ramdisks ask and tell: look-up, heartbeat, the inspection's result (ironic-python-agent's
// side of the protocol). A token is bound at first contact and told only once; from then on nobody without it speaks
// for the machine. Where we know which card an address is leased to, nobody speaks for another machine before that,
// either.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bootstrap/conductor/jobs.hpp"
#include "bootstrap/node/budget.hpp"

namespace hearth::bootstrap {

class AgentEndpoint {
 public:
  AgentEndpoint(Jobs::Parts parts, Jobs& jobs) : parts_(std::move(parts)), jobs_(jobs) {}

  /// The card that an address is leased to, "aa:bb:…"; nothing where that isn't known.
  using Leases = std::function<std::optional<std::string>(const std::string& address)>;
  void know_leases(Leases leases) { leases_ = std::move(leases); }

  // `peer`: the address that the request comes from.

  /// {"node": …, "config": …}. Throws Refusal (404) for machines that nothing is to be done with.
  [[nodiscard]] Json look_up(const std::vector<std::string>& addresses, const std::string& node_uuid,
                             const std::string& base, const std::string& peer);
  /// Throws Refusal: 404, 400 for a wrong token, or a place to call that is not its own or not the one of before.
  void heartbeat(const std::string& id, const Json& body, const std::string& peer);
  /// How far the image is that an agent writes (config.hearth.progress_url of the look-up). To one that asks others
  /// for it, and tells what was wrong with them: {"peers": …} (Spreading); else null. Throws Refusal.
  Json progress(const Json& body, const std::string& peer);
  /// {"uuid": …}. Throws Refusal: 404 for a machine that is not being inspected, 400 for one that has a token and does
  /// not tell it.
  [[nodiscard]] Json inspected(const Json& data, const std::string& node_uuid, const std::string& peer);

 private:
  [[nodiscard]] const Node* who(const std::vector<std::string>& macs, const std::string& uuid) const;
  /// Throws Refusal (404) when the address is leased to a card that is none of the node's.
  void check_neighbour(const Node& node, const std::string& peer);
  void check_token(const Node& node, const Json& body);
  /// Once in ten minutes for the same thing, and no more of all things than a budget allows: strangers fill no disk.
  void refused(const std::string& key, const std::string& text);

  /// The node's token for who asks first; "******" for who asks later.
  [[nodiscard]] std::string token_for(Node& node);

  Jobs::Parts parts_;
  Jobs& jobs_;
  std::map<std::string, std::string> told_;  ///< tokens that this process has told, by node
  std::map<std::string, Stamp> refused_;
  Budget refusals_;
  Leases leases_;
};

/// Something was heard from the machine: an instruction to switch it on is fulfilled.
void heard_from(Ledger& ledger, Node& node, const std::string& how);

}  // namespace hearth::bootstrap
