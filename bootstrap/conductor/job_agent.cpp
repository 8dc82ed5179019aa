// The stages of a job in which the deploy ramdisk's agent gets its orders.
#include <boost/filesystem/directory.hpp>

#include <algorithm>

#include "base/check.hpp"
#include "base/hmac.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "bootstrap/conductor/agent_log.hpp"
#include "bootstrap/conductor/bmc_steps.hpp"
#include "bootstrap/conductor/deploy_steps.hpp"
#include "bootstrap/conductor/image_order.hpp"
#include "bootstrap/conductor/jobs.hpp"
#include "bootstrap/node/shown.hpp"

namespace hearth::bootstrap {

namespace {

Outcome fault_outcome(const AgentFault& fault) {
  const bool passing = fault.reason() == AgentFault::Reason::unreachable || fault.reason() == AgentFault::Reason::busy;
  return {false, passing, fault.reason() == AgentFault::Reason::busy, fault.what(), {}};
}

Work guarded(std::function<Json()> body) {
  return [body = std::move(body)]() -> Outcome {
    try {
      return {true, false, false, "", body()};
    } catch (const AgentFault& fault) {
      return fault_outcome(fault);
    } catch (const std::exception& error) {
      return {false, false, false, error.what(), {}};
    }
  };
}

const Json* command_with(const Json& commands, const std::string& id) {
  for (const Json& row : commands) {
    if (text_in(row, "id") == id) return &row;
  }
  return nullptr;
}

/// Of the BMC's own: what an agent does not know it says itself.
std::string asked_steps_fault(const Node& node) {
  for (const Json& step : node.job.notes.steps) {
    const std::string fault = is_bmc_step(node, step) ? bmc_step_fault(node, step_kind(node.job.kind), step) : "";
    if (!fault.empty()) return fault;
  }
  return "";
}

constexpr std::size_t k_logs_of_a_node = 5;

/// Their names sort by time: "UUID-MICROSECONDS.tar.gz".
void forget_old_logs(const fs::path& directory, const std::string& uuid) {
  std::vector<fs::path> logs;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(cat(uuid, "-")) && name.ends_with(".tar.gz")) logs.push_back(entry.path());
  }
  std::sort(logs.begin(), logs.end());
  for (std::size_t at = 0; at + k_logs_of_a_node < logs.size(); ++at) fs::remove(logs[at]);
}

}  // namespace

void forget_agent(Node& node) {
  for (const char* key : {"agent_url", "agent_secret_token", "agent_last_heartbeat", "agent_version", "agent_verify_ca",
                          "agent_cached_deploy_steps", "hardware_manager_version", k_told_root}) {
    node.internal.erase(key);
  }
  node.job.notes.agent = 0;
}

void Jobs::agent_called(Node& node) {
  node.job.notes.heard = parts_.ledger.now();
  node.job.notes.agent = parts_.ledger.now();
  node.job.notes.booting = false;
  node.job.retry_at = 0;  // it may have something to tell
  asked_.erase(node.uuid);
}

AgentAddress Jobs::address_of(const Node& node) const {
  AgentAddress agent{text_in(node.internal, "agent_url"), text_in(node.internal, "agent_secret_token"), ""};
  const std::string certificate = text_in(node.internal, "agent_verify_ca");
  if (certificate.empty()) return agent;
  const fs::path file = parts_.directory / cat(node.uuid, ".pem");
  if (RealFileSystem files; files.read(file) != certificate)  // another seed has heard it
    files.write(file, certificate, {.mode = 0600, .uid = {}, .gid = {}});
  agent.ca_file = file.string();
  return agent;
}

/// Who has begun to serve does not know when others were answered last.
Stamp Jobs::heard_of(const Node& node) const {
  const Job& job = node.job;
  const auto asked = asked_.find(node.uuid);
  const Stamp told = asked != asked_.end() && asked->second.job == job.started ? asked->second.heard : 0;
  return std::max({job.notes.heard, job.stage_since, told, job.started < began_ ? began_ : 0});
}

bool Jobs::is_mute(const Node& node) const {
  return parts_.ledger.now() - heard_of(node) >
         microseconds(own_or(node, "agent_silence_timeout", parts_.settings.agent_silence_timeout));
}

