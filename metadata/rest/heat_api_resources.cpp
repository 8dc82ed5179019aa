// Resources and events of the orchestration API.
#include <algorithm>

#include "base/foreign_json.hpp"
#include "base/text.hpp"
#include "metadata/rest/filters.hpp"
#include "metadata/rest/heat_api.hpp"

namespace hearth::metadata::live {

namespace {

/// What clients may filter events by.
bool passes_filter(const Parameters& parameters, const EventRecord& event) {
  const std::string action = event.status.substr(0, event.status.find('_'));
  return passes(parameters, {{"resource_name", event.resource},
                             {"resource_type", event.type},
                             {"resource_status", event.status},
                             {"resource_action", action},
                             {"status", event.status},
                             {"type", event.type},
                             {"name", event.resource},
                             {"uuid", event.id}});
}

/// Another one is in its place already: nobody sees it any more.
bool is_replaced(const StackTree& tree, std::size_t index) {
  const ResourceRecord& resource = tree.resource(index);
  return resource.removed && tree.find_resource(resource.stack, resource.name) != index;
}

}  // namespace

std::vector<std::size_t> stacks_below(const StackTree& tree, std::size_t stack, std::uint64_t depth) {
  std::vector<std::size_t> all = {stack};
  if (depth == 0) return all;
  for (const std::size_t member : tree.stack(stack).resources) {
    const std::size_t child = tree.resource(member).child;
    if (child == k_none || tree.stack(child).gone || is_replaced(tree, member)) continue;
    for (const std::size_t below : stacks_below(tree, child, depth - 1)) all.push_back(below);
  }
  return all;
}

/// As Heat shows it; what a resource waits for is told where Heat has nothing to say but that its state changed.
Json HeatApi::summary_of(const Call& call, const LiveTree& live, std::size_t index) const {
  Json shown = resource_summary(call.base, live.tree, index);
  const std::string waits = engine_.waits_for(live, index);
  if (!waits.empty()) shown["resource_status_reason"] = waits;
  return shown;
}

/// The end of what the hooks of the deployment's server wrote to stderr in their last run; null when nothing is known.
Json HeatApi::said_of(const LiveTree& live, std::size_t index) const {
  const ResourceRecord& row = live.tree.resource(index);
  if (row.role != Role::deployment || row.status != Status::in_progress) return {};
  const std::size_t server = live.tree.find_path(row.deployment.server);
  if (server == k_none) return {};
  const std::optional<RunReport> run = engine_.last_run(live.tree.resource(server).physical_id);
  return run && !run->lines.empty() ? Json(join(run->lines, "\n")) : Json();
}

/// An agent's token opens the resource that its key belongs to.
void HeatApi::require_own(const Call& call, const StackRecord& stack, const std::string& resource) const {
  if (!call.caller.is_agent()) return;
  const std::optional<AccessKey> key = engine_.access_key(call.caller.key_id);
  if (key && key->stack_id == stack.id && key->resource == resource) return;
  log_.warning(cat("heat: refused ", call.request.method, " ", call.request.target, " from ", call.request.peer,
                   ": the token belongs to ", key ? key->resource : "nobody"));
  throw EngineError("Forbidden", "You are not authorized to complete this action.");
}

ServedResponse HeatApi::resources(const Call& call, const StackPlace& place) {
  if (call.caller.is_agent()) throw EngineError("Forbidden", "an agent's token may not do this");
  const StackTree& tree = place.live->tree;
  JsonRows rows("resources", tree.resources().size());
  const bool with_details = to_lower(parameter_or(call.parameters, "with_detail", "")) == "true";
  for (const std::size_t stack : stacks_below(tree, place.stack, number_of(call.parameters, "nested_depth"))) {
    for (const std::size_t member : tree.stack(stack).resources) {
      engine_.breathe();
      if (is_replaced(tree, member)) continue;
      const ResourceRecord& resource = tree.resource(member);
      const std::string status = status_text(resource.action, resource.status);
      const Fields fields = {{"name", resource.name},
                             {"resource_name", resource.name},
                             {"type", resource.type},
                             {"resource_type", resource.type},
                             {"status", status},
                             {"resource_status", status},
                             {"id", resource.physical_id},
                             {"physical_resource_id", resource.physical_id},
                             {"action", std::string(word(resource.action))},
                             {"hook", resource.data.hook}};
      if (!passes(call.parameters, fields)) continue;
      Json shown = summary_of(call, *place.live, member);
      if (!resource.data.hook.empty()) shown["hook"] = resource.data.hook;  // ours; Heat's events alone tell it
      if (with_details) shown["stack_name"] = tree.stack(stack).name;
      if (with_details) shown["description"] = resource.description;
      rows.add(shown);
    }
  }
  return std::move(rows).response();
}

ServedResponse HeatApi::one_resource(const Call& call, const StackPlace& place) {
  LiveTree& live = *place.live;
  const StackRecord& stack = live.tree.stack(place.stack);
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
    if (call.caller.is_agent()) (void)engine_.resource(stack.id, name);  // its poll; a person's look is none
    body["metadata"] = engine_.metadata_of(live, index);
    return json_response(200, body);
  }
  if (what == "run") return take_run(call, live.tree.resource(index), stack);
  if (what == "signal") {
    if (call.request.method != "POST") return heat_error(405, "NotFound", "no such method");
    const Result<Json> signal = parse_foreign_json(call.request.body.empty() ? "{}" : call.request.body, "the signal");
    if (!signal) throw EngineError("HTTPBadRequest", cat("The signal is no JSON: ", signal.error().text()));
    if (!signal->is_object()) throw EngineError("HTTPBadRequest", "The signal is not a JSON object");
    const SignalOutcome outcome = engine_.signal(stack.id, name, *signal);
    if (outcome.kind != SignalOutcome::Kind::taken) throw EngineError("HTTPBadRequest", outcome.message);
    return json_response(200, Json());
  }
  if (what == "events") return call.parts.size() > 6 ? one_event(call, place) : events(call, place, name);
  if (call.request.method == "PATCH") return change_resource(call, place, index);
  if (what == "machine" && call.request.method == "PUT") return set_machine(call, live.tree.resource(index));
  Json shown = summary_of(call, live, index);
  shown["description"] = live.tree.resource(index).description;
  if (Json said = said_of(live, index); !said.is_null())
    shown["hearth_last_run"] = std::move(said);                                    // ours, not Heat's
  const bool whole = call.caller.is_agent() || call.caller.right != Right::reads;  // a server's have its keys
  shown["attributes"] = whole ? attributes_of(live, index) : Json::object();
  for (const auto& [parameter, asked] : call.parameters) {
    if (parameter == "with_attr" && !shown["attributes"].contains(asked)) shown["attributes"][asked] = Json();
  }
  body["resource"] = std::move(shown);
  return json_response(200, body);
}

