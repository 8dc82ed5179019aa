#include "base/net/web_client.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/net/http_reader.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

/// A request without a deadline of its own may still not hang for ever.
constexpr Duration k_longest_exchange = std::chrono::minutes(30);

constexpr std::size_t k_one_write = std::size_t{64} << 10U;

/// Header fields as they go out: setting one again replaces it.
class Fields {
 public:
  void set(const std::string& name, std::string value) {
    std::replace_if(
        value.begin(), value.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
    const auto same = [&name](const auto& field) { return to_lower(field.first) == to_lower(name); };
    const auto found = std::find_if(fields_.begin(), fields_.end(), same);
    if (found == fields_.end()) {
      fields_.emplace_back(name, std::move(value));
    } else {
      *found = {name, std::move(value)};
    }
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const auto& [name, value] : fields_) text += cat(name, ": ", value, "\r\n");
    return text;
  }

 private:
  HttpHeaders fields_;
};

HttpResponse read_answer(Connection& connection, const HttpRequest& request, const Deadline& deadline,
                         const Clock& clock) {
  HttpReader reader({.to_head = request.method == "HEAD", .body_limit = request.body_limit, .sink = request.sink});
  std::array<char, 16384> buffer{};
  const auto next_byte = [&] {
    if (request.stall == Duration::zero()) return deadline;
    const MonotonicTime now = clock.now();
    const Deadline stalled = Deadline::after(request.stall, clock);
    const bool sooner = deadline.is_never() || stalled.poll_timeout(now) < deadline.poll_timeout(now);
    return sooner ? stalled : deadline;
  };
  while (!reader.done() && reader.problem().empty()) {
    const std::size_t size = connection.read(buffer, next_byte());
    size == 0 ? reader.finish() : reader.feed({buffer.data(), size});
  }
  if (!reader.problem().empty()) throw Error(ErrorKind::io, reader.problem());
  reader.response().url = request.url;
  return std::move(reader.response());
}

}  // namespace

WebClient::WebClient(const Clock& clock, const Environment& env, std::string agent, AddressCheck check)
    : clock_(clock), dialer_(clock, env, std::move(check)), agent_(std::move(agent)) {}

std::string request_head(const HttpRequest& request, const std::optional<Url>& proxy, const std::string& agent) {
  const Url& url = request.url;
  Fields fields;
  fields.set("Host", url.authority());
  fields.set("User-Agent", agent);
  fields.set("Accept", "*/*");
  fields.set("Connection", "close");
  if (!url.user_info.empty()) fields.set("Authorization", basic_credentials(url.user_info));
  if (proxy && !proxy->user_info.empty()) fields.set("Proxy-Authorization", basic_credentials(proxy->user_info));
  for (const auto& [name, value] : request.headers) fields.set(name, value);
  if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
    fields.set("Content-Length", std::to_string(request.body.size()));
  }
  return cat(request.method, " ", proxy ? url.text() : url.target(), " HTTP/1.1\r\n", fields.text(), "\r\n");
}

HttpResponse WebClient::send_once(const HttpRequest& request) {
  const Deadline deadline =
      request.deadline.is_never() ? Deadline::after(k_longest_exchange, clock_) : request.deadline;
  const std::string head = request_head(request, dialer_.plain_proxy(request.url), agent_);
  Connection connection = dialer_.dial(request.url, {request.verify_tls, request.ca_file}, deadline);
  std::optional<Error> unsent;
  try {
    if (request.body.size() <= k_one_write) {
      connection.write(cat(head, request.body), deadline);
    } else {  // a large body is not copied
      connection.write(head, deadline);
      connection.write(request.body, deadline);
    }
  } catch (const Error& error) {
    unsent = error;  // a server may answer and close before it has read a long body (413, say): the answer counts
  }
  try {
    return read_answer(connection, request, deadline, clock_);
  } catch (const Error& error) {
    if (unsent) throw *unsent;
    throw Error(error.kind(), cat("reading the answer of ", request.url.masked(), ": ", error.what()));
  }
}

HttpResponse WebClient::send(const HttpRequest& request) {
  HttpResponse response = send_once(request);
  std::optional<HttpRequest> next = redirected(request, response);
  while (next) {
    response = send_once(*next);
    next = redirected(*next, response);
  }
  return response;
}

}  // namespace hearth
