// Resources, events and software deployments of the orchestration API.
#include <algorithm>

#include "base/text.hpp"
#include "metadata/rest/heat_api.hpp"

namespace hearth::metadata::live {

namespace {

std::uint64_t number(const Parameters& parameters, std::string_view name) {
  return parse_number(parameter_or(parameters, name, "")).value_or(0);
}

std::string server_id(const StackTree& tree, const Resource& deployment) {
  const std::size_t server = tree.find_path(deployment.deployment.server);
  return server == k_none ? "" : tree.resource(server).physical_id;
}

}  // namespace

std::vector<std::size_t> stacks_below(const StackTree& tree, std::size_t stack, std::uint64_t depth) {
  std::vector<std::size_t> all = {stack};
  if (depth == 0) return all;
  for (const std::size_t member : tree.stack(stack).resources) {
    const std::size_t child = tree.resource(member).child;
    if (child == k_none || tree.stack(child).gone) continue;
    for (const std::size_t below : stacks_below(tree, child, depth - 1)) all.push_back(below);
  }
  return all;
}

/// An agent's token opens the resource that its key belongs to.
void HeatApi::require_own(const Call& call, const Stack& stack, const std::string& resource) const {
  if (call.caller.is_admin) return;
  const std::optional<AccessKey> key = engine_.access_key(call.caller.key_id);
  if (key && key->stack_id == stack.id && key->resource == resource) return;
  log_.warning(cat("heat: refused ", call.request.method, " ", call.request.target, " from ", call.request.peer,
                   ": the token belongs to ", key ? key->resource : "nobody"));
  throw EngineError("Forbidden", "You are not authorized to complete this action.");
}

ServedResponse HeatApi::resources(const Call& call, const StackPlace& place) {
  if (!call.caller.is_admin) throw EngineError("Forbidden", "an agent's token may not do this");
  const StackTree& tree = place.live->tree;
  Json body = Json::object();
  body["resources"] = Json::array();
  for (const std::size_t stack : stacks_below(tree, place.stack, number(call.parameters, "nested_depth"))) {
    for (const std::size_t member : tree.stack(stack).resources) {
      body["resources"].push_back(resource_summary(call.base, tree, member));
    }
  }
  return json_response(200, body);
}

ServedResponse HeatApi::one_resource(const Call& call, const StackPlace& place) {
  LiveTree& live = *place.live;
  const Stack& stack = live.tree.stack(place.stack);
  const std::string& name = call.parts[4];
  require_own(call, stack, name);
  const std::size_t index = live.tree.find_resource(place.stack, name);
  if (index == k_none) {
    throw EngineError("ResourceNotFound",
                      cat("The Resource (", name, ") could not be found in Stack ", stack.name, "."));
  }
  const std::string what = call.parts.size() > 5 ? call.parts[5] : "";
  Json body = Json::object();
  if (what == "metadata") {
    (void)engine_.resource(stack.id, name);  // an agent's poll, too
    body["metadata"] = engine_.metadata_of(live, index);
    return json_response(200, body);
  }
  if (what == "signal") {
    const Result<Json> signal = parse_json(call.request.body.empty() ? "{}" : call.request.body, "the signal");
    if (!signal || !signal->is_object()) throw EngineError("HTTPBadRequest", "The signal is not a JSON object");
    const SignalOutcome outcome = engine_.signal(stack.id, name, *signal);
    if (outcome.kind != SignalOutcome::Kind::taken) throw EngineError("HTTPBadRequest", outcome.message);
    return json_response(200, Json());
  }
  if (what == "events") return call.parts.size() > 6 ? one_event(call, place) : events(call, place, name);
  const Resource& resource = live.tree.resource(index);
  Json shown = resource_summary(call.base, live.tree, index);
  shown["description"] = resource.description;
  shown["attributes"] = resource.role == Role::deployment ? deployment_details(resource, server_id(live.tree, resource))
                                                          : engine_.blueprint(live).attributes(resource.path);
  body["resource"] = std::move(shown);
  return json_response(200, body);
}

ServedResponse HeatApi::events(const Call& call, const StackPlace& place, const std::string& resource) {
  const StackTree& tree = place.live->tree;
  const std::uint64_t depth = number(call.parameters, "nested_depth");
  EventQuery query;
  query.resource = resource;
  std::map<std::string, const Stack*> by_id;
  for (const std::size_t stack : stacks_below(tree, place.stack, depth)) {
    query.stacks.push_back(tree.stack(stack).id);
    by_id[tree.stack(stack).id] = &tree.stack(stack);
  }
  const bool ascending = to_lower(parameter_or(call.parameters, "sort_dir", "")) == "asc";
  const std::string marker = parameter_or(call.parameters, "marker", "");
  const std::optional<Event> last = marker.empty() ? std::nullopt : engine_.event(marker);
  const std::uint64_t limit = number(call.parameters, "limit");
  if (ascending) {
    query.after = last ? last->number : 0;
    query.limit = limit;
  }
  std::vector<Event> found = engine_.events(query);
  if (!ascending) {
    std::reverse(found.begin(), found.end());
    if (last) std::erase_if(found, [&](const Event& event) { return event.number >= last->number; });
    if (limit != 0 && found.size() > limit) found.resize(limit);
  }
  const Stack* root = call.parameters.empty() || depth == 0 ? nullptr : &tree.stack(place.stack);
  Json body = Json::object();
  body["events"] = Json::array();
  for (const Event& event : found) {
    body["events"].push_back(event_summary(call.base, event, *by_id[event.stack_id], root));
  }
  return json_response(200, body);
}

ServedResponse HeatApi::one_event(const Call& call, const StackPlace& place) {
  const std::optional<Event> event = engine_.event(call.parts[6]);
  const Stack& stack = place.live->tree.stack(place.stack);
  if (!event || event->stack_id != stack.id || event->resource != call.parts[4]) {
    throw EngineError("EntityNotFound", cat("The Event (", call.parts[6], ") could not be found."));
  }
  Json shown = event_summary(call.base, *event, stack, nullptr);
  shown["resource_type"] = event->type;
  shown["resource_properties"] = Json::object();
  Json body = Json::object();
  body["event"] = std::move(shown);
  return json_response(200, body);
}

/// The list, one of them, or what an agent of a server would get.
ServedResponse HeatApi::deployments(const Call& call) {
  const bool of_server = call.parts.size() > 2 && call.parts[1] == "metadata";
  const std::string wanted = of_server ? call.parts[2] : parameter_or(call.parameters, "server_id", "");
  Json list = Json::array();
  for (LiveTree* live : engine_.trees()) {
    for (std::size_t i = 0; i < live->tree.resources().size(); ++i) {
      const Resource& resource = live->tree.resource(i);
      if (resource.gone) continue;
      if (of_server && resource.role == Role::server && resource.physical_id == wanted) {
        Json body = Json::object();
        body["metadata"] = engine_.metadata_of(*live, i).value("deployments", Json::array());
        return json_response(200, body);
      }
      if (resource.role != Role::deployment || resource.physical_id.empty()) continue;
      Json shown = deployment_details(resource, server_id(live->tree, resource));
      if (call.parts.size() == 2 && call.parts[1] == resource.physical_id) {
        Json body = Json::object();
        body["software_deployment"] = std::move(shown);
        return json_response(200, body);
      }
      if (wanted.empty() || shown["server_id"] == wanted) list.push_back(std::move(shown));
    }
  }
  if (call.parts.size() > 1) {
    throw EngineError("NotFound", cat("Software deployment with id ", call.parts.back(), " not found"));
  }
  Json body = Json::object();
  body["software_deployments"] = std::move(list);
  return json_response(200, body);
}

ServedResponse HeatApi::configs(const Call& call) {
  Json list = Json::array();
  for (LiveTree* live : engine_.trees()) {
    for (const Resource& resource : live->tree.resources()) {
      if (resource.gone || resource.role != Role::deployment || resource.deployment.derived.empty()) continue;
      Json config = parse_json(resource.deployment.derived, "a derived config").value_or_throw();
      if (call.parts.size() > 1 && call.parts[1] == resource.deployment.config_id) {
        Json body = Json::object();
        body["software_config"] = std::move(config);
        return json_response(200, body);
      }
      Json entry = Json::object();
      for (const char* key : {"id", "name", "group", "creation_time"}) entry[key] = config.value(key, "");
      entry["project"] = live->tree.project;
      list.push_back(std::move(entry));
    }
  }
  if (call.parts.size() > 1)
    throw EngineError("NotFound", cat("Software config with id ", call.parts[1], " not found"));
  Json body = Json::object();
  body["software_configs"] = std::move(list);
  return json_response(200, body);
}

ServedResponse HeatApi::fixed(const Call& call) {
  Json body = Json::object();
  if (call.parts[0] == "build_info") {
    body["api"]["revision"] = HEARTH_VERSION;
    body["engine"]["revision"] = HEARTH_VERSION;
    return json_response(200, body);
  }
  if (call.parts[0] == "services") {
    body["services"] = Json::array();
    return json_response(200, body);
  }
  return heat_error(404, "NotFound", "The resource could not be found.");
}

}  // namespace hearth::metadata::live
