#include "bootstrap/seed/stack_giving.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/text.hpp"
#include "bootstrap/node/node.hpp"

namespace hearth::bootstrap {

namespace {

constexpr const char* k_heat = "orchestration";
constexpr std::chrono::minutes k_longest_action{30};  ///< of Heat, with a stack of a thousand resources
constexpr const char* k_returns = "returns";
constexpr const char* k_returned = "returned";
constexpr std::int64_t k_not_read = -1;
constexpr const char* k_deleted = "DELETE_COMPLETE";  ///< of a stack that Heat tells of by its id only

/// In what was kept; it may be cut off behind that.
bool may_be_told(const GivenStack& stack) {
  return stack.step == "ready" || stack.step == "told" || stack.step == "there";
}

/// A config that brings a server's agent to the seed again.
Json way_home(const Json& server) {
  return {{"name", "hearth-handover"},
          {"group", "os-apply-config"},
          {"config", {{"os-collect-config", object_member(server, "os-collect-config")}}},
          {"inputs", Json::array()},
          {"outputs", Json::array()},
          {"options", Json::object()}};
}

bool is_gone(const GivingWorld::Answer& answer) { return answer.good() || answer.status == 404; }

/// Of an answer that tells of a stack.
std::string status_in(const GivingWorld::Answer& answer) {
  return text_in(object_member(answer.body, "stack"), "stack_status");
}

bool is_of(const GivenStack& stack, const std::string& deployment) {
  return std::any_of(stack.deployments.begin(), stack.deployments.end(),
                     [&](const GivenDeployment& one) { return one.id == deployment; });
}

std::string path_in(const Json& row, const std::string& rel) {
  for (const Json& link : list_member(row, "links")) {
    const std::string href = text_in(link, "href");
    if (text_in(link, "rel") == rel) return href.substr(std::min(href.find("/stacks/"), href.size()));
  }
  return "";
}

}  // namespace

Json StackGiving::asked(const std::string& method, const std::string& target, const Json& body,
                        const std::string& what) {
  GivingWorld::Answer answer = world_.ask_cloud(k_heat, method, target, body);
  if (answer.good()) return answer.body;
  throw Error(ErrorKind::external, cat("the cloud's Heat refuses to ", what, ": ", answer.words()))
      .hint("Mend it there, and run the same command again; --back returns what was given.");
}

Json StackGiving::deployments_on(const std::string& server) {
  return list_member(asked("GET", cat("/software_deployments?server_id=", server), Json(), "tell its deployments"),
                     "software_deployments");
}

std::string StackGiving::tag() const { return cat("hearth_handover-", journal_.id); }
std::string StackGiving::at_seed(const GivenStack& stack) const {
  return cat("/stacks/", percent_encode(stack.name), "/", stack.id);
}
std::string StackGiving::at_cloud(const GivenStack& stack) const {
  return cat("/stacks/", percent_encode(stack.name), "/", stack.cloud_id);
}

/// Both calls are off where nobody asked for them. What is no template is refused after that was looked at.
void StackGiving::look_at_abilities(std::vector<std::string>& faults) {
  const Json none = {
      {"template",
       {{"heat_template_version", "2016-10-14"}, {"resources", {{"none", {{"type", "Hearth::No::Such::Type"}}}}}}}};
  const GivingWorld::Answer adopts = world_.ask_cloud(
      k_heat, "POST", "/stacks", {{"stack_name", "hearth-handover"}, {"adopt_stack_data", format_json(none)}});
  if (adopts.words().find("Hearth::No::Such::Type") == std::string::npos)
    faults.push_back(
        cat("the cloud's Heat adopts no stacks: ", adopts.words(), "; set enable_stack_adopt = true in its heat.conf"));
  const GivingWorld::Answer abandons = world_.ask_cloud(
      k_heat, "DELETE", "/stacks/hearth-handover/00000000-0000-4000-8000-000000000000/abandon", Json());
  if (abandons.status != 404)
    faults.push_back(cat("the cloud's Heat gives no stack away, so --back could not return them: ", abandons.words(),
                         "; set enable_stack_abandon = true in its heat.conf"));
}

void StackGiving::look_at_one(const Json& row, std::vector<std::string>& faults) {
  GivenStack stack;
  stack.name = text_in(row, "stack_name");
  stack.id = text_in(row, "id");
  const Json exported = world_.ask_stacks("GET", cat(at_seed(stack), "/export"), Json());
  const Json known = world_.ask_stacks("GET", cat(at_seed(stack), "/given"), Json())["given"];
  std::vector<std::string> found = stack_faults(exported, known, world_.has("object-store"));
  const std::string owner = text_in(known, "to");
  if (!owner.empty() && owner != journal_.to) found.push_back(cat("stack ", stack.name, ": it was given to ", owner));
  const Json there = asked("GET", cat("/stacks?name=", percent_encode(stack.name)), Json(), "tell its stacks");
  if (!list_member(there, "stacks").empty())
    found.push_back(cat("stack ", stack.name, ": the cloud has one of that name already"));
  for (const Json& server : list_member(known, "servers")) {
    const std::string id = text_in(server, "id");
    if (!deployments_on(id).empty())
      found.push_back(cat("stack ", stack.name, ": the cloud has deployments for its server ", id, " already"));
    stack.agents.push_back({id, text_in(server, "name"), "", "", "", 0});
  }
  if (found.empty()) {
    Json body = stack_for_cloud(exported, Transport::own);
    body["stack_name"] = stack.name;
    const GivingWorld::Answer preview = world_.ask_cloud(k_heat, "POST", "/stacks/preview", body);
    if (!preview.good())
      found.push_back(cat("stack ", stack.name, ": the cloud's Heat takes no such stack: ", preview.words()));
  }
  std::move(found.begin(), found.end(), std::back_inserter(faults));
  journal_.stacks.push_back(std::move(stack));
}

void StackGiving::look(const std::set<std::string>& left, std::vector<std::string>& faults) {
  const Json all = world_.ask_stacks("GET", "/stacks", Json());
  std::vector<Json> going;
  for (const Json& row : list_member(all, "stacks")) {
    const bool stays = left.contains(text_in(row, "stack_name")) || left.contains(text_in(row, "id"));
    if (!stays) going.push_back(row);
  }
  if (going.empty()) return;
  if (!world_.has(k_heat)) {
    faults.emplace_back("the cloud's catalogue has no orchestration service, and the seed has stacks");
    return;
  }
  look_at_abilities(faults);
  for (const Json& row : going) look_at_one(row, faults);
}

std::string StackGiving::made_config(const Json& config, const std::string& what) {
  const Json made = asked("POST", "/software_configs", config, cat("keep the config of ", what));
  return text_in(object_member(made, "software_config"), "id");
}

/// A config without a deployment is no harm; a deployment would be served to its machine's agent.
void StackGiving::put_in_deployment(GivenStack& stack, const Json& row) {
  const Json& ran = object_member(row, "config");
  GivenDeployment made{text_in(row, "path"), text_in(row, "server_id"), text_in(ran, "id"), "", ""};
  made.config = made_config(config_for_cloud(ran), made.path);
  const Json& told = object_member(row, "output_values");
  Json body = {{"server_id", made.server},
               {"config_id", made.config},
               {"action", text_in(row, "action")},
               {"status", "COMPLETE"},
               {"status_reason", text_in(row, "status_reason", "Outputs received")},
               {"input_values", object_member(row, "input_values")}};
  const Json there = asked("POST", "/software_deployments", body, cat("keep the deployment ", made.path));
  made.id = text_in(object_member(there, "software_deployment"), "id");
  if (!told.empty())
    static_cast<void>(asked("PUT", cat("/software_deployments/", made.id), {{"output_values", told}},
                            cat("keep what ", made.path, " told")));
  stack.deployments.push_back(std::move(made));
}

void StackGiving::put_in_configs(GivenStack& stack, const Json& known) {
  for (const Json& row : list_member(known, "configs")) {
    const std::string path = text_in(row, "path");
    stack.configs[path] = made_config(config_for_cloud(object_member(row, "config")), path);
  }
  for (const Json& row : list_member(known, "deployments")) put_in_deployment(stack, row);
}

/// Heat answers before it has forgotten, and forgets none that it is still at work on.
void StackGiving::abandon(GivenStack& stack) {
  const Deadline deadline = Deadline::after(k_longest_action, clock_);
  bool is_asked = false;
  while (true) {
    GivingWorld::Answer answer =
        world_.ask_cloud(k_heat, "GET", cat(at_cloud(stack), "?resolve_outputs=False"), Json());
    const std::string status = status_in(answer);
    if (answer.status == 404 || status == k_deleted) break;
    if (answer.good() && !is_asked && !status.ends_with("_IN_PROGRESS")) {
      answer = world_.ask_cloud(k_heat, "DELETE", cat(at_cloud(stack), "/abandon"), Json());
      is_asked = true;
      if (is_gone(answer)) continue;
    }
    if (!answer.good() || (is_asked && status == "DELETE_FAILED") || deadline.passed(clock_.now()))
      throw Error(ErrorKind::external,
                  cat("the cloud's Heat keeps the stack ", stack.name, ": ", status, " ", answer.words()))
          .hint("Mend it there, and run the same command again.");
    world_.pause();
  }
  stack.cloud_id.clear();
  keep_();
}

/// What an attempt left that was cut off: nobody was told of any of it.
void StackGiving::clear(GivenStack& stack) {
  const Json there = asked("GET", cat("/stacks?name=", percent_encode(stack.name)), Json(), "tell its stacks");
  for (const Json& row : list_member(there, "stacks")) {
    const Json& tags = list_member(row, "tags");
    if (std::find(tags.begin(), tags.end(), Json(tag())) == tags.end())
      throw Error(ErrorKind::input, cat("the cloud's stack ", stack.name, " was not made by this handover"))
          .hint("Rename one of them, or leave the seed's: --leave STACK.");
    stack.cloud_id = text_in(row, "id");
    abandon(stack);
  }
  for (const GivenAgent& agent : stack.agents) {
    for (const Json& row : deployments_on(agent.server)) {
      // Before it is adopted all of them are of an attempt; from then on the journal has ours.
      if (!stack.step.empty() && !is_of(stack, text_in(row, "id"))) continue;
      for (const std::string& target :
           {cat("/software_deployments/", text_in(row, "id")), cat("/software_configs/", text_in(row, "config_id"))}) {
        if (const GivingWorld::Answer gone = world_.ask_cloud(k_heat, "DELETE", target, Json()); !is_gone(gone))
          throw Error(ErrorKind::external, cat("the cloud's Heat keeps ", target, ": ", gone.words()));
      }
    }
  }
  for (const auto& [path, id] : stack.configs)
    static_cast<void>(world_.ask_cloud(k_heat, "DELETE", cat("/software_configs/", id), Json()));
  stack.cloud_id.clear();
  stack.configs.clear();
  stack.deployments.clear();
}

void StackGiving::begin(GivenStack& stack) {
  static_cast<void>(world_.ask_stacks("PUT", cat(at_seed(stack), "/given"), {{"to", journal_.to}}));
  clear(stack);
  const Json known = world_.ask_stacks("GET", cat(at_seed(stack), "/given"), Json())["given"];
  put_in_configs(stack, known);
  keep_();
  const Json exported = world_.ask_stacks("GET", cat(at_seed(stack), "/export"), Json());
  const Json made = asked("POST", "/stacks", adoption(exported, known, stack, tag()), cat("adopt ", stack.name));
  stack.cloud_id = text_in(object_member(made, "stack"), "id");
  stack.step = "adopting";
  keep_();
}

/// The stack, once nothing is going on in it. Throws Error where `action` did not complete; empty: whatever it was.
Json StackGiving::settled(const GivenStack& stack, const std::string& action, const std::function<void()>& meanwhile) {
  const Deadline deadline = Deadline::after(k_longest_action, clock_);
  while (true) {
    const Json shown = object_member(
        asked("GET", cat(at_cloud(stack), "?resolve_outputs=False"), Json(), cat("tell of ", stack.name)), "stack");
    const std::string status = text_in(shown, "stack_status");
    const bool is_before = action == "UPDATE" && status == "ADOPT_COMPLETE";  // it was only just asked to
    const bool is_done = !status.ends_with("_IN_PROGRESS") && !is_before;
    if (is_done && (action.empty() || status == cat(action, "_COMPLETE"))) return shown;
    if (is_done || deadline.passed(clock_.now()))
      throw Error(ErrorKind::external,
                  cat("the cloud's stack ", stack.name, " is ", status, ": ", text_in(shown, "stack_status_reason")))
          .hint("No agent was told of it. Look at Heat's log; --back takes the stack away there.");
    if (meanwhile) meanwhile();
    world_.pause();
  }
}

/// What agents get there, by server.
std::map<std::string, Json> StackGiving::documents(const GivenStack& stack) {
  const Json all = asked("GET", cat(at_cloud(stack), "/resources?nested_depth=50"), Json(), "tell its resources");
  std::map<std::string, Json> found;
  for (const GivenAgent& agent : stack.agents) {
    for (const Json& row : list_member(all, "resources")) {
      if (text_in(row, "physical_resource_id") != agent.server ||
          text_in(row, "resource_type") != "OS::Heat::DeployedServer")
        continue;
      const Json answer = asked("GET", cat(path_in(row, "self"), "/metadata"), Json(), cat("tell of ", agent.name));
      found[agent.server] = object_member(answer, "metadata");
    }
    if (!found.contains(agent.server))
      throw Error(ErrorKind::external,
                  cat("the cloud's stack ", stack.name, " has no server ", agent.name, " (", agent.server, ")"))
          .hint("--back takes the stack away there.");
  }
  return found;
}

/// Before anybody is told: nothing is served there that its machine would run.
void StackGiving::require_kept(const GivenStack& stack, const std::map<std::string, Json>& documents) const {
  for (const auto& [server, document] : documents) {
    const Json ran = ran_on(stack, server);
    std::set<std::string> known;
    for (const auto& [id, there] : ran.items()) known.insert(there.get<std::string>());
    for (const Json& entry : list_member(document, "deployments")) {
      if (known.contains(text_in(entry, "id")) || text_in(entry, "name") == "hearth-handover") continue;
      throw Error(ErrorKind::external, cat("the cloud's Heat made the deployment ", text_in(entry, "name"),
                                           " of stack ", stack.name, " anew, and it would run again"))
          .hint("Heat with convergence_engine = true does not. No agent was told of it: --back takes the stack away.");
    }
  }
}

void StackGiving::change_transport(GivenStack& stack) {
  // Cut off before the next step was kept, it has been asked to already.
  if (text_in(settled(stack, ""), "stack_status") != "UPDATE_COMPLETE") {
    static_cast<void>(settled(stack, "ADOPT"));
    const Json exported = world_.ask_stacks("GET", cat(at_seed(stack), "/export"), Json());
    Json body = stack_for_cloud(exported, Transport::own);
    body["tags"] = tag();
    body["disable_rollback"] = true;
    static_cast<void>(asked("PUT", at_cloud(stack), body, cat("make credentials for the servers of ", stack.name)));
  }
  stack.step = "adopted";
  keep_();
}

void StackGiving::instruct(GivenStack& stack, GivenAgent& agent, const Json& config) {
  if (!agent.deployment.empty()) return;
  forget_instruction(agent);  // of an attempt that was cut off
  agent.config = made_config(config, agent.name);
  keep_();
  const Json made = asked("POST", "/software_deployments",
                          {{"server_id", agent.server},
                           {"config_id", agent.config},
                           {"action", "CREATE"},
                           {"status", "COMPLETE"},
                           {"status_reason", cat("for the handover of ", stack.name)}},
                          cat("instruct ", agent.name));
  agent.deployment = text_in(object_member(made, "software_deployment"), "id");
  keep_();
}

/// Cut off, the deployment may be there and not in the journal, but its config is.
void StackGiving::forget_instruction(GivenAgent& agent) {
  if (agent.config.empty()) return;
  std::vector<std::string> going;
  for (const Json& row : deployments_on(agent.server)) {
    if (text_in(row, "config_id") == agent.config) going.push_back(cat("/software_deployments/", text_in(row, "id")));
  }
  going.push_back(cat("/software_configs/", agent.config));
  for (const std::string& target : going) {
    if (const GivingWorld::Answer gone = world_.ask_cloud(k_heat, "DELETE", target, Json()); !is_gone(gone))
      throw Error(ErrorKind::external,
                  cat("the cloud's Heat keeps the instruction of ", agent.name, ": ", gone.words()))
          .hint("Mend it there, and run the same command again.");
  }
  agent.deployment.clear();
  agent.config.clear();
  keep_();
}

void StackGiving::tell(GivenStack& stack) {
  const Json known = world_.ask_stacks("GET", cat(at_seed(stack), "/given"), Json())["given"];
  std::map<std::string, Json> arrivals;
  for (const Json& server : list_member(known, "servers")) arrivals[text_in(server, "id")] = server["arrival"];
  for (GivenAgent& agent : stack.agents) instruct(stack, agent, arrivals[agent.server]);
  Json agents = Json::object();
  for (const auto& [server, document] : documents(stack))
    agents[server] = {{"ran", ran_on(stack, server)},
                      {"os-collect-config", document.value("os-collect-config", Json())}};
  static_cast<void>(world_.ask_stacks("PUT", cat(at_seed(stack), "/given"), {{"to", journal_.to}, {"agents", agents}}));
  stack.step = "told";
  keep_();
  world_.tell(cat("stack ", stack.name, " is the cloud's: ", stack.deployments.size(), " deployments, ",
                  stack.agents.size(), " agents are told"));
}

void StackGiving::give() {
  for (GivenStack& stack : journal_.stacks) {
    if (stack.step.empty()) begin(stack);
    if (stack.step == "adopting") change_transport(stack);
    if (stack.step == "adopted") {
      const auto look = [&] { require_kept(stack, documents(stack)); };
      const Json shown = settled(stack, "UPDATE", look);
      look();
      stack.updated = text_in(shown, "updated_time");
      stack.step = "ready";
      keep_();
    }
    if (stack.step == "ready") tell(stack);
  }
}

void StackGiving::read_states(GivenStack& stack) {
  const Json known = world_.ask_stacks("GET", cat(at_seed(stack), "/given"), Json())["given"];
  for (const Json& server : list_member(known, "servers")) {
    for (GivenAgent& agent : stack.agents) {
      if (agent.server == text_in(server, "id")) agent.state = text_in(server, "state");
    }
  }
}

std::vector<std::string> StackGiving::behind() const {
  std::vector<std::string> names;
  for (const GivenStack& stack : journal_.stacks) {
    for (const GivenAgent& agent : stack.agents) {
      if (agent.state != "follows") names.push_back(agent.name);
    }
  }
  return names;
}

void StackGiving::follow(Duration patience) {
  const Deadline deadline = Deadline::after(patience, clock_);
  while (true) {
    for (GivenStack& stack : journal_.stacks) {
      if (stack.step != "told") continue;
      read_states(stack);
      for (GivenAgent& agent : stack.agents) {
        if (agent.state == "follows") forget_instruction(agent);
      }
      const auto follows = [](const GivenAgent& agent) { return agent.state == "follows"; };
      if (std::all_of(stack.agents.begin(), stack.agents.end(), follows)) stack.step = "there";
      keep_();
    }
    if (behind().empty() || deadline.passed(clock_.now())) return;
    world_.pause();
  }
}

void StackGiving::use_in_cloud(std::vector<std::string>& used) {
  for (const GivenStack& stack : journal_.stacks) {
    if (stack.updated.empty() || stack.cloud_id.empty() || stack.step == k_returned) continue;
    const GivingWorld::Answer answer =
        world_.ask_cloud(k_heat, "GET", cat(at_cloud(stack), "?resolve_outputs=False"), Json());
    const bool is_there = answer.status != 404 && status_in(answer) != k_deleted;
    if (!is_there && stack.step == k_returns) continue;  // forgotten, and that was not kept
    if (!is_there) {
      used.push_back(cat("stack ", stack.name, " is not there, or not for who asks"));
    } else if (!answer.good()) {
      used.push_back(cat("stack ", stack.name, ": ", answer.words()));
    } else if (text_in(object_member(answer.body, "stack"), "updated_time") != stack.updated) {
      used.push_back(cat("stack ", stack.name, " was changed there"));
    }
    for (const GivenAgent& agent : stack.agents) {
      for (const Json& row : deployments_on(agent.server)) {
        if (!is_of(stack, text_in(row, "id")) && text_in(row, "config_id") != agent.config)
          used.push_back(
              cat("stack ", stack.name, ": ", agent.name, " has another deployment there, ", text_in(row, "id")));
      }
    }
  }
}

/// In what they get there stands that they are to ask the seed; which serves them, as before. One that is only to mark
/// may be told in this moment: it is instructed, too.
void StackGiving::call_back(GivenStack& stack) {
  if (may_be_told(stack)) {
    read_states(stack);
    const Json known = world_.ask_stacks("GET", cat(at_seed(stack), "/given"), Json())["given"];
    for (const Json& server : list_member(known, "servers")) {
      for (GivenAgent& agent : stack.agents) {
        if (agent.server != text_in(server, "id")) continue;
        forget_instruction(agent);
        if (!agent.state.empty()) instruct(stack, agent, way_home(server));
        agent.state = agent.state.empty() ? k_returned : k_returns;
        agent.last_poll = k_not_read;
      }
    }
    stack.step = k_returns;
    keep_();
  }
  static_cast<void>(world_.ask_stacks("DELETE", cat(at_seed(stack), "/given"), Json()));
  const Json known = world_.ask_stacks("GET", cat(at_seed(stack), "/given"), Json())["given"];
  for (const Json& server : list_member(known, "servers")) {
    for (GivenAgent& agent : stack.agents) {
      if (agent.server == text_in(server, "id") && agent.last_poll == k_not_read)
        agent.last_poll = server.value("last_poll", std::int64_t{0});
    }
  }
  keep_();
}

/// Who has asked the seed since.
std::vector<std::string> StackGiving::still_away(const std::set<std::string>& lost) {
  std::vector<std::string> away;
  for (GivenStack& stack : journal_.stacks) {
    if (stack.step != k_returns) continue;
    const Json known = world_.ask_stacks("GET", cat(at_seed(stack), "/given"), Json())["given"];
    for (const Json& server : list_member(known, "servers")) {
      const std::int64_t polled = server.value("last_poll", std::int64_t{0});
      for (GivenAgent& agent : stack.agents) {
        if (agent.server == text_in(server, "id") && polled != 0 && polled != agent.last_poll) agent.state = k_returned;
      }
    }
    for (const GivenAgent& agent : stack.agents) {
      if (agent.state != k_returned && !lost.contains(agent.name)) away.push_back(agent.name);
    }
  }
  return away;
}

void StackGiving::forget(GivenStack& stack) {
  if (!stack.cloud_id.empty()) abandon(stack);
  for (GivenAgent& agent : stack.agents) forget_instruction(agent);
  clear(stack);
  stack.step = k_returned;
  keep_();
  world_.tell(cat("stack ", stack.name, " is the seed's again"));
}

void StackGiving::back(const std::set<std::string>& lost, Duration patience) {
  for (GivenStack& stack : journal_.stacks) {
    if (stack.step != k_returned) call_back(stack);
  }
  const Deadline deadline = Deadline::after(patience, clock_);
  for (std::vector<std::string> away = still_away(lost); !away.empty(); away = still_away(lost)) {
    if (deadline.passed(clock_.now()))
      throw Error(ErrorKind::external, cat("these agents have not come back to the seed yet: ", join(away, ", ")))
          .hint(
              "The cloud goes on telling them to. Run the same command again; of a machine that is lost: --leave "
              "NAME.");
    world_.pause();
  }
  for (GivenStack& stack : journal_.stacks) {
    if (stack.step != k_returned) forget(stack);
  }
}

void StackGiving::make_final() {
  for (const GivenStack& stack : journal_.stacks) {
    try {
      const Json known = world_.ask_stacks("GET", cat(at_seed(stack), "/given"), Json())["given"];
      if (text_in(known, "to") != journal_.to || known.value("for_good", false)) continue;
      static_cast<void>(
          world_.ask_stacks("PUT", cat(at_seed(stack), "/given"), {{"to", journal_.to}, {"for_good", true}}));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::not_found) throw;  // else the seed has forgotten it already
    }
  }
}

void StackGiving::leave(GivenStack& stack) {
  if (may_be_told(stack))
    throw Error(ErrorKind::input, cat("--leave ", stack.name, ": it is the cloud's already"))
        .hint("--back returns all that was given.");
  clear(stack);
  static_cast<void>(world_.ask_stacks("DELETE", cat(at_seed(stack), "/given"), Json()));
  world_.tell(cat("stack ", stack.name, " stays with the seed"));
}

}  // namespace hearth::bootstrap
