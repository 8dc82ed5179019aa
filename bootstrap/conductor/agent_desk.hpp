// AgentDesk: what deploy ramdisks ask and tell: look-up, heartbeat, the inspection's result (ironic-python-agent's side
// of the protocol). A token is bound at first contact and told only once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bootstrap/conductor/jobs.hpp"

namespace hearth::bootstrap {

class AgentDesk {
 public:
  AgentDesk(Jobs::Parts parts, Jobs& jobs) : parts_(std::move(parts)), jobs_(jobs) {}

  /// {"node": …, "config": …}. Throws Refusal (404) for machines that nothing is to be done with.
  [[nodiscard]] Json look_up(const std::vector<std::string>& addresses, const std::string& node_uuid,
                             const std::string& base);
  /// Throws Refusal: 404, 400 for a wrong token or another address than before.
  void heartbeat(const std::string& id, const Json& body);
  /// {"uuid": …}. Throws Refusal (404) for a machine that is not being inspected.
  /// How far the image is that an agent writes (config.hearth.progress_url of the look-up). Throws Refusal.
  void progress(const Json& body);
  [[nodiscard]] Json inspected(const Json& data, const std::string& node_uuid);

 private:
  [[nodiscard]] const Node* who(const std::vector<std::string>& macs, const std::string& uuid) const;
  /// Once in ten minutes for the same thing: strangers can't fill the log.
  void refused(const std::string& key, const std::string& text);

  /// The node's token for who asks first; "******" for who asks later.
  [[nodiscard]] std::string token_for(Node& node);

  Jobs::Parts parts_;
  Jobs& jobs_;
  std::map<std::string, std::string> told_;  ///< tokens that this process has told, by node
  std::map<std::string, Stamp> refused_;
};

/// Something was heard from the machine: an instruction to switch it on is fulfilled.
void heard_from(Ledger& ledger, Node& node, const std::string& how);

}  // namespace hearth::bootstrap