Json HeatApi::attributes_of(LiveTree& live, std::size_t index) {
  const ResourceRecord& resource = live.tree.resource(index);
  if (resource.role == Role::deployment) return deployment_details(resource, server_of(live.tree, resource));
  Json all = engine_.blueprint(live).shown_attributes(resource.path);
  if (resource.role == Role::server) {
    all["os_collect_config"] = resource.data.os_collect_config;
  }
  return all;
}

/// Ours, not Heat's: where a server's machine is, and what else templates may ask about it.
ServedResponse HeatApi::set_machine(const Call& call, const ResourceRecord& server) {
  if (call.caller.is_agent()) throw EngineError("Forbidden", "an agent's token may not do this");
  if (server.role != Role::server) throw EngineError("HTTPBadRequest", cat(server.name, " is no server"));
  const Json machine = machine_of(body_of(call.request));
  if (text_in(machine, "address").empty()) throw EngineError("HTTPBadRequest", "an \"address\" is needed");
  engine_.machine_came(server.physical_id, machine);
  return json_response(200, Json());
}

/// Ours, not Heat's: how a run of the server's hooks went, as its agent says.
ServedResponse HeatApi::take_run(const Call& call, const ResourceRecord& server, const StackRecord& stack) {
  if (!call.caller.is_agent()) throw EngineError("Forbidden", "only the server's agent knows how its runs go");
  if (call.request.method != "POST") throw EngineError("HTTPBadRequest", "a report is sent by POST");
  const std::optional<RunReport> report = read_run_report(body_of(call.request));
  if (!report) throw EngineError("HTTPBadRequest", "The report is none");
  engine_.note_run(stack.id, server.name, *report);
  return json_response(200, Json());
}

