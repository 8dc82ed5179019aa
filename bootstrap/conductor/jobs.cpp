#include "bootstrap/conductor/jobs.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"
#include "bootstrap/conductor/allocations.hpp"

namespace hearth::bootstrap {

bool Jobs::cleans(const Node& node) const {
  const auto own = node.fields.find("automated_clean");
  const bool given = own != node.fields.end() && own->is_boolean();
  return given ? own->get<bool>() : parts_.settings.automated_clean;
}

std::vector<Stage> Jobs::flow(const Node& node) const { return flow_of(node.job.kind, node, cleans(node)); }

void Jobs::begin(Node& node, Verb verb, const Json& arguments) {
  if (verb == Verb::abort) {
    apply(parts_.ledger, node, verb);
    node.last_error = cat("The ", name(node.job.kind), " was aborted by request.");
    if (!node.instruction.action.empty()) lift_instruction(parts_.ledger, node, "aborted");
    node.job = {};
    return;
  }
  Job job;
  job.kind = kind_of_work(verb);
  job.started = parts_.ledger.now();
  job.arguments = arguments.is_object() ? arguments : Json::object();
  const Job before = std::exchange(node.job, job);
  try {
    apply(parts_.ledger, node, verb);
  } catch (const Refusal&) {
    node.job = before;
    throw;
  }
  if (verb == Verb::unhold) {
    node.job = before;
    return;
  }
  if (kind_of(node.state) == StateKind::stable) {  // available, manage: nothing is to be done
    node.job = {};
    return;
  }
  forget_power_wishes(node);
  hearth::check(kind_of(node.state) == StateKind::working, "a job begins in a state of work", "node", node.uuid, "job",
                name(job.kind), "state", name(node.state));
  if (job.kind == JobKind::inspect) node.inspection_started = job.started;
  enter(node, flow(node).front());
}

Jobs::Jobs(Parts parts)
    : parts_(std::move(parts)), spreading_(parts_.ledger, parts_.directory), began_(parts_.ledger.now()) {
  parts_.ledger.watch([this](const Committed& committed) {
    for (const std::string& uuid : committed.removed) asked_.erase(uuid);
  });
}

void Jobs::enter(Node& node, Stage stage) {
  Job& job = node.job;
  job.stage = stage;
  job.stage_since = parts_.ledger.now();
  job.sent = false;
  job.attempt = 0;
  job.retry_at = 0;
  job.notes.command.clear();
  job.notes.until = 0;
  job.notes.strangers = Json::array();
  asked_.erase(node.uuid);
  node.progress = nullptr;
  if (stage == Stage::boot_network) forget_agent(node);
  if (stage == Stage::boot_network && job.kind == JobKind::service) node.internal[k_out_of_system] = true;
  if (stage != Stage::finish) parts_.ledger.record(node, "stage", cat(name(job.kind), ": ", name(stage)));
}

bool Jobs::has_work() const {
  for (const Node* node : parts_.ledger.with_job()) {
    if (node->job.running() && node->job.stage && !is_wait(*node->job.stage)) return true;
  }
  return false;
}

/// A waiting machine's time is up to a second late where nobody noted it; a clock that was set back is no reason to
/// wait.
void Jobs::look() {
  const Stamp now = parts_.ledger.now();
  while (!due_.empty() && due_.begin()->first <= now) noted_.insert(due_.extract(due_.begin()).value().second);
  if (now >= looked_ && now - looked_ < microseconds(Seconds(1))) return;
  looked_ = now;
  for (const Node* node : parts_.ledger.with_job()) noted_.insert(node->uuid);
  std::erase_if(asked_, [this](const auto& asked) {
    const Node* node = parts_.ledger.by_uuid(asked.first);
    return node == nullptr || node->job.started != asked.second.job;
  });
}

bool Jobs::advance_all(std::size_t most) {
  booting_.reset();
  const std::set<std::string> changed = parts_.ledger.changed();
  for (const std::string& uuid : changed) advance(uuid);
  // Whoever is only looked at costs little, and is not written.
  constexpr std::size_t k_looks = 16;
  for (std::size_t looks = 0; !noted_.empty() && looks / k_looks < most; ++looks) {
    if (parts_.ledger.changed().size() - changed.size() >= most) break;
    const std::string uuid = noted_.extract(noted_.begin()).value();
    if (!changed.contains(uuid)) advance(uuid);
  }
  return !noted_.empty();
}

/// What is further away than any pause was noted before the clock was set back.
bool Jobs::is_paused(const Node& node) const {
  const Settings& settings = parts_.settings;
  const Seconds longest = std::max({settings.poll_interval, settings.retry_interval * settings.retries, Seconds(1)});
  const Stamp left = node.job.retry_at - parts_.ledger.now();
  return left > 0 && left <= microseconds(longest);
}

/// With a job that came to another stage, and waits for nobody, as soon as that stage is durable.
void Jobs::go_on_later(const std::string& uuid) {
  const Node* now = parts_.ledger.by_uuid(uuid);
  if (now == nullptr || parts_.busy.contains(uuid) || !now->job.running()) return;
  const std::optional<Stage> stage = now->job.stage;
  if (stage && !is_wait(*stage)) come_back(uuid, std::max(now->job.retry_at, parts_.ledger.now()));
}

void Jobs::advance(const std::string& uuid) {
  while (true) {
    const Node* now = parts_.ledger.by_uuid(uuid);
    if (now == nullptr || !now->job.running() || parts_.busy.contains(uuid)) return;
    if (is_paused(*now)) return come_back(uuid, now->job.retry_at);
    const std::optional<Stage> stage = now->job.stage;
    if (stage && awaits_stray(*now, *stage)) return;
    if (stage == Stage::power_on && !may_boot_now(*now))
      return come_back(uuid, parts_.ledger.now() + microseconds(Seconds(1)));
    try {
      if (!stage)
        throw Error(ErrorKind::unsupported, "the job, or its stage, is another Hearth's: this one does not know it");
      // A node that waits for its machine is not changed by looking whether its time is up.
      const Step step = is_wait(*stage)             ? wait_for(*now, *stage)
                        : is_question(*now, *stage) ? ask_again(*now, *stage)
                                                    : run_stage(parts_.ledger.edit(uuid), *stage);
      if (step == Step::wait) return go_on_later(uuid);
      stage_done(parts_.ledger.edit(uuid), *stage, Json());
    } catch (const std::exception& error) {
      fail(parts_.ledger, parts_.ledger.edit(uuid), error.what());
      return;
    }
  }
}

bool Jobs::awaits_stray(const Node& node, Stage stage) {
  if (stage != Stage::power_on && stage != Stage::start_disk) return false;
  const Stamp until = parts_.off_orders.stray_until(node, parts_.ledger.now());
  if (until == 0) return false;
  come_back(node.uuid, until);
  if (node.job.notes.awaits_stray) return true;
  Node& told = parts_.ledger.edit(node.uuid);
  told.job.notes.awaits_stray = true;
  parts_.ledger.record(told, "retry", OffOrders::why_it_waits(until));
  return true;
}

Jobs::Step Jobs::run_stage(Node& node, Stage stage) {
  switch (stage) {
    case Stage::check: return check(node);
    case Stage::finish: return finish(node);
    case Stage::wipe:
      node.instance_info = Json::object();
      release(parts_.ledger, node);
      node.internal.erase("deploy_finished");
      return Step::done;
    default: break;
  }
  return needs_agent(stage) ? agent_stage(node, stage) : power_stage(node, stage);
}

Jobs::Step Jobs::start(const Node& node, Stage stage, Work work) {
  const bool is_only = parts_.busy.try_emplace(node.uuid, parts_.ledger.now()).second;
  hearth::check(is_only, "one thing at a time is done for a node", "node", node.uuid, "stage", name(stage));
  pending_.push_back({node.uuid, node.job.started, stage, std::move(work), 0});
  return Step::wait;
}

void Jobs::dispatch() {
  std::vector<Pending> pending = std::exchange(pending_, {});
  Store& store = parts_.ledger.store();
  for (Pending& one : pending) {
    hearth::check(parts_.ledger.is_committed(), "work is handed out when what it follows from is durable", "node",
                  one.uuid, "stage", name(one.stage));
    const bool has_waited = one.number != 0;
    if (!has_waited) one.number = store.written();
    if (one.number > store.kept()) {
      pending_.push_back(std::move(one));
      continue;
    }
    const Node* const node = parts_.ledger.by_uuid(one.uuid);
    const bool is_its_own = node != nullptr && node->job.started == one.job && node->job.stage == one.stage;
    hearth::check(is_its_own || has_waited, "work is handed out at its own stage", "node", one.uuid, "stage",
                  name(one.stage));
    if (!is_its_own) {  // meanwhile it was broken off: what took its place has waited for it
      parts_.busy.erase(one.uuid);
      looked_ = 0;
      continue;
    }
    Work work = std::exchange(one.work, nullptr);
    parts_.workers.submit(std::move(work), [this, one](const Outcome& outcome) { finished(one, outcome); });
  }
}

void Jobs::drop_pending() {
  looked_ = 0;
  std::erase_if(pending_, [this](const Pending& one) {
    if (one.number == 0) parts_.busy.erase(one.uuid);
    return one.number == 0;
  });
}

void Jobs::finished(const Pending& what, const Outcome& outcome) {
  const bool was_busy = parts_.busy.erase(what.uuid) == 1;
  hearth::check(was_busy, "what has ended was under way", "node", what.uuid, "stage", name(what.stage));
  const Node* now = parts_.ledger.by_uuid(what.uuid);
  const bool stale = now == nullptr || now->job.started != what.job || now->job.stage != what.stage;
  if (stale) {
    looked_ = 0;  // what took its place has waited for it
    if (now != nullptr && !needs_agent(what.stage)) {
      Node& node = parts_.ledger.edit(what.uuid);
      parts_.off_orders.answered(node, parts_.ledger.now());
      if (outcome.good) keep_power(node, outcome.value);  // what was learnt of the machine is true nevertheless
    }
    return;
  }
  if (still_runs(*now, what.stage, outcome)) return;
  Node& node = parts_.ledger.edit(what.uuid);
  parts_.off_orders.answered(node, parts_.ledger.now());
  try {
    take_outcome(node, what.stage, outcome);
  } catch (
      const std::exception& error) {  // an agent may answer anything: it is this machine's fault, and nobody else's
    fail(parts_.ledger, node,
         cat("Failed to ", name(what.stage), ": what was answered makes no sense: ", error.what()));
  }
}

void Jobs::take_outcome(Node& node, Stage stage, const Outcome& outcome) {
  if (is_at_bmc(node, stage)) {
    bmc_step_answered(node, stage, outcome);
  } else if (needs_agent(stage)) {
    agent_answered(node, stage, outcome);
  } else if (!outcome.good) {
    retry_or_fail(node, stage, outcome);
  } else if (outcome.value.value("again", false)) {
    node.job.retry_at = parts_.ledger.now() + microseconds(Seconds(1));
  } else {
    stage_done(node, stage, outcome.value);
  }
}

void Jobs::retry_or_fail(Node& node, Stage stage, const Outcome& outcome) {
  const int allowed = stage == Stage::verify ? 0 : parts_.settings.retries;
  if (outcome.passing && node.job.attempt < allowed) {
    ++node.job.attempt;
    node.job.retry_at = parts_.ledger.now() + microseconds(parts_.settings.retry_interval * node.job.attempt);
    parts_.ledger.record(
        node, "retry",
        cat(name(stage), ": ", outcome.error, "; trying again (", node.job.attempt + 1, " of ", allowed + 1, ")"));
    return;
  }
  const std::string tries = node.job.attempt > 0 ? cat(" (tried ", node.job.attempt + 1, " times)") : "";
  fail(parts_.ledger, node, cat("Failed to ", name(stage), ": ", outcome.error, tries));
}

void Jobs::keep_power(Node& node, const Json& value) {
  if (!value.is_object() || !value.contains("power")) return;
  const Power before = std::exchange(node.power, value["power"] == 2 ? Power::on : Power::off);
  if (node.power != before) parts_.ledger.record(node, "power", text_of(power_json(node.power)));
}

void Jobs::stage_done(Node& node, Stage stage, const Json& value) {
  if (!node.job.running()) return;
  keep_power(node, value);
  if (value.is_object() && value.contains("firmware")) keep_firmware(parts_.ledger, node, value["firmware"]);
  if (stage == Stage::boot_network) node.boot_device = "pxe";
  if (stage == Stage::boot_disk) node.boot_device = "disk";
  if (stage != Stage::finish) enter(node, next_stage(flow(node), stage));
}

Jobs::Step Jobs::finish(Node& node) {
  Ledger& ledger = parts_.ledger;
  const JobKind kind = node.job.kind;
  node.last_error.clear();
  node.internal.erase(k_out_of_system);
  if (kind == JobKind::inspect) node.inspection_finished = ledger.now();
  if (kind == JobKind::deploy) node.internal["deploy_finished"] = stamp_json(ledger.now());
  if (kind == JobKind::undeploy) {
    apply(ledger, node, Happening::clean);
    Job job;
    job.kind = JobKind::clean;
    job.started = ledger.now();
    node.job = job;
    enter(node, flow(node).front());
    return Step::wait;
  }
  apply(ledger, node, kind == JobKind::clean_manual ? Happening::manage : Happening::done);
  node.job = {};
  hearth::check(kind_of(node.state) == StateKind::stable, "a job that is done leaves its node at rest", "node",
                node.uuid, "job", name(kind), "state", name(node.state));
  if (kind != JobKind::rescue) forget_agent(node);
  return Step::wait;
}

void Jobs::inspected(Node& node) { node.job.notes.data = parts_.ledger.now(); }

}  // namespace hearth::bootstrap
