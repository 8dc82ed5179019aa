#include "agent/signal/delivery.hpp"

#include <cmath>

#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr int k_message_ttl_seconds = 600;
constexpr int k_most_redirects = 10;

/// A redirect that leads nowhere is a server that is being moved.
bool may_be_better_later(int status) {
  return (status >= 300 && status < 400) || status >= 500 || status == 408 || status == 425 || status == 429 ||
         status == 401 || status == 403;
}

DeliveryResult judged(const HttpRequest& request, const HttpResponse& response) {
  if (response.ok()) return {};
  const std::string reason =
      cat(request.method, " ", request.url.masked(), ": HTTP ", response.status, " ", response.reason);
  return {may_be_better_later(response.status) ? Delivery::later : Delivery::refused, reason};
}

/// Sends one signal to one target.
class Sender {
 public:
  Sender(const Json& data, const DeliveryWorld& world, const Deadline& deadline)
      : data_(data), world_(world), deadline_(deadline) {}

  DeliveryResult operator()(const UrlSignal& target) {
    const Result<Url> url = parse_url(target.url);
    if (!url) return {Delivery::refused, cat("the signal's URL: ", url.error().what)};  // it will never be better
    HttpRequest request = make(target.method, target.url);
    request.headers = {{"Content-Type", "application/json"}};
    request.body = signal_body(data_);
    return send(request);
  }

  DeliveryResult operator()(const HeatSignal& target) {
    const KeystoneToken token = keystone_token(world_.http, target.credentials, deadline_);
    const std::string endpoint = public_endpoint(token, "orchestration", target.region);
    const std::string stack = stack_path(target.stack_id, endpoint, token);
    HttpRequest request = make("POST", cat(endpoint, "/stacks/", percent_encode(stack, "/"), "/resources/",
                                           percent_encode(target.resource_name, "/"), "/signal"));
    request.headers = heat_headers(token);
    request.body = signal_body(data_);
    return send(request);
  }

  DeliveryResult operator()(const ZaqarSignal& target) {
    const KeystoneToken token = keystone_token(world_.http, target.credentials, deadline_);
    const std::string endpoint = public_endpoint(token, "messaging", target.region);
    HttpRequest request = make("POST", cat(endpoint, "/v2/queues/", percent_encode(target.queue_id), "/messages"));
    request.headers = {{"X-Auth-Token", token.id},
                       {"X-Project-Id", target.credentials.project_id},
                       {"Client-ID", random_uuid()},  // Zaqar wants of every client
                       {"Content-Type", "application/json"},
                       {"Accept", "application/json"}};
    Json message = {{"body", parse_python_json(signal_body(data_), "the signal").value_or_throw()},
                    {"ttl", k_message_ttl_seconds}};
    request.body = python_json(Json{{"messages", Json::array({std::move(message)})}});
    return send(request);
  }

 private:
  [[nodiscard]] HttpRequest make(const std::string& method, const std::string& url) const {
    HttpRequest request;
    request.method = method;
    request.url = parse_url(url).value_or_throw();
    request.deadline = deadline_;
    return request;
  }

  static HttpHeaders heat_headers(const KeystoneToken& token) {
    return {{"X-Auth-Token", token.id}, {"Content-Type", "application/json"}, {"Accept", "application/json"}};
  }

  /// Follows redirects, with its method and body: a signal that became a GET, as a 301 to a POST does for browsers,
  /// would be answered with success and be lost. Credentials stay with the host that they are for (redirected()).
  DeliveryResult send(HttpRequest request) {
    for (int hop = 0;; ++hop) {
      const HttpResponse response = world_.http.send(request);
      HttpRequest allowed = request;
      allowed.max_redirects = hop < k_most_redirects ? 1 : 0;
      std::optional<HttpRequest> next = redirected(allowed, response);
      if (!next) return judged(request, response);
      next->method = request.method;
      next->body = request.body;
      next->max_redirects = 0;
      if (const auto type = find_header(request.headers, "Content-Type");
          type && !find_header(next->headers, "Content-Type"))
        next->headers.emplace_back("Content-Type", *type);
      request = std::move(*next);
    }
  }

  /// "name/uuid". Heat answers a bare id with a redirect to the full path.
  std::string stack_path(const std::string& id, const std::string& endpoint, const KeystoneToken& token) {
    if (id.find('/') != std::string::npos) return id;
    HttpRequest request = make("GET", cat(endpoint, "/stacks/", percent_encode(id)));
    request.headers = heat_headers(token);
    const HttpResponse response = world_.http.send(request);
    const std::optional<std::string> location = find_header(response.headers, "Location");
    constexpr std::string_view mark = "/stacks/";
    const std::size_t at = location ? location->find(mark) : std::string::npos;
    if (at == std::string::npos) {
      throw Error(ErrorKind::external, cat("looking up stack ", id, ": HTTP ", response.status), response.status);
    }
    return percent_decode(location->substr(at + mark.size()));
  }

  const Json& data_;
  const DeliveryWorld& world_;
  const Deadline& deadline_;
};

/// An HTTP refusal is judged by its status. A wrong certificate or region mends itself when somebody changes it, not
/// within the minutes for which a deployment can wait; the rest may pass.
DeliveryResult failed(const Error& error) {
  const bool is_status = error.kind() == ErrorKind::external && error.exit_code() >= 400;
  const bool refused = is_status && !may_be_better_later(error.exit_code());
  const bool wrong = error.kind() == ErrorKind::input || error.kind() == ErrorKind::not_found;
  return {refused ? Delivery::refused : Delivery::later, error.what(), !wrong};
}

}  // namespace

DeliveryResult attempt_delivery(const Json& deployment, const Json& data, const DeliveryWorld& world,
                                Duration patience) {
  const Deadline deadline = Deadline::after(patience, world.clock);
  for (const SignalTarget& target : signal_targets(deployment)) {
    try {
      Sender sender(data, world, deadline);
      DeliveryResult result = std::visit(sender, target);
      if (result.outcome != Delivery::delivered) return result;
    } catch (const Error& error) {
      return failed(error);
    }
  }
  return {};
}

Duration pause_before(int n, const RetryPolicy& policy, double random) {
  if (n <= 1) return Duration::zero();
  const double seconds = std::min(std::pow(2.0, n - 2), std::chrono::duration<double>(policy.longest_pause).count());
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds * (1 - random / 4)));
}

DeliveryResult deliver(const Json& deployment, const Json& data, const DeliveryWorld& world,
                       const RetryPolicy& policy) {
  const Deadline end = Deadline::after(policy.total, world.clock);
  DeliveryResult result = attempt_delivery(deployment, data, world, policy.longest_attempt);
  for (int n = 1; n <= policy.retries && result.outcome == Delivery::later && result.soon; ++n) {
    const Duration pause = pause_before(n, policy, world.random());
    if (end.passed(world.clock.now() + pause)) break;
    world.clock.sleep(pause);
    result = attempt_delivery(deployment, data, world, policy.longest_attempt);
  }
  return result;
}

}  // namespace hearth::agent
