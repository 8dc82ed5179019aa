#include "agent/collect/heat_source.hpp"

#include "agent/collect/explode.hpp"
#include "agent/collect/web.hpp"
#include "agent/signal/keystone.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr double k_seconds = 30;  ///< for each request

/// "NAME/UUID" of a stack that was given by one of them: Heat answers with a redirect to the full address.
std::string full_stack_id(const std::string& endpoint, const std::string& id, const HttpHeaders& headers,
                          const SourceContext& context) {
  if (id.find('/') != std::string::npos) return percent_encode(id, "/");
  HttpRequest request = get_request(context, cat(endpoint, "/stacks/", percent_encode(id)), k_seconds);
  request.headers = headers;
  request.max_redirects = 0;
  const HttpResponse response = context.http.send(request);
  const std::string location = find_header(response.headers, "Location").value_or("");
  const std::size_t at = location.find("/stacks/");
  if (at == std::string::npos)
    throw Error(ErrorKind::not_found, cat("there is no stack ", id, " (HTTP ", response.status, ")"));
  return location.substr(at + std::string_view("/stacks/").size());
}

HttpRequest metadata_request(const KeystoneToken& token, const SourceContext& context) {
  const Settings& settings = context.settings;
  const std::string endpoint = public_endpoint(token, "orchestration", settings.text_or("heat", "region_name", ""));
  const HttpHeaders headers = {
      {"X-Auth-Token", token.id}, {"Accept", "application/json"}, {"Content-Type", "application/json"}};
  const std::string stack = full_stack_id(endpoint, settings.text_or("heat", "stack_id", ""), headers, context);
  const std::string resource = percent_encode(settings.text_or("heat", "resource_name", ""), "/");
  context.log.debug(cat("Fetching metadata from ", endpoint));
  HttpRequest request =
      get_request(context, cat(endpoint, "/stacks/", stack, "/resources/", resource, "/metadata"), k_seconds);
  request.headers = headers;
  return request;
}

/// The metadata object. Throws Error when the answer has none.
Json fetch(const KeystoneCredentials& credentials, const SourceContext& context) {
  const Deadline deadline = Deadline::after(std::chrono::seconds(static_cast<int>(k_seconds)), context.clock);
  const HttpResponse response =
      context.tokens.send(context.http, credentials, deadline,
                          [&context](const KeystoneToken& token) { return metadata_request(token, context); });
  const std::optional<std::string> failure = failure_of(response);
  if (failure) throw Error(ErrorKind::external, *failure);
  const Json answer = parse_python_json(response.body, "Heat's answer").value_or_throw();
  const auto metadata = answer.is_object() ? answer.find("metadata") : answer.end();
  if (metadata != answer.end() && metadata->is_object()) return *metadata;
  throw Error(ErrorKind::input, "Heat's answer holds no metadata object");
}

}  // namespace

Collection collect_heat(const SourceContext& context) {
  const Settings& settings = context.settings;
  const std::vector<std::string> missing =
      missing_options(settings, "heat", {"auth_url", "password", "project_id", "user_id", "stack_id", "resource_name"});
  if (!missing.empty()) {
    context.once.log(LogLevel::info, cat("No ", missing.front(), " configured."));
    return NotConfigured{};
  }
  try {
    const auto text = [&settings](const char* name) { return settings.text_or("heat", name, ""); };
    const KeystoneCredentials credentials{text("auth_url"), text("user_id"), text("password"), text("project_id")};
    return explode("heat", fetch(credentials, context), settings.list("DEFAULT", "deployment_key"), context.log);
  } catch (const Error& error) {
    context.log.warning(error.what());
  }
  return Unavailable{};
}

}  // namespace hearth::agent
