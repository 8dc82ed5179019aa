// Jobs that wait for a machine: how long, what is told of one of which nothing is heard, and when it is started again.
#include <algorithm>

#include "base/text.hpp"
#include "bootstrap/conductor/jobs.hpp"

namespace hearth::bootstrap {

namespace {

/// The best that is known of why nobody called back.
std::string last_sign_of(const Node& node, Stamp since) {
  if (node.seen < since) return "nothing was heard of its machine: look at its console, its cable and its boot order";
  return cat("the last that was heard of its machine, at ", text_of(stamp_json(node.seen)).substr(0, 19),
             " UTC: ", node.seen_how, "; look at its console");
}

}  // namespace

Jobs::Step Jobs::wait_for(const Node& node, Stage stage) {
  Ledger& ledger = parts_.ledger;
  if ((stage == Stage::await_data ? node.job.notes.data : node.job.notes.agent) != 0) {
    if (after(node.state, Happening::resume)) apply(ledger, ledger.edit(node.uuid), Happening::resume);
    return Step::done;
  }
  if (after(node.state, Happening::wait)) apply(ledger, ledger.edit(node.uuid), Happening::wait);
  const Stamp since = node.job.notes.first_boot != 0 ? node.job.notes.first_boot : node.job.stage_since;
  if (since > ledger.now()) {  // the clock was set back: the machine's time begins anew
    Job& job = ledger.edit(node.uuid).job;
    job.stage_since = ledger.now();
    job.notes.first_boot = 0;
    return Step::wait;
  }
  const Stamp until = since + microseconds(callback_timeout(node));
  if (node.job.notes.until != until) ledger.edit(node.uuid).job.notes.until = until;
  if (ledger.now() > until) {
    fail(ledger, ledger.edit(node.uuid),
         cat("Timeout reached while waiting for callback for node ", node.uuid, ": ", last_sign_of(node, since),
             parts_.strangers.text_since(since)));
  } else if (starts_it_itself(node) && is_stranger_no_more(node)) {
    boot_anew(ledger.edit(node.uuid), "its card had asked in vain, and is known now; the machine is started again");
    ledger.edit(node.uuid).job.notes.first_boot = 0;  // it has its whole time for this
  } else if (is_silent(node)) {
    boot_silent_anew(ledger.edit(node.uuid));
  } else {
    note_strangers(node);
  }
  return Step::wait;
}

/// Its card was mistyped and is corrected: a stranger's address has become a port's, which asks no more by itself.
bool Jobs::is_stranger_no_more(const Node& node) const {
  return node.seen < node.job.stage_since && std::any_of(node.ports.begin(), node.ports.end(), [&](const Port& port) {
           return parts_.strangers.has_asked(port.address, node.job.stage_since);
         });
}

/// For who waits: long before the machine is given up it can be seen that another card asks in its place.
void Jobs::note_strangers(const Node& node) {
  constexpr Seconds k_usual_silence{15};
  const Stamp since = node.job.stage_since;
  if (node.seen >= node.job.started || parts_.ledger.now() - since < microseconds(k_usual_silence)) return;
  const Json macs = parts_.strangers.some_since(since);
  if (!macs.empty() && node.job.notes.strangers.size() < macs.size())
    parts_.ledger.edit(node.uuid).job.notes.strangers = macs;
}

/// Whether this conductor can start its machine: by its BMC, in a job that does so.
bool Jobs::starts_it_itself(const Node& node) const {
  const std::vector<Stage> stages = flow(node);
  if (std::find(stages.begin(), stages.end(), Stage::power_off) == stages.end()) return false;  // who asked starts it
  const PowerDriver* driver = parts_.drivers.find(node.driver);
  return driver != nullptr && !driver->by_hand();
}

/// Nothing at all was heard of a machine that we can start again: firmware gives up on the network after a while, and
/// stands at a blank disk for ever.
bool Jobs::is_silent(const Node& node) const {
  const Seconds patience = own_or(node, "boot_silence_timeout", parts_.settings.boot_silence_timeout);
  if (patience.count() == 0 || !starts_it_itself(node)) return false;
  if (node.job.notes.boots >= parts_.settings.boot_tries) return false;
  return parts_.ledger.now() - std::max(node.seen, node.job.stage_since) > microseconds(patience);
}

void Jobs::boot_silent_anew(Node& node) {
  const int boots = node.job.notes.boots + 1;
  const Stamp silent = parts_.ledger.now() - std::max(node.seen, node.job.stage_since);
  node.job.notes.boots = boots;
  boot_anew(node, cat("nothing was heard of the machine for ", silent / 1'000'000, " s; it is started again (", boots,
                      " of ", parts_.settings.boot_tries, "): look at its console, its cable and its boot order",
                      parts_.strangers.text_since(node.job.stage_since)));
}

void Jobs::boot_anew(Node& node, const std::string& why) {
  parts_.ledger.record(node, "retry", why);
  if (node.job.notes.first_boot == 0) node.job.notes.first_boot = node.job.stage_since;
  node.job.notes.booting = false;
  enter(node, Stage::power_off);
}

Seconds Jobs::callback_timeout(const Node& node) const {
  const Settings& usual = parts_.settings;
  if (node.job.kind == JobKind::inspect) return own_or(node, "inspect_timeout", usual.inspect_timeout);
  if (node.job.kind == JobKind::rescue) return own_or(node, "rescue_callback_timeout", usual.rescue_callback_timeout);
  if (node.job.kind == JobKind::deploy) return own_or(node, "deploy_callback_timeout", usual.deploy_callback_timeout);
  return own_or(node, "clean_callback_timeout", usual.clean_callback_timeout);
}

}  // namespace hearth::bootstrap
