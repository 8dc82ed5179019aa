#include "bootstrap/api/ironic_api.hpp"

#include "base/hmac.hpp"
#include "base/net/url.hpp"
#include "base/text.hpp"
#include "bootstrap/api/answer.hpp"

namespace hearth::bootstrap {

namespace {

bool is_loopback(const std::string& peer) { return peer.rfind("127.", 0) == 0 || peer == "::1"; }

/// Whether a web browser sends it (Fetch standard, "Origin" and "Sec-Fetch-Site"): on behalf of any page that its user
/// has open, which must not get at nodes just because the browser runs here.
bool is_from_browser(const ServedRequest& request) {
  return request.header("Origin").has_value() || request.header("Sec-Fetch-Site").has_value();
}

/// The password of "Basic …", whatever the user.
std::string basic_password(const std::string& header) {
  if (header.rfind("Basic ", 0) != 0) return "";
  const std::string plain = base64_decode(trim(header.substr(6))).value_or("");
  const std::size_t colon = plain.find(':');
  return colon == std::string::npos ? "" : plain.substr(colon + 1);
}

}  // namespace

std::string ApiCall::parameter(std::string_view name) const { return metadata::parameter_or(parameters, name, ""); }

bool ApiCall::truth(std::string_view name) const {
  const std::string text = to_lower(parameter(name));
  return text == "true" || text == "1" || text == "yes" || text == "on";
}

Json ApiCall::body() const {
  if (request.body.empty()) return Json::object();
  const Result<Json> parsed = parse_json(request.body, "the request");
  if (!parsed) throw Refusal(400, cat("The body is no JSON: ", parsed.error().text()));
  return *parsed;
}

ServedResponse IronicApi::answer(const ServedRequest& request) {
  const int minor = asked_minor(request);
  ApiCall call{request, {}, {}, metadata::parse_parameters(request.query)};
  call.view.base = cat(request.tls ? "https" : "http", "://", request.host());
  call.view.host = conductor_.settings().host;
  call.view.minor = minor;
  std::vector<std::string> parts = split(request.path, '/');
  std::erase(parts, "");
  ServedResponse response;
  try {
    if (minor < 0 && parts.size() > 1) {
      response = fault_answer(406, cat("Version ", request.header("X-OpenStack-Ironic-API-Version").value_or(""),
                                       " was requested but the supported versions are 1.1 to 1.", k_newest_minor, "."));
    } else if (parts.empty()) {
      response = json_answer(200, root_document(call.view.base));
    } else if (parts.front() != "v1") {
      response = fault_answer(404, "Not Found");
    } else {
      call.parts.assign(parts.begin() + 1, parts.end());
      response = route(call);
    }
  } catch (const Refusal& refusal) {
    response = fault_answer(refusal.status(), refusal.what());
  } catch (const Json::exception& error) {
    response = fault_answer(400, cat("The request has not the form that is expected: ", error.what()));
  } catch (const Error& error) {
    log_.error(cat(request.method, " ", request.path, ": ", error.story()));
    response = fault_answer(500, error.what());
  }
  add_version_headers(response, minor, new_uuid());
  return response;
}

bool IronicApi::allowed(const ServedRequest& request) const {
  if (policy_.trust_loopback && is_loopback(request.peer) && !is_from_browser(request)) return true;
  if (policy_.token.empty()) return false;
  const std::string token = request.header("X-Auth-Token").value_or("");
  const std::string password = basic_password(request.header("Authorization").value_or(""));
  return equal_in_constant_time(token, policy_.token) || equal_in_constant_time(password, policy_.token);
}

std::optional<ServedResponse> IronicApi::agent_route(const ApiCall& call) {
  if (call.parts.empty()) return json_answer(200, v1_document(call.view.base));
  const std::string& what = call.parts[0];
  if (what == "lookup") {
    return json_answer(200, conductor_.agents().look_up(split(call.parameter("addresses"), ','),
                                                        call.parameter("node_uuid"), call.view.base));
  }
  if (what == "heartbeat" && call.parts.size() == 2 && call.is("POST")) {
    conductor_.agents().heartbeat(call.parts[1], call.body());
    return empty_answer(202);
  }
  if (what == "hearth" && call.parts.size() == 2 && call.parts[1] == "progress" && call.is("POST")) {
    conductor_.agents().progress(call.body());
    return empty_answer(202);
  }
  if ((what == "continue_inspection" || what == "continue") && call.is("POST")) {
    return json_answer(what == "continue" ? 200 : 202,
                       conductor_.agents().inspected(call.body(), call.parameter("node_uuid")));
  }
  return std::nullopt;
}

ServedResponse IronicApi::route(const ApiCall& call) {
  if (std::optional<ServedResponse> answer = agent_route(call)) {
    conductor_.settle();
    return *answer;
  }
  if (policy_.agents_only) throw Refusal(404, "Not Found");
  if (!allowed(call.request)) {
    log_.warning(cat("refused ", call.request.method, " ", call.request.path, " from ", call.request.peer));
    ServedResponse refused = fault_answer(401, "A valid X-Auth-Token, or Basic credentials, are needed");
    // A page's script asks for the token itself; a browser that is told of Basic would ask its user once more.
    const bool is_script = call.request.header("Sec-Fetch-Dest") == "empty" || call.request.header("X-Auth-Token");
    if (!is_script) refused.headers.emplace_back("WWW-Authenticate", "Basic realm=\"Hearth\"");
    return refused;
  }
  const std::string& what = call.parts[0];
  if (what == "nodes") return nodes(call);
  if (what == "ports") return ports(call);
  if (what == "drivers") return drivers(call);
  if (what == "conductors") return conductors(call);
  if (what == "introspection") return introspection(call);
  if (what == "hearth") return hearth(call);
  // Rooms of Ironic that are empty here.
  for (const char* empty : {"chassis", "portgroups", "allocations", "deploy_templates"}) {
    if (what == empty && call.is("GET") && call.parts.size() == 1) return json_answer(200, {{empty, Json::array()}});
  }
  throw Refusal(404, "Not Found");
}

ServedResponse IronicApi::drivers(const ApiCall& call) {
  const auto row = [&](const std::string& name) -> Json {
    return {{"name", name}, {"hosts", {conductor_.settings().host}}, {"type", "dynamic"}};
  };
  if (call.parts.size() == 1) {
    Json list = Json::array();
    for (const std::string& name : conductor_.drivers().names()) list.push_back(row(name));
    return json_answer(200, {{"drivers", list}});
  }
  const PowerDriver* driver = conductor_.drivers().find(call.parts[1]);
  if (driver == nullptr)
    throw Refusal(404, cat("Could not find the following driver(s) or hardware type(s): ", call.parts[1], "."));
  if (call.parts.size() == 3 && call.parts[2] == "properties") {
    Node none;
    none.driver = call.parts[1];
    Json properties = Json::object();
    for (const std::string& line : driver->missing(none))
      properties[split_words(line).front()] = cat(line, " Required.");
    return json_answer(200, properties);
  }
  return json_answer(200, row(call.parts[1]));
}

ServedResponse IronicApi::conductors(const ApiCall& call) {
  const Json row = {{"hostname", conductor_.settings().host},
                    {"conductor_group", ""},
                    {"alive", true},
                    {"drivers", conductor_.drivers().names()},
                    {"created_at", nullptr},
                    {"updated_at", nullptr},
                    {"links", Json::array()}};
  if (call.parts.size() == 1) return json_answer(200, {{"conductors", Json::array({row})}});
  if (call.parts[1] != conductor_.settings().host)
    throw Refusal(404, cat("Conductor ", call.parts[1], " could not be found."));
  return json_answer(200, row);
}

}  // namespace hearth::bootstrap
