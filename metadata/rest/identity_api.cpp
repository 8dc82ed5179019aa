#include "metadata/rest/identity_api.hpp"

#include "base/foreign_json.hpp"
#include "base/hmac.hpp"
#include "base/text.hpp"
#include "metadata/rest/access.hpp"
#include "metadata/rest/heat_render.hpp"

namespace hearth::metadata::live {

namespace {

constexpr std::int64_t k_token_seconds = 3600;

Json version_entry(const ServedRequest& request) {
  Json version = Json::object();
  version["id"] = "v3.14";
  version["status"] = "stable";
  version["updated"] = "2020-04-07T00:00:00Z";
  version["links"] =
      Json::array({{{"rel", "self"}, {"href", cat(request.tls ? "https" : "http", "://", request.host(), "/v3/")}}});
  version["media-types"] =
      Json::array({{{"base", "application/json"}, {"type", "application/vnd.openstack.identity-v3+json"}}});
  return version;
}

ServedResponse refusal(int status, const char* title, const char* message) {
  Json body = Json::object();
  body["error"]["code"] = status;
  body["error"]["title"] = title;
  body["error"]["message"] = message;
  return json_response(status, body);
}

bool asks_for_token(const ServedRequest& request) {
  return request.path == "/v3/auth/tokens" && request.method == "POST";
}

constexpr const char* k_user = "/auth/identity/password/user/id";

}  // namespace

/// A token for an agent whose server nobody is changing: polls begin with it.
bool IdentityApi::answers_at_once(const ServedRequest& request) const {
  if (!asks_for_token(request)) return request.method == "GET";
  const Result<Json> body = parse_foreign_json(request.body, "the request");
  return body && engine_.is_steady(text_at(*body, k_user));
}

Json IdentityApi::token_body(const std::string& user, const std::string& project, std::int64_t expires) const {
  const PublicUrls& urls = engine_.credentials().urls();
  Json endpoint = Json::object();
  endpoint["id"] = "heat";
  endpoint["interface"] = "public";
  endpoint["region"] = urls.region;
  endpoint["region_id"] = urls.region;
  endpoint["url"] = cat(urls.heat, "/v1/", project);
  Json service = Json::object();
  service["type"] = "orchestration";
  service["name"] = "heat";
  service["id"] = "heat";
  service["endpoints"] = Json::array({endpoint});
  Json token = Json::object();
  token["methods"] = Json::array({"password"});
  token["expires_at"] = replace_all(iso_time(expires), "Z", ".000000Z");
  token["issued_at"] = replace_all(iso_time(expires - k_token_seconds), "Z", ".000000Z");
  token["audit_ids"] = Json::array({"hearth"});
  token["user"] = {{"id", user}, {"name", user}, {"domain", {{"id", "heat"}, {"name", "heat"}}}};
  token["project"] = {{"id", project}, {"name", project}, {"domain", {{"id", "heat"}, {"name", "heat"}}}};
  token["roles"] = Json::array({{{"id", "heat_stack_user"}, {"name", "heat_stack_user"}}});
  token["catalog"] = Json::array({service});
  Json body = Json::object();
  body["token"] = std::move(token);
  return body;
}

ServedResponse IdentityApi::issue(const ServedRequest& request) {
  const Result<Json> body = parse_foreign_json(request.body, "the request");
  if (!body) return refusal(400, "Bad Request", "The body is no JSON.");
  const std::string user = text_at(*body, k_user);
  const std::string password = text_at(*body, "/auth/identity/password/user/password");
  const std::optional<AccessKey> key = engine_.access_key(user);
  if (!key || !equal_in_constant_time(key->secret, password)) {
    log_.warning(cat("identity: refused user '", user, "' from ", request.peer));
    return refusal(401, "Unauthorized", "The request you have made requires authentication.");
  }
  const auto now = unix_seconds(clock_.wall());
  const std::string asked = text_at(*body, "/auth/scope/project/id");
  ServedResponse response =
      json_response(201, token_body(user, asked.empty() ? "admin" : asked, now + k_token_seconds));
  response.principal = cat("agent ", user);
  response.headers.emplace_back("X-Subject-Token", agent_token(user, key->secret, now + k_token_seconds));
  return response;
}

ServedResponse IdentityApi::answer(const ServedRequest& request) {
  if (asks_for_token(request)) return issue(request);
  if (request.path == "/v3" || request.path == "/v3/") {
    Json body = Json::object();
    body["version"] = version_entry(request);
    return json_response(200, body);
  }
  if (request.path == "/") {
    Json body = Json::object();
    body["versions"]["values"] = Json::array({version_entry(request)});
    return json_response(300, body);
  }
  return refusal(404, "Not Found", "The resource could not be found.");
}

}  // namespace hearth::metadata::live