/// To be replaced by the next update, or not.
ServedResponse HeatApi::change_resource(const Call& call, const StackPlace& place, std::size_t index) {
  const Json request = body_of(call.request);
  if (call.caller.is_agent()) throw EngineError("Forbidden", "an agent's token may not do this");
  if (!request.contains("mark_unhealthy") || !request["mark_unhealthy"].is_boolean()) {
    throw EngineError("HTTPBadRequest", "Missing mandatory (mark_unhealthy) key from mark unhealthy request");
  }
  const std::string reason = request.contains("resource_status_reason") && request["resource_status_reason"].is_string()
                                 ? request["resource_status_reason"].get<std::string>()
                                 : "state changed by resource_mark_unhealthy api";
  engine_.mark(*place.live, index, request["mark_unhealthy"], reason);
  return json_response(200, Json());
}

ServedResponse HeatApi::events(const Call& call, const StackPlace& place, const std::string& resource) {
  const StackTree& tree = place.live->tree;
  const std::uint64_t depth = number_of(call.parameters, "nested_depth");
  EventQuery query;
  query.resource = resource;
  std::map<std::string, const StackRecord*> by_id;
  for (const std::size_t stack : stacks_below(tree, place.stack, depth)) {
    query.stacks.push_back(tree.stack(stack).id);
    by_id[tree.stack(stack).id] = &tree.stack(stack);
  }
  const bool ascending = to_lower(parameter_or(call.parameters, "sort_dir", "")) == "asc";
  const std::string marker = parameter_or(call.parameters, "marker", "");
  const std::optional<EventRecord> last = marker.empty() ? std::nullopt : engine_.event(marker);
  const std::uint64_t limit = number_of(call.parameters, "limit");
  if (ascending) query.after = last ? last->number : 0;
  std::vector<EventRecord> found = engine_.events(query);
  if (!ascending) {
    std::reverse(found.begin(), found.end());
    if (last) std::erase_if(found, [&](const EventRecord& event) { return event.number >= last->number; });
  }
  std::erase_if(found, [&](const EventRecord& event) { return !passes_filter(call.parameters, event); });
  if (limit != 0 && found.size() > limit) found.resize(limit);
  const StackRecord* root = call.parameters.empty() || depth == 0 ? nullptr : &tree.stack(place.stack);
  JsonRows rows("events", found.size());
  for (const EventRecord& event : found) {
    engine_.breathe();
    rows.add(event_summary(call.base, event, *by_id[event.stack_id], root));
  }
  return std::move(rows).response();
}

ServedResponse HeatApi::one_event(const Call& call, const StackPlace& place) {
  const std::optional<EventRecord> event = engine_.event(call.parts[6]);
  const StackRecord& stack = place.live->tree.stack(place.stack);
  if (!event || event->stack_id != stack.id || event->resource != call.parts[4]) {
    throw EngineError("EntityNotFound", cat("The Event (", call.parts[6], ") could not be found."));
  }
  Json shown = event_summary(call.base, *event, stack, nullptr);
  shown["resource_type"] = event->type;
  shown["resource_properties"] = Json::object();
  const std::size_t index = place.live->tree.find_resource(place.stack, event->resource);
  if (index != k_none) {
    const Json known = json_or_null(place.live->tree.resource(index).fingerprint);
    if (known.is_object()) shown["resource_properties"] = known;
    for (const char* ours : {"entry", "(metadata)", "(depends_on)", "(deletion_policy)", "(external_id)"}) {
      shown["resource_properties"].erase(ours);
    }
  }
  Json body = Json::object();
  body["event"] = std::move(shown);
  return json_response(200, body);
}

}  // namespace hearth::metadata::live
