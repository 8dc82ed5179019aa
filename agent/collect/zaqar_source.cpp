#include "agent/collect/zaqar_source.hpp"

#include "agent/collect/explode.hpp"
#include "agent/collect/web.hpp"
#include "agent/signal/keystone.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr double k_seconds = 30;  ///< for each request

/// A random (version 4) UUID, which Zaqar wants of every client.
std::string client_id() {
  std::string hex = random_hex(16);
  hex[12] = '4';
  hex[16] = "89ab"[static_cast<unsigned char>(hex[16]) % 4];
  return cat(hex.substr(0, 8), "-", hex.substr(8, 4), "-", hex.substr(12, 4), "-", hex.substr(16, 4), "-",
             hex.substr(20));
}

HttpRequest pop_request(const KeystoneToken& token, const SourceContext& context) {
  const Settings& settings = context.settings;
  const std::string endpoint = public_endpoint(token, "messaging", settings.text_or("zaqar", "region_name", ""));
  const std::string queue = percent_encode(settings.text_or("zaqar", "queue_id", ""));
  context.log.debug(cat("Fetching metadata from ", endpoint));
  HttpRequest request = get_request(context, cat(endpoint, "/v2/queues/", queue, "/messages?pop=1"), k_seconds);
  request.method = "DELETE";
  request.headers = {{"X-Auth-Token", token.id},
                     {"X-Project-Id", settings.text_or("zaqar", "project_id", "")},
                     {"Client-ID", client_id()},
                     {"Content-Type", "application/json"}};
  request.verify_tls = settings.flag("zaqar", "ssl_certificate_validation");
  request.ca_file = settings.text_or("zaqar", "ca_file", "");
  return request;
}

/// The body of the first message; nothing when the queue is empty.
std::optional<Json> first_body(const std::string& answer) {
  if (trim(answer).empty()) return std::nullopt;
  const Json json = parse_python_json(answer, "Zaqar's answer").value_or_throw();
  const auto messages = json.is_object() ? json.find("messages") : json.end();
  if (messages == json.end() || !messages->is_array() || messages->empty()) return std::nullopt;
  const Json& message = messages->front();
  const auto body = message.is_object() ? message.find("body") : message.end();
  if (body != message.end() && body->is_object()) return *body;
  throw Error(ErrorKind::input, "The queue's message holds no metadata object");
}

/// Why the source can't be used as it is configured; nothing when it can.
std::optional<std::string> misconfigured(const Settings& settings) {
  const std::vector<std::string> missing =
      missing_options(settings, "zaqar", {"auth_url", "password", "project_id", "user_id", "queue_id"});
  if (!missing.empty()) return cat("No ", missing.front(), " configured.");
  const bool lacks_ca = settings.flag("zaqar", "ssl_certificate_validation") && !settings.text("zaqar", "ca_file");
  if (lacks_ca) return "No CA file configured when flag ssl certificate validation is on.";
  return std::nullopt;
}

Collection collect_configured(const SourceContext& context) {
  const Settings& settings = context.settings;
  const auto text = [&settings](const char* name) { return settings.text_or("zaqar", name, ""); };
  const KeystoneCredentials credentials{text("auth_url"), text("user_id"), text("password"), text("project_id")};
  const Deadline deadline = Deadline::after(std::chrono::seconds(static_cast<int>(k_seconds)), context.clock);
  const KeystoneToken token = keystone_token(context.http, credentials, deadline);
  const std::optional<HttpResponse> response = send_or_warn(context, pop_request(token, context));
  const std::optional<Json> body = response ? first_body(response->body) : std::nullopt;
  if (!body) return Unavailable{};
  return explode("zaqar", *body, settings.list("DEFAULT", "deployment_key"), context.log);
}

}  // namespace

Collection collect_zaqar(const SourceContext& context) {
  const std::optional<std::string> reason = misconfigured(context.settings);
  if (reason) {
    context.once.log(LogLevel::warning, *reason);
    return NotConfigured{};
  }
  if (context.settings.flag("zaqar", "use_websockets")) {
    context.once.log(LogLevel::warning, "use_websockets has no effect: the queue is read by HTTP");
  }
  try {
    return collect_configured(context);
  } catch (const Error& error) {
    context.log.warning(error.what());
    return Unavailable{};
  }
}

}  // namespace hearth::agent
