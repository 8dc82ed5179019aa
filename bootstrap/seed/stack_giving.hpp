// The handover's part for stacks and agents. Heat adopts a stack whose configs and deployments were put in before, with
// the ids that it gave them; then servers change how they poll, for which it makes their credentials. Only when all
// that is there agents are told: each marks first as run what ran, then asks there, and signals the seed from there.
//
//     "" (the seed changes it no more) → adopting → adopted → ready (credentials) → told → there (all agents follow)
#pragma once

#include <functional>

#include "bootstrap/seed/giving.hpp"

namespace hearth::bootstrap {

class StackGiving {
 public:
  /// `keep` writes the journal down.
  StackGiving(GivingWorld& world, const Clock& clock, GivingJournal& journal, std::function<void()> keep)
      : world_(world), clock_(clock), journal_(journal), keep_(std::move(keep)) {}

  /// Those of the seed that go; what is wrong goes to `faults`.
  void look(const std::set<std::string>& left, std::vector<std::string>& faults);
  /// Up to "told". Throws Error; then it can be done again.
  void give();
  /// Waits for agents; those that don't follow in time are told of.
  void follow(Duration patience);
  /// Names of those that don't follow yet.
  [[nodiscard]] std::vector<std::string> behind() const;
  /// Why stacks can't be taken away from the cloud.
  void use_in_cloud(std::vector<std::string>& used);
  /// Agents ask the seed again, and Heat forgets the stacks. Throws Error naming agents that don't come; `lost` are not
  /// waited for.
  void back(const std::set<std::string>& lost, Duration patience);
  /// They do not come back: the seed's record of them can be forgotten from then on.
  void make_final();
  /// One that is not told yet stays with the seed.
  void leave(GivenStack& stack);

 private:
  [[nodiscard]] Json asked(const std::string& method, const std::string& target, const Json& body,
                           const std::string& what);
  [[nodiscard]] std::string at_seed(const GivenStack& stack) const;
  [[nodiscard]] std::string at_cloud(const GivenStack& stack) const;
  [[nodiscard]] Json deployments_on(const std::string& server);
  [[nodiscard]] std::string tag() const;
  void look_at_one(const Json& row, std::vector<std::string>& faults);
  void look_at_abilities(std::vector<std::string>& faults);
  void begin(GivenStack& stack);
  void clear(GivenStack& stack);
  void abandon(GivenStack& stack);
  void put_in_configs(GivenStack& stack, const Json& known);
  void put_in_deployment(GivenStack& stack, const Json& row);
  [[nodiscard]] std::string made_config(const Json& config, const std::string& what);
  [[nodiscard]] Json settled(const GivenStack& stack, const std::string& action,
                             const std::function<void()>& meanwhile = {});
  void change_transport(GivenStack& stack);
  [[nodiscard]] std::map<std::string, Json> documents(const GivenStack& stack);
  void require_kept(const GivenStack& stack, const std::map<std::string, Json>& documents) const;
  void tell(GivenStack& stack);
  void instruct(GivenStack& stack, GivenAgent& agent, const Json& config);
  void forget_instruction(GivenAgent& agent);
  void read_states(GivenStack& stack);
  void call_back(GivenStack& stack);
  [[nodiscard]] std::vector<std::string> still_away(const std::set<std::string>& lost);
  void forget(GivenStack& stack);

  GivingWorld& world_;
  const Clock& clock_;
  GivingJournal& journal_;
  std::function<void()> keep_;
};

}  // namespace hearth::bootstrap
