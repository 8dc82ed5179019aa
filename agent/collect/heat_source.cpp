#include "agent/collect/sources.hpp"

#include "agent/collect/explode.hpp"
#include "agent/collect/web.hpp"
#include "base/error.hpp"
#include "base/net/keystone.hpp"
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

/// Of what Heat has below the polled resource: "metadata", or our "run".
HttpRequest resource_request(const KeystoneToken& token, const SourceContext& context, std::string_view what) {
  const Settings& settings = context.settings;
  const std::string endpoint = public_endpoint(token, "orchestration", settings.text_or("heat", "region_name", ""));
  const HttpHeaders headers = {
      {"X-Auth-Token", token.id}, {"Accept", "application/json"}, {"Content-Type", "application/json"}};
  const std::string stack = full_stack_id(endpoint, settings.text_or("heat", "stack_id", ""), headers, context);
  const std::string resource = percent_encode(settings.text_or("heat", "resource_name", ""), "/");
  HttpRequest request =
      get_request(context, cat(endpoint, "/stacks/", stack, "/resources/", resource, "/", what), k_seconds);
  request.headers = headers;
  return request;
}

/// The metadata object. Throws Error when the answer has none.
Json fetch(const KeystoneCredentials& credentials, const SourceContext& context) {
  const Deadline deadline = Deadline::after(std::chrono::seconds(static_cast<int>(k_seconds)), context.clock);
  const HttpResponse response =
      context.tokens.send(context.http, credentials, deadline, [&context](const KeystoneToken& token) {
        HttpRequest request = resource_request(token, context, "metadata");
        context.log.debug(cat("Fetching metadata from ", request.url.masked()));
        return request;
      });
  const std::optional<std::string> failure = failure_of(response);
  if (failure) throw Error(ErrorKind::external, *failure);
  const Json answer = parse_python_json(response.body, "Heat's answer").value_or_throw();
  const Json* metadata = find_member(answer, "metadata");
  if (metadata != nullptr && metadata->is_object()) return *metadata;
  throw Error(ErrorKind::input, "Heat's answer holds no metadata object");
}

const std::vector<std::string> k_needed = {"auth_url", "password", "project_id",
                                           "user_id",  "stack_id", "resource_name"};

KeystoneCredentials credentials_in(const Settings& settings) {
  const auto text = [&settings](const char* name) { return settings.text_or("heat", name, ""); };
  return {text("auth_url"), text("user_id"), text("password"), text("project_id")};
}

}  // namespace

Collection collect_heat(const SourceContext& context) {
  const Settings& settings = context.settings;
  const std::vector<std::string> missing = missing_options(settings, "heat", k_needed);
  if (!missing.empty()) {
    context.once.log(LogLevel::info, cat("No ", missing.front(), " configured."));
    return NotConfigured{};
  }
  try {
    return explode("heat", fetch(credentials_in(settings), context), settings.list("DEFAULT", "deployment_key"),
                   context.log);
  } catch (const Error& error) {
    context.log.warning(error.what());
  }
  return Unavailable{};
}

std::optional<int> post_heat_report(const SourceContext& context, const std::string& report) {
  if (!missing_options(context.settings, "heat", k_needed).empty()) return std::nullopt;
  const Deadline deadline = Deadline::after(std::chrono::seconds(static_cast<int>(k_seconds)), context.clock);
  const auto make = [&](const KeystoneToken& token) {
    HttpRequest request = resource_request(token, context, "run");
    request.method = "POST";
    request.body = report;
    return request;
  };
  return context.tokens.send(context.http, credentials_in(context.settings), deadline, make).status;
}

}  // namespace hearth::agent
