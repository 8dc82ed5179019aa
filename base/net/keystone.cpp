#include "base/net/keystone.hpp"

#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

/// The "self" link of a version entry whose id is v3 or v3.N.
std::string v3_link(const Json& version) {
  if (text_member(version, "id").compare(0, 2, "v3") != 0) return "";
  for (const Json& link : list_member(version, "links")) {
    if (text_member(link, "rel") == "self") return without_slash(text_member(link, "href"));
  }
  return "";
}

/// {"versions": {"values": [...]}} or {"version": {...}}.
std::string v3_link_in(const Json& document) {
  if (const Json* version = find_member(document, "version")) return v3_link(*version);
  for (const Json& version : list_member(member_or_null(document, "versions"), "values")) {
    const std::string link = v3_link(version);
    if (!link.empty()) return link;
  }
  return "";
}

std::string guessed_v3(const std::string& auth_url) {
  const std::string base = without_slash(auth_url);
  return base.ends_with("/v2.0") ? cat(base.substr(0, base.size() - 4), "v3") : cat(base, "/v3");
}

std::string discovered_v3(HttpClient& http, const std::string& auth_url, const Deadline& deadline) {
  const std::string base = without_slash(auth_url);
  const std::string unversioned = base.ends_with("/v2.0") ? base.substr(0, base.size() - 4) : cat(base, "/");
  HttpRequest request;
  request.url = parse_url(unversioned).value_or_throw();
  request.headers = {{"Accept", "application/json"}};
  request.deadline = deadline;
  request.max_redirects = 5;
  const HttpResponse response = http.send(request);
  const Result<Json> document = parse_python_json(response.body, "keystone");
  return document && (response.ok() || response.status == 300) ? v3_link_in(*document) : "";
}

Json password_request(const KeystoneCredentials& credentials) {
  Json auth;
  auth["identity"]["methods"] = Json::array({"password"});
  auth["identity"]["password"]["user"] = Json{{"password", credentials.password}, {"id", credentials.user_id}};
  auth["scope"]["project"]["id"] = credentials.project_id;
  return auth;
}

bool fits(const Json& endpoint, const std::string& region) {
  if (text_member(endpoint, "interface") != "public") return false;
  return region.empty() || text_member(endpoint, "region") == region || text_member(endpoint, "region_id") == region;
}

}  // namespace

std::string keystone_v3_url(HttpClient& http, const std::string& auth_url, const Deadline& deadline) {
  const std::string base = without_slash(auth_url);
  if (base.ends_with("/v3")) return base;
  const std::string found = discovered_v3(http, auth_url, deadline);
  return found.empty() ? guessed_v3(auth_url) : found;
}

KeystoneToken keystone_token(HttpClient& http, const KeystoneCredentials& credentials, const Deadline& deadline) {
  return keystone_token(http, credentials.auth_url, password_request(credentials), deadline);
}

KeystoneToken keystone_token(HttpClient& http, const std::string& auth_url, const Json& auth,
                             const Deadline& deadline) {
  Json body;
  body["auth"] = auth;
  HttpRequest request;
  request.method = "POST";
  request.url = parse_url(cat(keystone_v3_url(http, auth_url, deadline), "/auth/tokens")).value_or_throw();
  request.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}};
  request.body = python_json(body);
  request.deadline = deadline;
  const HttpResponse response = http.send(request);
  const std::optional<std::string> id = find_header(response.headers, "X-Subject-Token");
  if (!response.ok() || !id) {
    throw Error(ErrorKind::external, cat("keystone at ", request.url.text(), " gave no token: HTTP ", response.status),
                response.status);
  }
  const Json document = parse_python_json(response.body, "the token").value_or_throw();
  const Json& token = member_or_null(document, "token");
  return {*id, list_member(token, "catalog"), text_member(token, "expires_at")};
}

std::string public_endpoint(const KeystoneToken& token, const std::string& type, const std::string& region) {
  for (const Json& service : token.catalog) {
    if (text_member(service, "type") != type) continue;
    for (const Json& endpoint : list_member(service, "endpoints")) {
      if (fits(endpoint, region)) return without_slash(text_member(endpoint, "url"));
    }
  }
  const std::string where = region.empty() ? "" : cat(" in ", region, " region");
  throw Error(ErrorKind::not_found, cat("publicURL endpoint for ", type, " service", where, " not found"));
}

}  // namespace hearth
