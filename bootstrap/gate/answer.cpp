#include "bootstrap/gate/answer.hpp"

#include "base/text.hpp"

namespace hearth::bootstrap {

namespace {

std::string body_text(const Json& body) { return format_json(body, {.lossy = true}); }

Json version_entry(const std::string& base) {
  return {{"id", "v1"},
          {"links", Json::array({{{"href", cat(base, "/v1/")}, {"rel", "self"}}})},
          {"status", "CURRENT"},
          {"min_version", "1.1"},
          {"version", cat("1.", k_newest_minor)}};
}

}  // namespace

ServedResponse json_answer(int status, const Json& body) {
  ServedResponse response;
  response.status = status;
  response.headers = {{"Content-Type", "application/json"}};
  response.body = body_text(body);
  return response;
}

ServedResponse empty_answer(int status, const std::string& location) {
  ServedResponse response;
  response.status = status;
  if (!location.empty()) response.headers = {{"Location", location}};
  return response;
}

ServedResponse fault_answer(int status, const std::string& text) {
  const Json fault = {
      {"faultcode", status >= 500 ? "Server" : "Client"}, {"faultstring", text}, {"debuginfo", nullptr}};
  return json_answer(status, {{"error_message", body_text(fault)}});
}

int asked_minor(const ServedRequest& request) {
  const std::string text = request.header("X-OpenStack-Ironic-API-Version").value_or("1.1");
  if (text == "latest") return k_newest_minor;
  if (text.rfind("1.", 0) != 0) return -1;
  const std::optional<std::uint64_t> minor = parse_number(text.substr(2));
  return minor && *minor >= 1 && *minor <= k_newest_minor ? static_cast<int>(*minor) : -1;
}

void add_version_headers(ServedResponse& response, int minor, const std::string& request_id) {
  response.headers.emplace_back("X-OpenStack-Ironic-API-Minimum-Version", "1.1");
  response.headers.emplace_back("X-OpenStack-Ironic-API-Maximum-Version", cat("1.", k_newest_minor));
  if (minor > 0) response.headers.emplace_back("X-OpenStack-Ironic-API-Version", cat("1.", minor));
  response.headers.emplace_back("Openstack-Request-Id", cat("req-", request_id));
}

Json root_document(const std::string& base) {
  return {{"name", "OpenStack Ironic API"},
          {"description", "Hearth's bare-metal service, with the API of Ironic"},
          {"versions", Json::array({version_entry(base)})},
          {"default_version", version_entry(base)}};
}

Json v1_document(const std::string& base) {
  Json document = {{"id", "v1"},
                   {"version", version_entry(base)},
                   {"media_types", Json::array()},
                   {"links", version_entry(base)["links"]}};
  for (const char* name : {"nodes", "ports", "drivers", "conductors", "chassis", "lookup", "heartbeat"}) {
    document[name] = Json::array({{{"href", cat(base, "/v1/", name, "/")}, {"rel", "self"}},
                                  {{"href", cat(base, "/", name, "/")}, {"rel", "bookmark"}}});
  }
  return document;
}

}  // namespace hearth::bootstrap