bool Jobs::is_question(const Node& node, Stage stage) const {
  return needs_agent(stage) && !node.job.notes.command.empty() && !is_at_bmc(node, stage) && !is_mute(node);
}

Jobs::Step Jobs::ask_again(const Node& node, Stage stage) {
  const std::string command = node.job.notes.command;
  const auto asked = asked_.find(node.uuid);
  if (asked != asked_.end() && asked->second.job == node.job.started && asked->second.command == command) {
    const Stamp left = asked->second.again - parts_.ledger.now();
    if (left > 0 && left <= microseconds(parts_.settings.poll_interval)) {
      come_back(node.uuid, asked->second.again);
      return Step::wait;
    }
  }
  const Order order = order_of(stage, node, shown_to_agent(node), shown_ports(node));
  return start(node, stage, guarded([client = &parts_.agents, agent = address_of(node), command, order]() -> Json {
                 const Json commands = client->commands(agent);
                 const Json* row = command_with(commands, command);
                 if (row == nullptr) row = find_order(commands, order);
                 return row == nullptr ? Json{{"lost", true}} : *row;
               }));
}

bool Jobs::still_runs(const Node& node, Stage stage, const Outcome& outcome) {
  const std::string command = node.job.notes.command;
  if (!needs_agent(stage) || is_at_bmc(node, stage) || !outcome.good || !outcome.value.is_object() || command.empty() ||
      node.job.attempt != 0 || text_in(outcome.value, "id") != command || command_status(outcome.value) != "RUNNING")
    return false;
  const Stamp now = parts_.ledger.now();
  const Stamp again = now + microseconds(parts_.settings.poll_interval);
  asked_[node.uuid] = {node.job.started, command, now, again};
  come_back(node.uuid, again);
  const auto told = outcome.value.find("command_result");
  if (told != outcome.value.end() && told->is_object() && told->contains("progress"))
    parts_.ledger.passing(node.uuid).progress = (*told)["progress"];
  return true;
}

void Jobs::spread(Node& node, Json& image) {
  node.internal.erase(k_told_root);
  if (const auto frames = frames_of(parts_.ledger.documents("image/"), node)) {
    order_frames(image, *frames);
    node.internal[k_told_root] = frames->root;
  }
  image["peers"] = spreading_.peers_of_order(node);
}

Jobs::Step Jobs::agent_stage(Node& node, Stage stage) {
  Job& job = node.job;
  const Json step = is_steps(stage) ? current_step(stage, node) : Json();
  if (is_steps(stage) && step.is_null()) return Step::done;
  if (is_bmc_step(node, step)) return bmc_step(node, stage, step);
  if (is_mute(node)) {
    fail(parts_.ledger, node,
         cat("The agent of node ", node.uuid, " has not answered since ", text_of(stamp_json(heard_of(node))), " (",
             name(stage), "): look at the machine's console, then deploy again"));
    return Step::wait;
  }
  Order order = order_of(stage, node, shown_to_agent(node), shown_ports(node));
  if (stage == Stage::write_image) spread(node, order.params["step"]["args"]["image_info"]);
  const AgentAddress agent = address_of(node);
  AgentClient* client = &parts_.agents;
  const bool look = job.sent;
  job.sent = true;
  return start(node, stage, guarded([client, agent, order, look]() -> Json {
                 if (look) {
                   const Json commands = client->commands(agent);
                   if (const Json* row = find_order(commands, order)) return *row;
                 }
                 return client->run(agent, order);
               }));
}

