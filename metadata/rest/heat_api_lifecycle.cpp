// Previews, export, abandon and adopt, snapshots.
#include "base/foreign_json.hpp"
#include "base/text.hpp"
#include "metadata/rest/heat_api.hpp"

namespace hearth::metadata::live {

namespace {

Json preview_resources(const Base& base, const StackTree& tree, std::size_t stack) {
  Json list = Json::array();
  for (const std::size_t member : tree.stack(stack).resources) {
    const ResourceRecord& resource = tree.resource(member);
    if (resource.child != k_none) {
      list.push_back(preview_resources(base, tree, resource.child));
      continue;
    }
    Json shown = resource_summary(base, tree, member);
    shown["description"] = resource.description;
    shown["stack_name"] = tree.stack(stack).name;
    shown["stack_identity"] = {{"stack_name", tree.stack(stack).name},
                               {"stack_id", tree.stack(stack).id},
                               {"tenant", tree.project},
                               {"path", ""}};
    list.push_back(std::move(shown));
  }
  return list;
}

Json change_entry(const Base& base, const StackTree& tree, std::size_t index) {
  const ResourceRecord& resource = tree.resource(index);
  const StackRecord& stack = tree.stack(resource.stack);
  Json shown = resource_summary(base, tree, index);
  shown["resource_identity"] = {{"stack_name", stack.name},
                                {"stack_id", stack.id},
                                {"tenant", tree.project},
                                {"path", cat("/resources/", resource.name)}};
  shown["stack_name"] = stack.name;
  return shown;
}

const char* word_of(ResourceChange::Kind kind) {
  switch (kind) {
    case ResourceChange::Kind::added: return "added";
    case ResourceChange::Kind::deleted: return "deleted";
    case ResourceChange::Kind::replaced: return "replaced";
    case ResourceChange::Kind::updated: return "updated";
    case ResourceChange::Kind::unchanged: break;
  }
  return "unchanged";
}

/// It goes into a script.
bool is_plain_id(const std::string& id) {
  constexpr std::string_view k_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  return !id.empty() && id.size() <= 64 && id.find_first_not_of(k_letters) == std::string::npos;
}

Json shown_snapshot(const Json& row, bool with_data) {
  Json out = row;
  out.erase("body");
  if (!with_data) out.erase("data");
  return out;
}

}  // namespace

ServedResponse HeatApi::preview(const Call& call) {
  const Json request = body_of(call.request);
  const Json definition = definition_of(request, Json::object(), false);
  StackPreview made = engine_.preview(call.project, stack_name_of(request), definition);
  Json body = Json::object();
  body["stack"] = stack_details(call.base, made.tree, 0, made.blueprint->parameters(""), Json());
  body["stack"]["resources"] = preview_resources(call.base, made.tree, 0);
  return json_response(200, body);
}

ServedResponse HeatApi::preview_update(const Call& call, const StackPlace& place) {
  const bool patch = call.request.method == "PATCH";
  if (!patch && call.request.method != "PUT") return heat_error(405, "NotFound", "no such method");
  const bool nested = to_lower(parameter_or(call.parameters, "show_nested", "")) == "true";
  const StackTree& tree = place.live->tree;
  const UpdatePreview made = engine_.preview_update(tree.id, definition_of(body_of(call.request), tree.body, patch));
  Json changes = Json::object();
  for (const char* kind : {"added", "deleted", "replaced", "unchanged", "updated"}) changes[kind] = Json::array();
  for (const ResourceChange& change : made.changes) {
    const StackTree& home = change.tree == 0 ? tree : made.next.tree;
    if (!nested && home.resource(change.resource).stack != 0) continue;
    changes[word_of(change.kind)].push_back(change_entry(call.base, home, change.resource));
  }
  Json body = Json::object();
  body["resource_changes"] = std::move(changes);
  return json_response(200, body);
}

ServedResponse HeatApi::abandon(const Call& call, const StackPlace& place) {
  if (call.request.method != "DELETE") return heat_error(405, "NotFound", "no such method");
  if (place.stack != 0) throw EngineError("Forbidden", "nested stacks go with the stack that they belong to");
  return json_response(200, engine_.abandon(place.live->tree.id));
}

/// Ours, not Heat's: a stack that another service takes over (`hearth seed handover`).
ServedResponse HeatApi::given(const Call& call, const StackPlace& place) {
  if (place.stack != 0) throw EngineError("Forbidden", "nested stacks go with the stack that they belong to");
  const std::string id = place.live->tree.id;
  if (call.request.method == "PUT") {
    const Json request = body_of(call.request);
    const std::string to = text_in(request, "to");
    require_map(request, "agents");
    if (to.empty()) throw EngineError("HTTPBadRequest", "to is needed: who is given the stack");
    const Json agents = request.value("agents", Json::object());
    for (const auto& [server, told] : agents.items()) {
      if (!told.is_object()) throw EngineError("HTTPBadRequest", cat("agents: what is told ", server, " is a map"));
      for (const char* key : {"ran", "os-collect-config"}) require_map(told, key);
      for (const auto& [ran, as] : object_member(told, "ran").items()) {
        if (!as.is_string() || !is_plain_id(ran) || !is_plain_id(as.get<std::string>()))
          throw EngineError("HTTPBadRequest", "ran has ids of deployments, and those that they get");
      }
    }
    engine_.give(id, to, agents, request.value("for_good", Json()) == true);
  } else if (call.request.method == "DELETE") {
    engine_.take_back(id);
  } else if (call.request.method != "GET") {
    return heat_error(405, "NotFound", "no such method");
  }
  return json_response(200, {{"given", engine_.given(*engine_.find(id).live)}});
}

/// The export has the template; what the request says besides it wins.
std::string HeatApi::adopt(const Call& call, const Json& request, const std::string& name) {
  const Json& given = request["adopt_stack_data"];
  const Json data =
      given.is_string() ? parse_foreign_json(given.get<std::string>(), "adopt_stack_data").value_or_throw() : given;
  if (!data.is_object() || !data.contains("template")) {
    throw EngineError("HTTPBadRequest", "Invalid adopt data: it has no template");
  }
  for (const char* key : {"files", "environment", "resources"}) {
    if (data.contains(key) && !data[key].is_object())
      throw EngineError("HTTPBadRequest", cat("Invalid adopt data: its ", key, " are no map"));
  }
  Json whole = request;
  whole["template"] = data["template"];
  Json files = data.value("files", Json::object());
  if (request.contains("files") && request["files"].is_object()) files.update(request["files"]);
  whole["files"] = std::move(files);
  const bool has_environment = request.contains("environment") && !request["environment"].empty();
  if (!has_environment) whole["environment"] = data.value("environment", Json::object());
  if (!request.contains("environment_files") && data.contains("environment_files")) {
    whole["environment_files"] = data["environment_files"];
  }
  Json parameters = data.contains("environment") && data["environment"].is_object()
                        ? data["environment"].value("parameters", Json::object())
                        : Json::object();
  if (request.contains("parameters") && request["parameters"].is_object()) parameters.update(request["parameters"]);
  whole["parameters"] = std::move(parameters);
  return engine_.adopt(call.project, name, definition_of(whole, Json::object(), false), data);
}

ServedResponse HeatApi::snapshots(const Call& call, const StackPlace& place) {
  if (place.stack != 0) throw EngineError("Forbidden", "a snapshot is one of a whole stack");
  if (call.parts.size() > 4) return one_snapshot(call, place);
  if (call.request.method == "POST") {
    const Json request = body_of(call.request);
    const std::string name = request.contains("name") && request["name"].is_string() ? request["name"] : Json("");
    return json_response(201, {{"snapshot", shown_snapshot(engine_.snapshot(*place.live, name), true)}});
  }
  Json body = Json::object();
  body["snapshots"] = Json::array();
  for (const Json& row : engine_.snapshots(place.live->tree.id)) {
    body["snapshots"].push_back(shown_snapshot(row, false));
  }
  return json_response(200, body);
}

ServedResponse HeatApi::one_snapshot(const Call& call, const StackPlace& place) {
  const std::string& id = place.live->tree.id;
  const std::string& snapshot = call.parts[4];
  ServedResponse response;
  response.status = 204;
  if (call.request.method == "DELETE") {
    engine_.remove_snapshot(id, snapshot);
    return response;
  }
  if (call.request.method == "POST" && call.parts.size() > 5 && call.parts[5] == "restore") {
    engine_.restore(id, snapshot);
    return response;
  }
  for (const Json& row : engine_.snapshots(id)) {
    if (row.value("id", "") == snapshot) return json_response(200, {{"snapshot", shown_snapshot(row, true)}});
  }
  throw EngineError("NotFound", cat("The Snapshot (", snapshot, ") could not be found."));
}

}  // namespace hearth::metadata::live
