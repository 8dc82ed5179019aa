#include "bootstrap/conductor/transition.hpp"

#include "base/check.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

void go(Ledger& ledger, Node& node, State to, std::string_view by) {
  const State from = node.state;
  node.state = to;
  node.target = target_of(to);
  if (node.job.kind == JobKind::clean_manual && node.target == State::available) node.target = State::manageable;
  node.provision_updated = ledger.now();
  node.updated = node.provision_updated;
  Json detail = {{"from", name(from)}, {"to", name(to)}, {"by", by}};
  if (!node.last_error.empty() && kind_of(to) == StateKind::failed) detail["error"] = node.last_error;
  ledger.record(node, "state", cat(name(from), " -> ", name(to)), std::move(detail));
}

}  // namespace

void apply(Ledger& ledger, Node& node, Verb verb) {
  const std::optional<State> to = after(node.state, verb);
  if (!to) throw Refusal(400, refusal(name(verb), node.uuid, node.state));
  node.last_error.clear();
  go(ledger, node, *to, name(verb));
}

void apply(Ledger& ledger, Node& node, Happening happening) {
  const std::optional<State> to = after(node.state, happening);
  if (!to) {
    throw Error(ErrorKind::unsupported, cat("node ", node.title(), ": no step \"", name(happening), "\" from state \"",
                                            name(node.state), "\""));
  }
  go(ledger, node, *to, name(happening));
}

void fail(Ledger& ledger, Node& node, const std::string& reason) {
  node.last_error = reason;
  if (!node.instruction.action.empty()) lift_instruction(ledger, node, "no longer wanted");
  if (after(node.state, Happening::fail)) apply(ledger, node, Happening::fail);
  if (node.state == State::deploy_failed && node.job.stage != Stage::check)
    node.internal[k_power_off_wanted] = {{"tries", 0}, {"at", ledger.now()}};
  ledger.record(node, "failure", reason, {{"job", name(node.job.kind)}, {"stage", node.job.stage_name()}});
  node.job = {};
  check(kind_of(node.state) != StateKind::working && kind_of(node.state) != StateKind::waiting,
        "a job that has failed leaves its node at rest", "node", node.uuid, "state", name(node.state));
}

void forget_power_wishes(Node& node) {
  node.target_power.clear();
  for (const char* wish : {k_power_off_wanted, k_soft_power, k_ordered, k_waits_until}) node.internal.erase(wish);
}

void check_is_ours(const Node& node) {
  const std::string owner = given_to(node);
  if (owner.empty()) return;
  throw Refusal(409, cat("Node ", node.title(), " was given to ", owner, ", which alone gives it orders now. `hearth ",
                         "seed handover --back` takes it back, as long as that is not final."));
}

void instruct(Ledger& ledger, Node& node, const std::string& action, const std::string& text, Seconds time) {
  const Stamp now = ledger.now();
  node.instruction = {action, text, now, now + microseconds(time), now};
  ledger.record(node, "instruction", text, {{"action", action}, {"deadline", stamp_json(node.instruction.deadline)}});
}

void lift_instruction(Ledger& ledger, Node& node, const std::string& how) {
  if (node.instruction.action.empty()) return;
  ledger.record(node, "instruction", cat("done: ", how), {{"action", "done"}, {"was", node.instruction.action}});
  node.instruction = {};
}

}  // namespace hearth::bootstrap