void Jobs::agent_answered(Node& node, Stage stage, const Outcome& outcome) {
  Job& job = node.job;
  const Stamp now = parts_.ledger.now();
  if (stage == Stage::leave && !outcome.good && (job.attempt > 0 || !outcome.passing)) {
    stage_done(node, stage, Json());  // it may well be gone already
    return;
  }
  if (!outcome.good && outcome.passing) {
    ++job.attempt;
    job.retry_at = now + microseconds(parts_.settings.poll_interval);
    if (outcome.busy) job.notes.heard = now;
    if (job.attempt == 1) parts_.ledger.record(node, "retry", cat(name(stage), ": ", outcome.error, "; trying again"));
    return;
  }
  if (!outcome.good) {
    fail(parts_.ledger, node, cat("Failed to ", name(stage), ": ", outcome.error));
    return;
  }
  job.attempt = 0;
  job.notes.heard = now;
  if (outcome.value.value("lost", false)) {
    start_over(node, "its agent knows nothing of the order any more: the machine has restarted");
    return;
  }
  const std::string status = command_status(outcome.value);
  if (status == "RUNNING") {
    job.notes.command = text_in(outcome.value, "id");
    job.retry_at = now + microseconds(parts_.settings.poll_interval);
    const Json progress = outcome.value.value("command_result", Json());
    if (progress.is_object() && progress.contains("progress")) node.progress = progress["progress"];
    return;
  }
  command_done(node, stage, outcome.value);
}

void Jobs::command_done(Node& node, Stage stage, const Json& record) {
  const std::string status = command_status(record);
  const Order order = order_of(stage, node, Json(), Json());
  if (status != "SUCCEEDED" && !order.optional) {
    collect_logs(node);
    fail(parts_.ledger, node,
         cat("Agent returned error for ", name(stage), " on node ", node.uuid, ": ", command_error(record)));
    return;
  }
  const Json result = record.value("command_result", Json());
  if (stage == Stage::get_steps && !take_steps(node, result)) return;
  if (stage == Stage::partition_ids) node.job.notes.partition_ids = result;
  if (stage == Stage::write_image) {
    parts_.ledger.record(
        node, "agent", cat("image written: ", text_in(result, "result", text_in(node.instance_info, "image_source"))));
  }
  if (is_steps(stage)) return step_done(node, stage);
  stage_done(node, stage, Json());
}

void Jobs::step_done(Node& node, Stage stage) {
  const std::size_t index = node.job.notes.step;
  hearth::check(index < steps_of(stage, node).size(), "a step that is done was one of the job's", "node", node.uuid,
                "stage", name(stage), "step", index);
  parts_.ledger.record(node, "agent", cat("step done: ", text_in(current_step(stage, node), "step")));
  node.job.notes.step = index + 1;
  node.job.notes.command.clear();
  node.job.sent = false;
  node.job.attempt = 0;
  if (index + 1 < steps_of(stage, node).size()) return;
  node.job.notes.step = 0;
  stage_done(node, stage, Json());
}

bool Jobs::plan_deployment(Node& node, const Json& offered) {
  std::vector<Json> templates;
  const Json traits = node.instance_info.value("traits", Json::array());
  for (Json& one : parts_.ledger.documents("deploy_templates/")) {
    if (std::find(traits.begin(), traits.end(), Json(text_in(one, "name"))) != traits.end())
      templates.push_back(std::move(one));
  }
  Json known = bmc_steps(node, "deploy");
  known.insert(known.end(), offered.begin(), offered.end());
  StepPlan plan = plan_steps(node, known, templates, node.job.arguments.value("deploy_steps", Json()));
  if (!plan.fault.empty()) {
    fail(parts_.ledger, node, plan.fault);
    return false;
  }
  node.job.notes.plan = std::move(plan.steps);
  return true;
}

bool Jobs::take_steps(Node& node, const Json& result) {
  if (!result.is_object()) return node.job.kind != JobKind::deploy || plan_deployment(node, Json::array());
  node.internal["hardware_manager_version"] = result.value("hardware_manager_version", Json::object());
  Json steps = Json::array();
  for (const char* key : {"clean_steps", "deploy_steps", "service_steps"}) {
    if (!result.contains(key) || !result[key].is_object()) continue;
    for (const auto& [manager, rows] : result[key].items()) {
      for (const Json& row : rows) {
        if (!is_bmc_step(node, row)) steps.push_back(row);  // what its BMC is told is for people to say
      }
    }
  }
  if (node.job.kind == JobKind::deploy) {
    node.internal["agent_cached_deploy_steps"] = {{"deploy", steps}};
    return plan_deployment(node, steps);
  }
  const char* own = node.job.kind == JobKind::service ? "service_steps" : "clean_steps";
  if (node.job.kind != JobKind::clean) {
    node.job.notes.steps = node.job.arguments.value(own, Json::array());
    const std::string fault = asked_steps_fault(node);
    if (!fault.empty()) fail(parts_.ledger, node, fault);
    return fault.empty();
  }
  Json chosen = Json::array();
  for (const Json& step : steps) {
    if (step.value("priority", 0) > 0) chosen.push_back(step);
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const Json& a, const Json& b) { return a.value("priority", 0) > b.value("priority", 0); });
  node.job.notes.steps = chosen;
  return true;
}

