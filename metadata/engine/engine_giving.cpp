// A stack that is given to another service (`hearth seed handover`): nothing of it changes here any more, but its
// agents are served until they ask there. What ran here has other ids there, so an agent first marks those as run; only
// then is it told where to ask. That it does, it signals itself: by an entry in the document that it gets there.
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "metadata/engine/engine.hpp"
#include "metadata/engine/given_words.hpp"
#include "metadata/engine/records_json.hpp"
#include "metadata/engine/step_around.hpp"

namespace hearth::metadata::live {

namespace {

constexpr std::size_t k_longest_reason = 300;

Json input(const char* name, const std::string& value) {
  return {{"name", name}, {"type", "String"}, {"value", value}};
}

bool is_config(const std::string& type) {
  return type == "OS::Heat::SoftwareConfig" || type == "OS::Heat::StructuredConfig";
}

/// Of a config resource, as POST …/software_configs takes it.
Json config_of(const ResourceRecord& resource, const StackRecord& home, const Json& properties) {
  const auto given = [&](const char* key, Json otherwise) {
    const Json& value = member_or_null(properties, key);
    return value.is_null() ? std::move(otherwise) : value;
  };
  const bool is_structured = resource.type == "OS::Heat::StructuredConfig";
  return {{"name", cat(home.name, "-", resource.name)},
          {"group", given("group", is_structured ? "os-apply-config" : "Heat::Ungrouped")},
          {"config", given("config", is_structured ? Json::object() : Json(""))},
          {"inputs", given("inputs", Json::array())},
          {"outputs", given("outputs", Json::array())},
          {"options", given("options", Json::object())}};
}

Json deployment_of(const ResourceRecord& resource, const std::string& server) {
  const DeploymentState& state = resource.deployment;
  return {{"path", resource.path},
          {"id", resource.physical_id},
          {"server_id", server},
          {"action", std::string(word(state.action))},
          {"status_reason", state.reason},
          {"input_values", state.input_values},
          {"output_values", state.output_values},
          {"config", state.derived.empty() ? Json() : kept_json(state.derived, "a derived config")}};
}

}  // namespace

void Engine::require_ours(const LiveTree& live) const {
  const Json& to = member_or_null(live.tree.body, k_given_to);
  if (!to.is_string()) return;
  throw EngineError("ActionInProgress",
                    cat("The Stack ", live.tree.name, " was given to ", to.get<std::string>(),
                        live.tree.body.contains(k_given_for_good)
                            ? " for good, which alone changes it now. `hearth stack abandon` forgets it here."
                            : ", which alone changes it now. `hearth seed handover --back` takes it back, as long as "
                              "that is not final."));
}

void Engine::give(const std::string& id, const std::string& to, const Json& agents, bool for_good) {
  LiveTree& live = *find(id).live;
  require_idle(live);
  const Json& owner = member_or_null(live.tree.body, k_given_to);
  if (owner.is_string() && owner != to) require_ours(live);
  change(live, [&](LiveTree& mine, StepAround& around) {
    Changes changes;
    mine.tree.body[k_given_to] = to;
    if (for_good) mine.tree.body[k_given_for_good] = true;
    changes.definition = true;
    for (std::size_t i = 0; i < mine.tree.resources().size(); ++i) {
      const ResourceRecord& row = mine.tree.resource(i);
      if (row.gone || row.role != Role::server || !agents.contains(row.physical_id)) continue;
      const Json& told = agents[row.physical_id];
      const GivenServer& former = row.data.given;
      const Json ways = told.value("os-collect-config", Json::object());
      const Json ran = told.value("ran", Json::object());
      if (former.is_given() && former.ran == ran && former.os_collect_config == ways) continue;
      mine.tree.own_resource(i).data.given = {random_uuid(), ran, ways, ran.empty() ? k_told : k_to_mark, ""};
      changes.servers.insert(i);
      around.breathe();
    }
    return changes;
  });
}

void Engine::take_back(const std::string& id) {
  LiveTree& live = *find(id).live;
  if (live.tree.body.contains(k_given_for_good)) require_ours(live);
  change(live, [&](LiveTree& mine, StepAround& around) {
    Changes changes;
    mine.tree.body.erase(k_given_to);
    changes.definition = true;
    for (std::size_t i = 0; i < mine.tree.resources().size(); ++i) {
      if (!mine.tree.resource(i).data.given.is_given()) continue;
      mine.tree.own_resource(i).data.given = {};
      changes.servers.insert(i);
      around.breathe();
    }
    return changes;
  });
}

/// An entry of a server's metadata that runs a script and signals us, by the server's own key.
Json Engine::signalling_entry(const StackTree& tree, const ResourceRecord& server, const std::string& output,
                              const std::string& script) const {
  const AgentAccess way = credentials_.access(tree.project, tree.stack(server.stack), server, server.data.key);
  const std::int64_t since = server.data.modified;
  return {{"name", k_mark_name},
          {"group", "script"},
          {"creation_time", iso_time(since)},
          {"config", cat(script, "echo -n yes >\"$heat_outputs_path.", output, "\"\n")},
          {"options", Json::object()},
          {"inputs",
           {input("deploy_server_id", server.physical_id), input("deploy_action", "CREATE"),
            input("deploy_signal_transport", "CFN_SIGNAL"),
            input("deploy_signal_id", way.signed_url("signal", iso_time(since))), input("deploy_signal_verb", "POST")}},
          {"outputs", Json::array({{{"name", output}, {"type", "String"}}})}};
}

/// What has not run on that machine is not marked.
Json Engine::mark_entry(const StackTree& tree, const ResourceRecord& server) const {
  const GivenServer& given = server.data.given;
  std::string script =
      "#!/bin/sh\nset -eu\ncd \"${HEAT_CONFIG_DEPLOYED:-/var/lib/heat-config/deployed}\"\nwhile read -r ran as; do\n"
      "  [ -e \"$ran.json\" ] || continue\n  cp -p \"$ran.json\" \".$as\"\n  mv \".$as\" \"$as.json\"\ndone <<'END'\n";
  for (const auto& [ran, as] : given.ran.items()) script += cat(ran, " ", as.get<std::string>(), "\n");
  Json entry = signalling_entry(tree, server, "marked", cat(script, "END\n"));
  entry["id"] = given.id;
  return entry;
}

SignalOutcome Engine::signal_of_given(LiveTree& live, std::size_t server, const Json& body) {
  change(live, [&](LiveTree& mine, StepAround&) {
    Changes changes;
    GivenServer& given = mine.tree.own_resource(server).data.given;
    const Json& code = member_or_null(body, "deploy_status_code");
    if (const std::string status = code.is_string() ? code.get<std::string>() : format_json(code);
        !code.is_null() && status != "0") {
      given.reason = cat("exit code ", status, ": ", text_member(body, "deploy_stderr").substr(0, k_longest_reason));
    } else if (text_member(body, "arrived") == "yes") {
      given.state = k_follows;
      given.reason = "";
    } else if (text_member(body, "marked") == "yes" && given.state == k_to_mark) {
      given.state = k_told;
      given.reason = "";
    }
    changes.servers.insert(server);
    return changes;
  });
  return {};
}

Json Engine::given_server(const StackTree& tree, const ResourceRecord& server) const {
  const GivenServer& given = server.data.given;
  Json by_hand = Json::array();
  for (const auto& [name, text] : software_.entries(server.physical_id)) by_hand.push_back(name);
  return {{"id", server.physical_id},
          {"path", server.path},
          {"name", server.data.name.empty() ? server.name : server.data.name},
          {"transport", server.data.transport},
          {"state", given.state},
          {"reason", given.reason},
          {"last_poll", last_poll(server.physical_id)},
          {"by_hand", by_hand},
          {"os-collect-config", server.data.os_collect_config},
          {"arrival", signalling_entry(tree, server, "arrived", "#!/bin/sh\nset -eu\n")}};
}

Json Engine::given(LiveTree& live) {
  const StackTree& tree = live.tree;
  Json configs = Json::array();
  Json deployments = Json::array();
  Json servers = Json::array();
  for (const ResourceRecord& resource : tree.resources()) {
    if (resource.gone || resource.action == Action::init) continue;
    breathe();
    if (resource.role == Role::server) servers.push_back(given_server(tree, resource));
    if (is_config(resource.type))
      configs.push_back(
          {{"path", resource.path},
           {"config", config_of(resource, tree.stack(resource.stack), blueprint(live).properties(resource.path))}});
    if (resource.role != Role::deployment) continue;
    const std::size_t server = tree.find_path(resource.deployment.server);
    deployments.push_back(deployment_of(resource, server == k_none ? "" : tree.resource(server).physical_id));
  }
  return {{"to", member_or_null(tree.body, k_given_to)},
          {"for_good", tree.body.contains(k_given_for_good)},
          {"configs", configs},
          {"deployments", deployments},
          {"servers", servers}};
}

}  // namespace hearth::metadata::live
