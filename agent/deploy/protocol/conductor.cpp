#include "agent/deploy/protocol/conductor.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr int k_lookup_version = 62;       // agent tokens
constexpr int k_certificate_version = 68;  // agent_verify_ca
constexpr Duration k_conductor_patience = std::chrono::seconds(30);

/// The reason in an answer of Ironic's, whose error_message is JSON within JSON.
std::string reason_of(const HttpResponse& answer) {
  const Result<Json> body = parse_json(answer.body, "answer");
  if (body && body->is_object() && body->contains("error_message")) {
    const Json& message = (*body)["error_message"];
    const Result<Json> inner =
        message.is_string() ? parse_json(message.get<std::string>(), "answer") : Result<Json>(message);
    if (inner && inner->is_object()) return text_member(*inner, "faultstring");
    if (message.is_string()) return message.get<std::string>();
  }
  return answer.reason;
}

Error conductor_refused(const std::string& what, const HttpResponse& answer) {
  const bool again = answer.status >= 500 || answer.status == 409 || answer.status == 429;
  const ErrorKind kind = answer.status == 404 ? ErrorKind::not_found : again ? ErrorKind::io : ErrorKind::input;
  return {kind, cat(what, ": the conductor answers ", answer.status, ": ", reason_of(answer))};
}

}  // namespace

ApiVersion api_version(std::string_view text, int most) {
  if (text.rfind("1.", 0) != 0) return {};
  const auto minor = parse_number(text.substr(2));
  return minor && *minor < 10000 ? ApiVersion{std::min(static_cast<int>(*minor), most)} : ApiVersion{};
}

LookedUp parse_lookup(std::string_view body) {
  const Result<Json> answer = parse_json(body, "the answer of the look-up");
  if (!answer) throw answer.error().to_error();
  const bool fits = answer->is_object() && answer->contains("node") && (*answer)["node"].is_object() &&
                    !text_member((*answer)["node"], "uuid").empty();
  if (!fits) throw Error(ErrorKind::input, "the answer of the look-up names no node");
  LookedUp found{.node = (*answer)["node"]};
  const Json config = answer->value("config", Json::object());
  if (!config.is_object()) return found;
  const auto timeout = config.find("heartbeat_timeout");
  if (timeout != config.end() && timeout->is_number()) {
    found.heartbeat_timeout = std::chrono::seconds(static_cast<int>(std::clamp(timeout->get<double>(), 1.0, 86400.0)));
  }
  found.token = text_member(config, "agent_token");
  found.token_known = found.token == "******";
  if (found.token_known) found.token.clear();
  const auto ours = config.find("hearth");
  if (ours != config.end() && ours->is_object()) {
    found.progress_url = text_member(*ours, "progress_url");
    found.image_key = to_lower(text_member(*ours, "image_key"));
  }
  return found;
}

HttpResponse Conductor::send(const std::string& method, const std::string& url, const Json* body, int version_limit) {
  const bool has_token = body != nullptr && body->contains("agent_token");
  const Url target = parse_url(url).value_or_throw();
  if (!trust_.pin.empty() && !target.is_tls())
    throw Error(ErrorKind::input, cat(url, " is not https, but the kernel command line has a hearth-api-pin"));
  HttpRequest request{.method = method,
                      .url = target,
                      .deadline = Deadline::after(k_conductor_patience, clock_),
                      .max_redirects = has_token ? 0 : 3,  // it is for this conductor only
                      .verify_tls = trust_.verify,
                      .pin = trust_.pin};
  request.headers.emplace_back("Accept", "application/json");
  if (version_limit > 0) {
    request.headers.emplace_back("X-OpenStack-Ironic-API-Version",
                                 cat("1.", api_version(version_, version_limit).minor));
  }
  if (body != nullptr) {
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = body->dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  return http_.send(request);
}

void Conductor::greet() {
  const HttpResponse answer = send("GET", url_ + "/", nullptr, 0);
  const Result<Json> body = parse_json(answer.body, "answer");
  if (!answer.ok() || !body || !body->is_object() || !body->contains("default_version")) return;
  const Json& version = (*body)["default_version"];
  if (version.is_object() && !text_member(version, "version").empty()) version_ = text_member(version, "version");
}

LookedUp Conductor::look_up(const std::vector<std::string>& macs, const std::string& uuid) {
  std::vector<std::pair<std::string, std::string>> query = {{"addresses", join(macs, ",")}};
  if (!uuid.empty()) query.emplace_back("node_uuid", uuid);
  const HttpResponse answer = send("GET", cat(url_, "/v1/lookup?", encode_query(query)), nullptr, k_lookup_version);
  if (!answer.ok()) throw conductor_refused("looking up this machine", answer);
  return parse_lookup(answer.body);
}

bool Conductor::takes_certificates() const {
  return api_version(version_, k_certificate_version).minor == k_certificate_version;
}

void Conductor::beat(const Heartbeat& heartbeat) {
  Json body = {{"callback_url", heartbeat.callback_url},
               {"agent_version", HEARTH_VERSION},
               {"agent_token", heartbeat.token.empty() ? Json(nullptr) : Json(heartbeat.token)}};
  if (!heartbeat.certificate.empty()) body["agent_verify_ca"] = heartbeat.certificate;
  const HttpResponse answer = send("POST", cat(url_, "/v1/heartbeat/", heartbeat.uuid), &body, k_certificate_version);
  if (!answer.ok()) throw conductor_refused("heartbeat", answer);
}

bool Conductor::report_inspection(const std::string& to, const Json& data) {
  const HttpResponse answer = send("POST", to, &data, 0);
  if (answer.status == 409 || answer.status >= 500) throw conductor_refused("reporting the inspection", answer);
  return answer.ok();
}

Json Conductor::report_progress(const std::string& to, const Json& progress) {
  try {
    const HttpResponse answer = send("POST", to, &progress, 0);
    if (!answer.ok()) return nullptr;
    const Result<Json> body = parse_json(answer.body, "answer");
    return body && body->is_object() ? *body : Json::object();
  } catch (const Error&) {
    return nullptr;  // the next one tells as much
  }
}

}  // namespace hearth::agent::deploy