void Jobs::collect_logs(const Node& node) {
  AgentClient* client = &parts_.agents;
  const AgentAddress agent = address_of(node);
  const fs::path file = parts_.directory / cat(node.uuid, "-", parts_.ledger.now(), ".tar.gz");
  const std::string uuid = node.uuid;
  const auto fetch = [client, agent, file, uuid]() -> Json {
    const Json record = client->run(agent, {"log.collect_system_logs", Json::object(), true, true});
    const std::string logs = text_in(record.value("command_result", Json::object()), "system_logs");
    const std::optional<std::string> bytes = base64_decode(logs);
    if (!bytes || bytes->empty()) return Json();
    RealFileSystem().write(file, *bytes, {.mode = 0600, .uid = {}, .gid = {}});
    forget_old_logs(file.parent_path(), uuid);
    return {{"file", file.string()}, {"text", agent_log_text(*bytes)}};
  };
  const bool is_only =
      parts_.busy.try_emplace(uuid, parts_.ledger.now()).second;  // nobody switches it off before its logs are here
  hearth::check(is_only, "logs are fetched when nothing else is done for their node", "node", uuid);
  parts_.workers.submit(guarded(fetch), [this, uuid](const Outcome& outcome) {
    const bool was_busy = parts_.busy.erase(uuid) == 1;
    hearth::check(was_busy, "the fetching of logs that has ended was under way", "node", uuid);
    const Node* now = parts_.ledger.by_uuid(uuid);
    if (now == nullptr || !outcome.good || !outcome.value.is_object()) return;
    parts_.ledger.store().put_document(
        cat("agent-log/", uuid), {{"at", stamp_json(parts_.ledger.now())}, {"text", text_in(outcome.value, "text")}});
    parts_.ledger.record(
        *now, "agent",
        cat("the agent's logs are in ", text_in(outcome.value, "file"), " (hearth node log ", now->title(), ")"));
  });
}

void Jobs::start_over(Node& node, const std::string& why) {
  const int restarts = node.job.notes.restarts;
  if (node.job.kind != JobKind::deploy || restarts >= parts_.settings.restarts) {
    fail(parts_.ledger, node, cat("Node ", node.title(), " can't be finished: ", why));
    return;
  }
  parts_.ledger.record(node, "restart", cat("starting over: ", why));
  node.job.notes = {.restarts = restarts + 1};
  forget_agent(node);
  enter(node, node.info("manual_agent_reboot").empty() && node.driver != "manual-management" ? Stage::power_off
                                                                                             : Stage::await_agent);
}

void Jobs::booted_again(Node& node) {
  const std::optional<Stage> stage = node.job.stage;
  if (!node.job.running() || !stage) return;
  if (*stage == Stage::await_agent && node.internal.contains("agent_secret_token")) {
    parts_.ledger.record(node, "agent", "the machine boots once more; its next agent gets a token of its own");
    forget_agent(node);
    return;
  }
  if (!needs_agent(*stage) || *stage == Stage::leave) return;
  if (is_at_bmc(node, *stage)) {  // many start the machine themselves for what they were told
    parts_.ledger.record(node, "boot", "the machine starts anew while its BMC is at work");
    forget_agent(node);
    return enter(node, Stage::await_agent);
  }
  if (node.job.kind != JobKind::deploy || node.job.notes.restarts >= parts_.settings.restarts) {
    fail(parts_.ledger, node, "the machine booted again in the middle of the work (power loss?)");
    return;
  }
  parts_.ledger.record(node, "restart",
                       "the machine booted again in the middle of the work (power loss?); starting over");
  node.job.notes = {.restarts = node.job.notes.restarts + 1};
  forget_agent(node);
  enter(node, Stage::await_agent);
}

}  // namespace hearth::bootstrap
