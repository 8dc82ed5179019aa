#include "metadata/rest/heat_api.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/foreign_json.hpp"
#include "base/net/url.hpp"
#include "base/text.hpp"
#include "metadata/rest/filters.hpp"
#include "metadata/serve/cfn_answer.hpp"

namespace hearth::metadata::live {

namespace {

/// Behind a stack's name these lead on, by way of a redirect that adds its UUID.
constexpr std::array<std::string_view, 13> k_short_cuts = {"resources",   "events",  "template", "actions", "outputs",
                                                           "environment", "files",   "preview",  "export",  "abandon",
                                                           "snapshots",   "servers", "given"};

constexpr std::uint64_t k_longest_minutes = 2147483647;
constexpr std::size_t k_longest_tag = 80;

int status_of(const std::string& type) {
  if (type == "EntityNotFound" || type == "ResourceNotFound" || type == "NotFound") return 404;
  if (type == "NotImplemented") return 501;
  if (type == "StackExists" || type == "ActionInProgress") return 409;
  if (type == "Forbidden") return 403;
  return 400;
}

/// What the request says of its time: a number or the text of one; null where it says nothing, as 0 does.
Json minutes_of(const Json& request) {
  const Json given = request.contains("timeout_mins") ? request["timeout_mins"] : Json();
  if (given.is_null()) return {};
  const std::string text = given.is_string() ? given.get<std::string>() : format_json(given);
  const std::optional<std::uint64_t> minutes = parse_number(text);
  if (!minutes || *minutes > k_longest_minutes) {
    throw EngineError("HTTPBadRequest", cat("timeout_mins is a whole number of minutes up to ", k_longest_minutes,
                                            ", not ", format_json(given), "; leave it out for 60"));
  }
  return *minutes == 0 ? Json() : Json(*minutes);
}

[[noreturn]] void refuse_shape(std::string_view key, std::string_view wanted, const Json& given) {
  throw EngineError("HTTPBadRequest", cat(key, " is ", wanted, ", not ", format_json(given).substr(0, 60)));
}

/// Heat's words, where it has some; it would answer 500 to most.
void require_shapes(const Json& request) {
  for (const char* key : {"files", "parameters"}) {
    const Json& given = member_or_null(request, key);
    if (!given.is_null() && !given.is_object()) refuse_shape(key, "a map", given);
  }
  const Json& files = member_or_null(request, "environment_files");
  const auto is_text = [](const Json& each) { return each.is_string(); };
  if (!files.is_null() && !(files.is_array() && std::all_of(files.begin(), files.end(), is_text)))
    refuse_shape("environment_files", "a list of texts", files);
  const Json& tags = member_or_null(request, "tags");
  if (!tags.is_null() && !tags.is_string()) refuse_shape("tags", "a text: tags with commas between them", tags);
  for (const std::string& tag : split(tags.is_string() ? tags.get<std::string>() : "", ',')) {
    if (tag.size() > k_longest_tag)
      throw EngineError("HTTPBadRequest", cat("Invalid tag, \"", tag, "\" is longer than 80 characters"));
  }
}

/// Whether a failed creation or update stays as it is: true, false, or the text of one.
Json rollback_of(const Json& given) {
  const std::string word = to_lower(given.is_string() ? given.get<std::string>() : format_json(given));
  if (word == "true" || word == "false") return word == "true";
  throw EngineError("HTTPBadRequest", cat("Unrecognized value \"", given.is_string() ? given.get<std::string>() : word,
                                          "\" for \"disable_rollback\", acceptable values are: true, false"));
}

bool is_true(const Parameters& parameters, std::string_view name) {
  return to_lower(parameter_or(parameters, name, "")) == "true";
}

}  // namespace

Json body_of(const ServedRequest& request) {
  const Result<Json> body = parse_foreign_json(request.body.empty() ? "{}" : request.body, "the request");
  if (!body) throw EngineError("HTTPBadRequest", cat("The body is no JSON: ", body.error().text()));
  if (!body->is_object()) throw EngineError("HTTPBadRequest", "The body is not a JSON object");
  return *body;
}

std::string text_in(const Json& request, const char* key) {
  const Json& given = member_or_null(request, key);
  if (given.is_null()) return "";
  if (!given.is_string()) refuse_shape(key, "a text", given);
  return given.get<std::string>();
}

void require_map(const Json& request, const char* key) {
  const Json& given = member_or_null(request, key);
  if (!given.is_null() && !given.is_object()) refuse_shape(key, "a map", given);
}

std::string stack_name_of(const Json& request) {
  const Json& name = member_or_null(request, "stack_name");
  if (name.is_null()) throw EngineError("HTTPBadRequest", "No stack name specified");
  if (name.is_string()) return name.get<std::string>();
  throw EngineError("StackValidationFailed",
                    cat("Invalid stack name ", format_json(name).substr(0, 60), ", must be a string"));
}

Json definition_of(const Json& request, const Json& before, bool patch) {
  require_shapes(request);
  Json body = Json::object();
  for (const char* key : {"template", "files", "environment", "environment_files", "parameters", "disable_rollback",
                          "tags", "on_failure"}) {
    const bool kept = patch && before.contains(key);  // an empty one in a PATCH means: as before
    if (request.contains(key) && !request[key].is_null() && !(kept && request[key].empty())) {
      body[key] = request[key];
    } else if (before.contains(key) &&
               (patch || std::string_view(key) == "disable_rollback" || std::string_view(key) == "on_failure")) {
      body[key] = before[key];
    }
  }
  if (!member_or_null(request, "disable_rollback").is_null())
    body["disable_rollback"] = rollback_of(body["disable_rollback"]);
  if (const Json minutes = minutes_of(request); !minutes.is_null()) {
    body["timeout_mins"] = minutes;
  } else if (before.contains("timeout_mins")) {  // an update keeps it
    body["timeout_mins"] = before["timeout_mins"];
  }
  for (const char* key : {"parameters", "files"}) {
    if (patch && before.contains(key) && request.contains(key)) body[key] = before[key];
  }
  if (patch && request.contains("clear_parameters") && body.contains("parameters")) {
    for (const Json& name : request["clear_parameters"]) {
      if (name.is_string()) body["parameters"].erase(name.get<std::string>());
    }
  }
  for (const char* key : {"parameters", "files"}) {  // what is given wins, even over being cleared
    if (patch && before.contains(key) && request.contains(key)) body[key].update(request[key]);
  }
  if (!body.contains("template")) throw EngineError("HTTPBadRequest", "No template specified");
  return body;
}

std::int64_t HeatApi::now() const { return unix_seconds(clock_.wall()); }

ServedResponse HeatApi::refuse(const ServedRequest& request) {
  log_.warning(cat("heat: refused ", request.method, " ", without_secrets(request.target), " from ", request.peer));
  ServedResponse response = heat_error(401, "Unauthorized", "a valid X-Auth-Token is needed");
  response.headers.emplace_back("Www-Authenticate", "Keystone uri=\"" + engine_.credentials().urls().identity + "\"");
  return response;
}

/// Whoever has no token has no body to be read either.
Admission HeatApi::admit(const ServedRequest& head) {
  Admission admission;
  if (!identify(head, policy_, engine_, now())) admission.refusal = refuse(head);
  return admission;
}

/// What of the people may be done, and in whose project. What holds keys, passwords or rights to signal is not for
/// those who only read.
void HeatApi::require_right(const Call& call) {
  const Caller& caller = call.caller;
  if (caller.is_agent() || caller.right == Right::everything) return;
  if (!caller.project.empty() && caller.project != call.project)
    throw EngineError("Forbidden", cat("the token is for project ", caller.project));
  if (caller.right != Right::reads) return;
  if (call.request.method != "GET" && call.request.method != "HEAD")
    throw EngineError("Forbidden", "the token is for reading");
  static const std::set<std::string, std::less<>> k_closed = {"environment", "files",     "template", "export",
                                                              "servers",     "snapshots", "given"};
  const std::string& first = call.parts.empty() ? call.project : call.parts[0];
  const bool software = first == "software_deployments" || first == "software_configs";
  const bool closed = call.parts.size() > 3 && first == "stacks" && k_closed.count(call.parts[3]) > 0;
  const bool metadata = call.parts.size() > 5 && call.parts[3] == "resources" && call.parts[5] != "events";
  if (software || closed || metadata) throw EngineError("Forbidden", "the token is for reading states, not secrets");
}

/// An agent's poll of its own metadata.
bool HeatApi::answers_at_once(const ServedRequest& request) const {
  const std::vector<std::string> parts = split(request.raw_path, '/');
  if (parts.size() < 2 || parts[1] != "v1") return true;  // what there is, whoever asks
  const std::vector<std::string> token = split(request.header("X-Auth-Token").value_or(""), '.');
  const bool polls = request.method == "GET" && parts.size() == 9 && parts[3] == "stacks" && parts[6] == "resources" &&
                     parts[8] == "metadata";
  return polls && token.size() == 4 && token[0] == "agent" && engine_.is_steady(token[1]);
}

ServedResponse HeatApi::answer(const ServedRequest& request) {
  const std::vector<std::string> parts = split(request.raw_path, '/');
  if (parts.size() < 2 || parts[1] != "v1") return version_document(request);
  const std::optional<Caller> caller = identify(request, policy_, engine_, now());
  if (!caller) return refuse(request);
  if (parts.size() < 4) return heat_error(404, "NotFound", "The resource could not be found.");
  Call call{request, {}, percent_decode(parts[2]), {}, parse_parameters(request.query), *caller};
  // Whoever asks by the socket of this machine follows links by the network, as all others.
  const std::string here = request.peer == "local" ? engine_.credentials().urls().heat
                                                   : cat(request.tls ? "https" : "http", "://", request.host());
  call.base.url = cat(here, "/v1/", parts[2]);
  for (std::size_t i = 3; i < parts.size(); ++i) call.parts.push_back(percent_decode(parts[i]));
  if (call.parts.back().empty()) call.parts.pop_back();
  ServedResponse response = answer_to(call);
  response.principal = call.caller.principal;
  return response;
}

ServedResponse HeatApi::answer_to(const Call& call) {
  try {
    require_right(call);
    return route(call);
  } catch (const EngineError& error) {
    return heat_error(status_of(error.type()), error.type(), error.what());
  } catch (const StackSetAside& error) {
    return heat_error(409, "StackSetAside", error.what());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    return heat_error(400, "StackValidationFailed", error.what());
  } catch (const Json::exception& error) {
    return heat_error(400, "HTTPBadRequest", cat("The request has not the form that is expected: ", json_fault(error)));
  }
}

ServedResponse HeatApi::route(const Call& call) {
  if (call.parts.empty()) return heat_error(404, "NotFound", "The resource could not be found.");
  if (call.parts[0] == "stacks") return stacks(call);
  if (call.caller.is_agent()) throw EngineError("Forbidden", "an agent's token may not do this");
  if (call.parts[0] == "software_deployments") return deployments(call);
  if (call.parts[0] == "software_configs") return configs(call);
  return guide(call);
}

ServedResponse HeatApi::stacks(const Call& call) {
  const std::size_t count = call.parts.size();
  if (count == 1) {
    if (call.caller.is_agent()) throw EngineError("Forbidden", "an agent's token may not do this");
    return call.request.method == "POST" ? create(call) : list_stacks(call);
  }
  if (const SetAside* aside = aside_of(call); aside != nullptr && count > 2) return one_aside(call, *aside);
  if (count == 2 && call.parts[1] == "preview" && call.request.method == "POST") {
    if (call.caller.is_agent()) throw EngineError("Forbidden", "an agent's token may not do this");
    return preview(call);
  }
  const bool short_cut =
      count == 2 || std::find(k_short_cuts.begin(), k_short_cuts.end(), call.parts[2]) != k_short_cuts.end();
  if (short_cut) return redirect(call);
  const StackPlace place = engine_.find(call.parts[2]);
  if (place.live->tree.project != call.project) throw EngineError("Forbidden", "the stack belongs to another project");
  return one_stack(call, place);
}

ServedResponse HeatApi::redirect(const Call& call) {
  std::string target;
  if (const SetAside* aside = aside_of(call)) {
    target = call.base.stack(shown_tree(*aside).root());
  } else {
    const std::optional<StackArn> arn = parse_arn(call.parts[1]);
    const StackPlace place = engine_.find(arn ? arn->id : call.parts[1], call.project);
    if (place.live->tree.project != call.project)
      throw EngineError("Forbidden", "the stack belongs to another project");
    target = call.base.stack(place.live->tree.stack(place.stack));
  }
  for (std::size_t i = 2; i < call.parts.size(); ++i) target += cat("/", percent_encode(call.parts[i]));
  if (!call.request.query.empty()) target += cat("?", call.request.query);
  Json body = Json::object();
  body["message"] = cat("The resource was found at ", target);
  body["code"] = "302 Found";
  body["title"] = "Found";
  ServedResponse response = json_response(302, body);
  response.headers.emplace_back("Location", target);
  return response;
}

ServedResponse HeatApi::listed(std::string_view name, const Json& list) {
  JsonRows rows(name, list.size());
  for (const Json& row : list) {
    engine_.breathe();
    rows.add(row);
  }
  return std::move(rows).response();
}

ServedResponse HeatApi::list_stacks(const Call& call) {
  const bool nested = is_true(call.parameters, "show_nested");
  const bool everywhere = is_true(call.parameters, "global_tenant") && call.caller.right == Right::everything;
  Json list = Json::array();
  std::vector<LiveTree*> trees = engine_.trees();
  std::reverse(trees.begin(), trees.end());  // the newest first
  for (const LiveTree* live : trees) {
    if (live->tree.project != call.project && !everywhere) continue;
    for (std::size_t i = 0; i < (nested ? live->tree.stacks().size() : 1); ++i) {
      engine_.breathe();
      const StackRecord& stack = live->tree.stack(i);
      if (stack.gone) continue;
      Json shown = stack_summary(call.base, live->tree, i);
      const std::string status = status_text(stack.action, stack.status);
      const Fields fields = {{"id", stack.id},   {"name", stack.name},     {"stack_name", stack.name},
                             {"status", status}, {"stack_status", status}, {"action", std::string(word(stack.action))}};
      if (passes(call.parameters, fields) && passes_tags(call.parameters, shown["tags"])) list.push_back(shown);
    }
  }
  for (const auto& [id, aside] : engine_.set_aside()) {
    if (aside.project != call.project && !everywhere) continue;
    list.push_back(stack_summary(call.base, shown_tree(aside), 0));
  }
  return listed("stacks", paged(std::move(list), call.parameters));
}

ServedResponse HeatApi::create(const Call& call) {
  const Json request = body_of(call.request);
  const std::string name = stack_name_of(request);
  const std::string id = request.contains("adopt_stack_data")
                             ? adopt(call, request, name)
                             : engine_.create(call.project, name, definition_of(request, Json::object(), false));
  const std::string href = cat(call.base.url, "/stacks/", name, "/", id);
  Json body = Json::object();
  body["stack"]["id"] = id;
  body["stack"]["links"] = Json::array({{{"href", href}, {"rel", "self"}}});
  ServedResponse response = json_response(201, body);
  response.headers.emplace_back("Location", href);
  return response;
}

ServedResponse HeatApi::one_stack(const Call& call, const StackPlace& place) {
  const std::string what = call.parts.size() > 3 ? call.parts[3] : "";
  const bool own_only = call.caller.is_agent();
  if (what == "resources") return call.parts.size() > 4 ? one_resource(call, place) : resources(call, place);
  if (own_only) throw EngineError("Forbidden", "an agent's token may not do this");
  if (what.empty()) return call.request.method == "GET" ? show(call, place) : change(call, place);
  if (what == "events") return events(call, place, "");
  if (what == "servers") return servers(call, place);
  if (what == "outputs") return outputs(call, place);
  if (what == "actions") return act(call, place);
  if (what == "snapshots") return snapshots(call, place);
  if (what == "preview") return preview_update(call, place);
  if (what == "export") return json_response(200, engine_.exported(*place.live));
  if (what == "abandon") return abandon(call, place);
  if (what == "given") return given(call, place);
  const StackTree& tree = place.live->tree;
  Blueprint& blueprint = engine_.blueprint(*place.live);
  if (what == "template") return json_response(200, blueprint.source(tree.stack(place.stack).path));
  if (what == "environment") return json_response(200, blueprint.environment());
  if (what == "files") return json_response(200, tree.body.value("files", Json::object()));
  return heat_error(404, "NotFound", "The resource could not be found.");
}

ServedResponse HeatApi::show(const Call& call, const StackPlace& place) {
  Json all = Json();
  Blueprint& blueprint = engine_.blueprint(*place.live);
  if (to_lower(parameter_or(call.parameters, "resolve_outputs", "true")) != "false") {
    all = Json::array();
    for (const PlannedOutput& output : blueprint.outputs(place.live->tree.stack(place.stack).path)) {
      all.push_back(output_details(output));
    }
  }
  Json body = Json::object();
  body["stack"] = stack_details(call.base, place.live->tree, place.stack,
                                blueprint.parameters(place.live->tree.stack(place.stack).path), all);
  return json_response(200, body);
}

ServedResponse HeatApi::change(const Call& call, const StackPlace& place) {
  if (place.stack != 0) throw EngineError("Forbidden", "nested stacks change with the stack that they belong to");
  const std::string id = place.live->tree.id;
  ServedResponse response;
  if (call.request.method == "DELETE") {
    engine_.act(id, Action::erase);
    response.status = 204;
    return response;
  }
  if (call.request.method != "PUT" && call.request.method != "PATCH")
    return heat_error(405, "NotFound", "no such method");
  engine_.update(id, definition_of(body_of(call.request), place.live->tree.body, call.request.method == "PATCH"));
  response.status = 202;
  response.headers = {{"Content-Type", "application/json"}};
  response.body = "null";
  return response;
}

ServedResponse HeatApi::act(const Call& call, const StackPlace& place) {
  if (call.request.method != "POST") return heat_error(405, "NotFound", "no such method");
  const Json request = body_of(call.request);
  if (request.size() != 1) throw EngineError("HTTPBadRequest", "exactly one action must be given");
  const std::string name = request.begin().key();
  if (name == "cancel_update" || name == "cancel_without_rollback") {
    engine_.cancel(place.live->tree.id, name == "cancel_update");
    return json_response(200, Json());
  }
  if (name == "rotate") {  // ours, not Heat's: for so many hours the former keys hold
    const Json& hours = request.begin().value();
    if (!hours.is_number_unsigned() || hours > 100'000)
      throw EngineError("HTTPBadRequest", "rotate takes the hours that the former keys hold");
    engine_.rotate(place.live->tree.id, now() + hours.get<std::int64_t>() * 3600);
    return json_response(200, Json());
  }
  const std::optional<Action> action = parse_action(name == "check"     ? "CHECK"
                                                    : name == "suspend" ? "SUSPEND"
                                                    : name == "resume"  ? "RESUME"
                                                                        : "");
  if (!action)
    throw EngineError("HTTPBadRequest",
                      cat("Invalid action ", name,
                          " specified; check, suspend, resume, cancel_update and cancel_without_rollback are "
                          "known"));
  engine_.act(place.live->tree.id, *action);
  return json_response(200, Json());
}

ServedResponse HeatApi::outputs(const Call& call, const StackPlace& place) {
  const auto all = engine_.blueprint(*place.live).outputs(place.live->tree.stack(place.stack).path);
  Json body = Json::object();
  if (call.parts.size() > 4) {
    for (const PlannedOutput& output : all) {
      if (output.name != call.parts[4]) continue;
      body["output"] = output_details(output);
      return json_response(200, body);
    }
    throw EngineError("NotFound", cat("Specified output key ", call.parts[4], " not found."));
  }
  body["outputs"] = Json::array();
  for (const PlannedOutput& output : all) {
    Json entry = output_details(output);
    entry.erase("output_value");
    body["outputs"].push_back(std::move(entry));
  }
  return json_response(200, body);
}

}  // namespace hearth::metadata::live
