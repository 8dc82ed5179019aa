#include "agent/collect/sources.hpp"

#include "agent/collect/explode.hpp"
#include "agent/collect/web.hpp"
#include "agent/collect/zaqar_socket.hpp"
#include "base/error.hpp"
#include "base/net/keystone.hpp"
#include "base/python_json.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr double k_zaqar_source_seconds = 30;  ///< for each request

/// What the queue's owner is called at Keystone.
KeystoneCredentials zaqar_credentials(const Settings& settings) {
  const auto text = [&settings](const char* name) { return settings.text_or("zaqar", name, ""); };
  return {text("auth_url"), text("user_id"), text("password"), text("project_id")};
}

Trust trust_of(const Settings& settings) {
  return {settings.flag("zaqar", "ssl_certificate_validation"), settings.text_or("zaqar", "ca_file", "")};
}

HttpRequest pop_request(const KeystoneToken& token, const SourceContext& context) {
  const Settings& settings = context.settings;
  const std::string endpoint = public_endpoint(token, "messaging", settings.text_or("zaqar", "region_name", ""));
  const std::string queue = percent_encode(settings.text_or("zaqar", "queue_id", ""));
  context.log.debug(cat("Fetching metadata from ", endpoint));
  HttpRequest request =
      get_request(context, cat(endpoint, "/v2/queues/", queue, "/messages?pop=1"), k_zaqar_source_seconds);
  request.method = "DELETE";
  request.headers = {{"X-Auth-Token", token.id},
                     {"X-Project-Id", settings.text_or("zaqar", "project_id", "")},
                     {"Client-ID", random_uuid()},  // Zaqar wants of every client
                     {"Content-Type", "application/json"}};
  const Trust trust = trust_of(settings);
  request.verify_tls = trust.verify;
  request.ca_file = trust.ca_file;
  return request;
}

/// The body of the first message; nothing when the queue is empty.
std::optional<Json> first_body(const std::string& answer) {
  if (trim(answer).empty()) return std::nullopt;
  const Json json = parse_python_json(answer, "Zaqar's answer").value_or_throw();
  const Json& messages = list_member(json, "messages");
  if (messages.empty()) return std::nullopt;
  return member_or_null(messages.front(), "body");
}

std::optional<Json> pop_by_http(const SourceContext& context, const Deadline& deadline) {
  const HttpResponse response =
      context.tokens.send(context.http, zaqar_credentials(context.settings), deadline,
                          [&context](const KeystoneToken& token) { return pop_request(token, context); });
  const std::optional<std::string> failure = failure_of(response);
  if (failure) throw Error(ErrorKind::external, *failure);
  return first_body(response.body);
}

/// Waits for a message as long as the longest pause between polls: it arrives at once, and nothing else waits longer
/// than it would anyway.
std::optional<Json> wait_by_socket(const SourceContext& context, const Deadline& deadline) {
  const Settings& settings = context.settings;
  const KeystoneToken token = context.tokens.get(context.http, zaqar_credentials(settings), deadline);
  std::string endpoint = public_endpoint(token, "messaging-websocket", settings.text_or("zaqar", "region_name", ""));
  if (endpoint.compare(0, 2, "ws") == 0) endpoint.replace(0, 2, "http");  // wss becomes https
  const Url url = parse_url(endpoint).value_or_throw();
  context.log.debug(cat("Waiting for metadata from ", url.masked()));
  const std::unique_ptr<MessageStream> stream = context.messages.dial(url, trust_of(settings), deadline);
  const Duration longest = std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(settings.number("DEFAULT", "polling_interval")));
  const ZaqarAccess access{token.id, settings.text_or("zaqar", "project_id", ""), random_uuid(),
                           settings.text_or("zaqar", "queue_id", "")};
  return pop_by_socket(*stream, access, context.clock,
                       Deadline::after(std::max<Duration>(longest, std::chrono::seconds(5)), context.clock));
}

/// A popped message is gone from the queue. While no command has succeeded with it, what the cache holds is the last
/// copy, and stays in use.
std::optional<Json> unapplied_message(const SourceContext& context) {
  const std::string path = cat(context.settings.text_or("DEFAULT", "cachedir", ""), "/zaqar.json");
  const std::optional<std::string> text = context.files.read(path);
  const Result<Json> kept = parse_python_json(text.value_or(""), path);
  if (!kept || !kept->is_object()) return std::nullopt;
  const std::optional<std::string> applied = context.files.read(cat(path, ".last"));
  if (applied == text) return std::nullopt;
  context.log.info("The last message was not applied yet: using it again");
  return *kept;
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
  const Deadline deadline =
      Deadline::after(std::chrono::seconds(static_cast<int>(k_zaqar_source_seconds)), context.clock);
  std::optional<Json> body;
  try {
    const bool by_socket = settings.flag("zaqar", "use_websockets");
    body = by_socket ? wait_by_socket(context, deadline) : pop_by_http(context, deadline);
    if (body && !body->is_object()) throw Error(ErrorKind::input, "The queue's message holds no metadata object");
  } catch (const Error& error) {
    context.log.warning(error.what());
    body.reset();
  }
  if (!body) body = unapplied_message(context);
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
  try {
    return collect_configured(context);
  } catch (const Error& error) {
    context.log.warning(error.what());
    return Unavailable{};
  }
}

}  // namespace hearth::agent
