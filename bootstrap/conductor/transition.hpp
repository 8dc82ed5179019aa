// One step of a node's state machine, with what goes with it: target, times, last error, and the event.
#pragma once

#include <string>

#include "bootstrap/conductor/settings.hpp"
#include "bootstrap/store/ledger.hpp"

namespace hearth::bootstrap {

/// A request that can't be granted: the HTTP status and the text of the answer.
class Refusal : public std::runtime_error {
 public:
  Refusal(int status, const std::string& text) : std::runtime_error(text), status_(status) {}
  [[nodiscard]] int status() const { return status_; }

 private:
  int status_;
};

/// Throws Refusal (400) when the verb is not allowed in this state.
void apply(Ledger& ledger, Node& node, Verb verb);
/// Throws Error when the table has no such step: a mistake of ours.
void apply(Ledger& ledger, Node& node, Happening happening);
/// In a node's internal, kept: its machine's system was asked to end; when the power order that is under way was given;
/// and until when one is held (told once).
inline constexpr const char* k_soft_power = "soft_power";
inline constexpr const char* k_ordered = "power_ordered";
inline constexpr const char* k_waits_until = "power_waits_until";
/// What was asked for of its power counts no more: something else is asked for by now. What a BMC has been told already
/// stays told.
void forget_power_wishes(Node& node);
/// Throws Refusal (409) where the node's machine was given away: its owner gives it orders, nobody else.
void check_is_ours(const Node& node);
/// Into the state of failure, with the reason kept as last_error. The job is over.
void fail(Ledger& ledger, Node& node, const std::string& reason);
/// Tells a person what to do at the machine.
void instruct(Ledger& ledger, Node& node, const std::string& action, const std::string& text, Seconds time);
/// It is done, or no longer wanted.
void lift_instruction(Ledger& ledger, Node& node, const std::string& how);

}  // namespace hearth::bootstrap
