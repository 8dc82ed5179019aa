// Software configs and deployments: those of stacks, and those made by hand.
#include <algorithm>

#include "base/text.hpp"
#include "metadata/engine/records_json.hpp"
#include "metadata/rest/filters.hpp"
#include "metadata/rest/heat_api.hpp"

namespace hearth::metadata::live {

namespace {

/// Calls `visit` for each deployment of a project's stacks that was begun, until it says that it is enough.
template <class Visit>
void for_each_deployment(Engine& engine, const std::string& project, const Visit& visit) {
  for (LiveTree* live : engine.trees()) {
    if (live->tree.project != project) continue;
    for (const ResourceRecord& resource : live->tree.resources()) {
      const bool there = !resource.gone && resource.role == Role::deployment && !resource.physical_id.empty();
      engine.breathe();
      if (there && visit(*live, resource)) return;
    }
  }
}

[[noreturn]] void no_such(const char* what, const std::string& id) {
  throw EngineError("NotFound", cat("Software ", what, " with id ", id, " not found"));
}

/// What was made before projects were told apart is the first one's.
bool is_of(const Json& row, const std::string& project) { return row.value("project", "admin") == project; }

void require_config(const SoftwareStore& software, const std::string& id, const std::string& project) {
  const Json* known = software.config(id);
  if (known == nullptr || !is_of(*known, project)) no_such("config", id);
}

Json wrapped(const char* key, Json value) {
  Json body = Json::object();
  body[key] = std::move(value);
  return body;
}

ServedResponse no_content() {
  ServedResponse response;
  response.status = 204;
  return response;
}

Json shown(Json row) {
  row.erase("project");
  return row;
}

Json with_project(Json request, const std::string& project) {
  request["project"] = project;
  return request;
}

/// What is kept is read by every list, and by the server's metadata: one odd row would end them all.
void require_texts(const Json& request, std::initializer_list<const char*> keys) {
  for (const char* key : keys) (void)text_in(request, key);
}

/// The values go to agents, whose hooks read maps.
void require_values(const Json& request) {
  for (const char* key : {"input_values", "output_values"}) require_map(request, key);
}

/// A structured config is a map; inputs and outputs are lists of maps.
void require_config_shape(const Json& request) {
  require_texts(request, {"name", "group"});
  require_map(request, "options");
  const Json config = request.value("config", Json());
  if (!config.is_null() && !config.is_string() && !config.is_object())
    throw EngineError("HTTPBadRequest", "config is a text or a map");
  for (const char* key : {"inputs", "outputs"}) {
    const Json list = request.value(key, Json());
    const auto is_map = [](const Json& each) { return each.is_object(); };
    if (!list.is_null() && !(list.is_array() && std::all_of(list.begin(), list.end(), is_map)))
      throw EngineError("HTTPBadRequest", cat(key, " is a list of maps"));
  }
}

Json config_summary(const Json& config, const std::string& project) {
  Json entry = Json::object();
  for (const char* key : {"id", "name", "group", "creation_time"}) entry[key] = config.value(key, "");
  entry["project"] = project;
  return entry;
}

}  // namespace

ServedResponse HeatApi::deployments(const Call& call) {
  if (call.parts.size() > 2 && call.parts[1] == "metadata") return server_metadata(call, call.parts[2]);
  if (call.parts.size() > 1) return one_deployment(call, call.parts[1]);
  if (call.request.method == "POST") return create_deployment(call);
  const std::string wanted = parameter_or(call.parameters, "server_id", "");
  Json list = Json::array();
  for_each_deployment(engine_, call.project, [&](LiveTree& live, const ResourceRecord& resource) {
    const std::string server = server_of(live.tree, resource);
    if (wanted.empty() || server == wanted) list.push_back(deployment_details(resource, server));
    return false;
  });
  for (const auto& [id, row] : engine_.software().deployments()) {
    if (is_of(row, call.project) && (wanted.empty() || row.value("server_id", "") == wanted))
      list.push_back(shown(row));
  }
  return listed("software_deployments", list);
}

/// What the agent of a server would get.
ServedResponse HeatApi::server_metadata(const Call& call, const std::string& server) {
  for (LiveTree* live : engine_.trees()) {
    if (live->tree.project != call.project) continue;
    for (std::size_t i = 0; i < live->tree.resources().size(); ++i) {
      const ResourceRecord& resource = live->tree.resource(i);
      if (resource.gone || resource.role != Role::server || resource.physical_id != server) continue;
      return json_response(200, wrapped("metadata", engine_.metadata_of(*live, i).value("deployments", Json::array())));
    }
  }
  throw EngineError("NotFound", cat("The server (", server, ") could not be found."));
}

ServedResponse HeatApi::one_deployment(const Call& call, const std::string& id) {
  const std::string& method = call.request.method;
  if (const Json* by_hand = engine_.software().deployment(id); by_hand != nullptr && is_of(*by_hand, call.project)) {
    const std::string server = by_hand->value("server_id", "");
    if (method == "DELETE") {
      engine_.touch_server(server);
      engine_.software().remove_deployment(id);
      return no_content();
    }
    if (method == "PUT") {
      const Json change = body_of(call.request);
      require_texts(change, {"action", "status", "status_reason"});
      require_values(change);
      if (const std::string config = text_in(change, "config_id"); !config.empty())
        require_config(engine_.software(), config, call.project);
      engine_.touch_server(server);
      by_hand = engine_.software().change_deployment(id, change, now());
    }
    return json_response(200, wrapped("software_deployment", shown(*by_hand)));
  }
  Json shown;
  for_each_deployment(engine_, call.project, [&](LiveTree& live, const ResourceRecord& resource) {
    if (resource.physical_id != id) return false;
    shown = deployment_details(resource, server_of(live.tree, resource));
    return true;
  });
  if (shown.is_null()) no_such("deployment", id);
  if (method != "GET") {
    throw EngineError("Forbidden", "The deployment belongs to a stack: it changes with the stack.");
  }
  return json_response(200, wrapped("software_deployment", std::move(shown)));
}

ServedResponse HeatApi::create_deployment(const Call& call) {
  const Json request = body_of(call.request);
  require_texts(request, {"deployment_id", "action", "status", "status_reason"});
  require_values(request);
  const std::string server = text_in(request, "server_id");
  const std::string config = text_in(request, "config_id");
  require_config(engine_.software(), config, call.project);
  if (engine_.project_of(server) != call.project) {
    throw EngineError("NotFound", cat("The server (", server, ") could not be found."));
  }
  // The document's new version comes first: where the process dies between the two, the client asks again. The other
  // way round pollers would never see what was added.
  engine_.touch_server(server);
  Json made = engine_.software().add_deployment(with_project(request, call.project), now());
  return json_response(200, wrapped("software_deployment", shown(std::move(made))));
}

ServedResponse HeatApi::configs(const Call& call) {
  if (call.parts.size() > 1) return one_config(call, call.parts[1]);
  if (call.request.method == "POST") {
    const Json request = body_of(call.request);
    require_config_shape(request);
    Json made = engine_.software().add_config(with_project(request, call.project), now());
    return json_response(200, wrapped("software_config", shown(std::move(made))));
  }
  Json list = Json::array();
  for_each_deployment(engine_, call.project, [&](LiveTree& live, const ResourceRecord& resource) {
    if (resource.deployment.derived.empty()) return false;
    const Json config = kept_json(resource.deployment.derived, "a derived config");
    list.push_back(config_summary(config, live.tree.project));
    return false;
  });
  for (const auto& [id, row] : engine_.software().configs()) {
    if (is_of(row, call.project)) list.push_back(config_summary(row, call.project));
  }
  return listed("software_configs", paged(std::move(list), call.parameters));
}

ServedResponse HeatApi::one_config(const Call& call, const std::string& id) {
  if (const Json* by_hand = engine_.software().config(id); by_hand != nullptr && is_of(*by_hand, call.project)) {
    if (call.request.method != "DELETE") return json_response(200, wrapped("software_config", shown(*by_hand)));
    for (const auto& [deployment, row] : engine_.software().deployments()) {
      if (row.value("config_id", "") == id) {
        throw EngineError("Forbidden", cat("Software config with id ", id, " can not be deleted as it is used by ",
                                           "deployment ", deployment));
      }
    }
    engine_.software().remove_config(id);
    return no_content();
  }
  Json shown;
  for_each_deployment(engine_, call.project, [&](LiveTree&, const ResourceRecord& resource) {
    if (resource.deployment.config_id != id || resource.deployment.derived.empty()) return false;
    shown = kept_json(resource.deployment.derived, "a derived config");
    return true;
  });
  if (shown.is_null()) no_such("config", id);
  if (call.request.method == "DELETE") throw EngineError("Forbidden", "The config belongs to a stack's deployment.");
  return json_response(200, wrapped("software_config", std::move(shown)));
}

}  // namespace hearth::metadata::live
